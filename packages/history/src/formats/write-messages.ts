import type { HistoryMessage } from '../history-message.ts'
import type { Fields } from './check-fields.ts'
import { isUntouched, nativeOf } from './native-value.ts'

/** How the messages of one format are written. */
export interface MessageWriter {
  readonly format: string
  /** Write a message of this format with the parts that it has now. */
  patch(native: Fields, message: HistoryMessage, index: number): Fields
  /** Make a system message of a text: a summary needs one where a conversation has none. */
  makeSystem(text: string): Fields
}

/**
 * Write messages: untouched ones as the very objects, changed ones patched.
 *
 * A message that was not read by the format must be a system message of text; throws a `TypeError` for any other.
 *
 * @example
 * ```ts
 * import { writeMessages } from '@spillway/history/format'
 *
 * const written = writeMessages([{ role: 'system', parts: [{ type: 'text', text: 'You help.' }] }], {
 *   format: 'mine',
 *   patch: (native) => native,
 *   makeSystem: (text) => ({ role: 'system', lines: [text] }),
 * })
 * console.assert(written[0]?.['role'] === 'system')
 * ```
 */
export function writeMessages(messages: readonly HistoryMessage[], writer: MessageWriter): Fields[] {
  const { format } = writer
  return messages.map((message, index) => {
    const native = nativeOf(format, message)
    if (native === undefined) return writer.makeSystem(textOfSystem(message, index, format))
    return isUntouched(format, message) ? native : writer.patch(native, message, index)
  })
}

function textOfSystem({ role, parts }: HistoryMessage, index: number, format: string): string {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (role === 'system' && texts.length === parts.length) return texts.join('\n\n')
  throw new TypeError(
    `messages[${index}] was not read as ${format}: write messages with the format that has read them.`,
  )
}
