import { StorageError } from '@spillway/core'
import { isMiss, type ArchivedMessages, type HistoryArchive } from '../archive/history-archive.ts'
import { redactedJson } from '@spillway/core/internal'
import { decodeText, NO_JSON, readStored } from '../compact/archived-content.ts'
import { restoreMessage, type Restoring } from '../compact/restore-message.ts'
import { decodeConversation, encodeConversation, type HistoryFormat } from '../history-format.ts'
import { isEqualValue, type HistoryMessage } from '../history-message.ts'
import { findSystemSnapshot, withoutSnapshot } from './system-snapshot.ts'

const MAX_LOOKED_AT = 16

/** The functions and options that recognize a message as a copy of a stored message. */
export interface Finding extends Restoring {
  readonly redact: ((text: string) => string) | undefined
}

/** Find the messages beside a snapshot. Returns a position for each, or `undefined` if it was removed or changed. */
export async function findRetained(
  messages: readonly HistoryMessage[],
  start: number,
  retained: readonly (HistoryMessage | undefined)[],
  finding: Finding,
): Promise<readonly (number | undefined)[]> {
  const found: (number | undefined)[] = []
  const end = Math.min(messages.length, start + retained.length)
  const left = Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index)
  for (const stored of retained) {
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

/** Longest chain of nested snapshots. Only an attacker would make a longer chain. */
const MAX_DEPTH = 200

/** Replace a snapshot by the messages that it summarizes. If a group is missing, the history does not change. */
export async function expandSnapshot(
  messages: readonly HistoryMessage[],
  archive: HistoryArchive,
  restoring: Finding,
  depth = 0,
): Promise<readonly HistoryMessage[]> {
  const found = findSystemSnapshot(messages, archive)
  if (found === undefined || depth > MAX_DEPTH) return messages
  const after = found.message + 1
  const restored: (readonly HistoryMessage[])[] = []
  const retained: (HistoryMessage | undefined)[] = []
  for (const group of found.parsed.groups) {
    const stored = await retrieveGroup(group, restoring)
    if (stored === undefined) return messages
    for (const position of group.retained) retained.push(stored[position - 1])
    restored.push(await expandSnapshot(stored, archive, restoring, depth + 1))
  }
  // A message that was changed after it was stored is not a copy, so it stays.
  const dropped = new Set(await findRetained(messages, after, retained, restoring))
  const rest = messages.slice(after).filter((_, index) => !dropped.has(after + index))
  return [...withoutSnapshot(messages.slice(0, after), found), ...restored.flat(), ...rest]
}

/** Return the messages of a group, or `undefined` if they are missing or corrupt. May reject during an outage. */
export async function retrieveGroup(
  { name }: ArchivedMessages,
  { format, retrieve, onMissing }: Restoring,
): Promise<readonly HistoryMessage[] | undefined> {
  try {
    const { content } = await retrieve(name)
    return readStored(name, () => decodeConversation(format, decodeText(content)))
  } catch (error) {
    if (!StorageError.isInstance(error)) throw error
    if (onMissing === undefined && !isMiss(error) && error.code !== 'corrupt') throw error
    onMissing?.(error)
    return undefined
  }
}

/** Redact messages in encoded form. Throws if the format cannot parse the redacted messages. */
export function readableJson(
  format: HistoryFormat<unknown>,
  json: string,
  redact: ((text: string) => string) | undefined,
): string {
  if (redact === undefined) return json
  const left = redactedJson(json, redact)
  if (left === undefined) throw new TypeError(NO_JSON)
  if (left !== json) decodeConversation(format, left)
  return left
}
