import { restoreMessage, type Restoring } from '../compact/restore-message.ts'
import { decodeConversation, encodeConversation } from '../encode-conversation.ts'
import type { HistoryMessage } from '../history-message.ts'
import { isEqualValue } from '../is-equal-value.ts'
import { readableJson } from './readable-json.ts'

/** Where one is not at its place, so many messages are looked at. */
const MAX_LOOKED_AT = 16

/** What copies of messages are recognised with. */
export interface Finding extends Restoring {
  readonly redact: ((text: string) => string) | undefined
}

/**
 * Find the messages that a snapshot says still stand in the history, and that are also stored. Programs change and remove
 * messages: what is not as it was stored is no copy.
 *
 * Returns their positions in the order of what is kept; `undefined` for those that are gone or changed.
 *
 * @param start - Where they should begin, one after another.
 * @param kept - The messages as they are stored; `undefined` for what cannot be had.
 */
export async function findKept(
  messages: readonly HistoryMessage[],
  start: number,
  kept: readonly (HistoryMessage | undefined)[],
  finding: Finding,
): Promise<readonly (number | undefined)[]> {
  const found: (number | undefined)[] = []
  const end = Math.min(messages.length, start + kept.length)
  const left = Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index)
  for (const stored of kept) {
    let at: number | undefined
    for (const index of stored === undefined ? [] : left.slice(0, MAX_LOOKED_AT)) {
      if (!(await isCopy(messages[index]!, stored!, finding))) continue
      at = index
      left.splice(left.indexOf(index), 1)
      break
    }
    found.push(at)
  }
  return found
}

async function isCopy(live: HistoryMessage, stored: HistoryMessage, finding: Finding): Promise<boolean> {
  const { format, redact } = finding
  const isEqual = (a: HistoryMessage, b: HistoryMessage): boolean => isEqualValue(format.write([a]), format.write([b]))
  if (isEqual(live, stored)) return true
  const quiet: Restoring = { ...finding, onMissing: () => {} }
  const [one, other] = [await restoreMessage(live, quiet), await restoreMessage(stored, quiet)]
  if (isEqual(one, other)) return true
  if (redact === undefined) return false
  const [redacted] = decodeConversation(format, readableJson(format, encodeConversation(format, [one]), redact))
  return redacted !== undefined && isEqual(redacted, other)
}
