import type { HistoryMessage } from '../history-message.ts'
import { createCallIds, type CallIdRules, type CallIds } from './call-ids.ts'
import type { Fields } from './check-fields.ts'
import { isUntouched, nativeOf } from './native-value.ts'

/** Messages of other formats that stand together, and where. */
export interface ForeignMessages {
  readonly messages: readonly HistoryMessage[]
  /** The index of the first. */
  readonly start: number
  /** Whether nothing was said before them. */
  readonly isBeginning: boolean
  /** The ids of calls in the whole conversation. */
  readonly ids: CallIds
}

/** How the messages of one format are written. */
export interface MessageWriter {
  readonly format: string
  readonly idRules: CallIdRules
  /** Write a message of this format with the parts that it has now. */
  patch(native: Fields, message: HistoryMessage, index: number): Fields
  /** Write messages that were read from other formats, or made. */
  convert(foreign: ForeignMessages): readonly Fields[]
}

/**
 * Write messages: untouched ones as the very objects, changed ones patched, and those of other formats converted.
 *
 * @example
 * ```ts
 * import { writeMessages } from '@spillway/history/format'
 *
 * const written = writeMessages([{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }], {
 *   format: 'mine',
 *   idRules: { maxLength: 64 },
 *   patch: (native) => native,
 *   convert: ({ messages }) => messages.map(({ role, parts }) => ({ role, lines: parts.length })),
 * })
 * console.assert(written[0]?.['role'] === 'user')
 * ```
 */
export function writeMessages(messages: readonly HistoryMessage[], writer: MessageWriter): Fields[] {
  const { format } = writer
  const written: Fields[] = []
  let ids: CallIds | undefined
  let isBeginning = true
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index] as HistoryMessage
    const native = nativeOf(format, message)
    if (native !== undefined) {
      written.push(isUntouched(format, message) ? native : writer.patch(native, message, index))
      isBeginning &&= message.role === 'system'
      continue
    }
    const start = index
    while (index + 1 < messages.length && nativeOf(format, messages[index + 1] as HistoryMessage) === undefined)
      index += 1
    ids ??= createCallIds(
      messages.filter((one) => nativeOf(format, one) !== undefined),
      writer.idRules,
    )
    const foreign = messages.slice(start, index + 1)
    for (const one of writer.convert({ messages: foreign, start, isBeginning, ids })) written.push(one)
    isBeginning &&= foreign.every(({ role }) => role === 'system')
  }
  return written
}
