import type { HistoryArchive, HistorySnapshot, ParsedSnapshot } from '../archive/history-archive.ts'
import { appendSnapshot } from '../archive/read-template.ts'
import type { HistoryMessage, HistoryText } from '../history-message.ts'

export interface SystemSnapshot {
  readonly message: number
  readonly part: number
  readonly parsed: ParsedSnapshot
}

/** Find the last snapshot in the leading system messages. */
export function findSystemSnapshot(
  messages: readonly HistoryMessage[],
  archive: HistoryArchive,
): SystemSnapshot | undefined {
  let found: SystemSnapshot | undefined
  for (const [message, { role, parts }] of messages.entries()) {
    if (role !== 'system') break
    for (const [part, content] of parts.entries()) {
      const parsed = content.type === 'text' ? archive.readSnapshot(content.text) : undefined
      if (parsed !== undefined) found = { message, part, parsed }
    }
  }
  return found
}

/** Return the end of the leading system messages. A message with a snapshot is the last of them. */
export function systemEnd(messages: readonly HistoryMessage[], archive: HistoryArchive): number {
  const found = findSystemSnapshot(messages, archive)
  if (found !== undefined) return found.message + 1
  const spoken = messages.findIndex(({ role }) => role !== 'system')
  return spoken < 0 ? messages.length : spoken
}

/** Put a snapshot at the end of the leading system messages. The new snapshot replaces an earlier one. */
export function withSnapshot(
  system: readonly HistoryMessage[],
  snapshot: HistorySnapshot,
  archive: HistoryArchive,
): readonly HistoryMessage[] {
  const block = archive.writeSnapshot(snapshot)
  const before = findSystemSnapshot(system, archive)
  if (before !== undefined) {
    const { message, part, parsed } = before
    const text = { ...(system[message]!.parts[part] as HistoryText), text: appendSnapshot(parsed.around, block) }
    return system.with(message, { ...system[message]!, parts: system[message]!.parts.with(part, text) })
  }
  const last = system.at(-1)
  if (last === undefined) return [{ role: 'system', parts: [{ type: 'text', text: appendSnapshot(undefined, block) }] }]
  return system.with(system.length - 1, { ...last, parts: withBlock(last, block) })
}

/** Add a snapshot to a message. If the message is a single text, append to the text. Otherwise add a part. */
function withBlock({ parts }: HistoryMessage, block: string): HistoryMessage['parts'] {
  const [only] = parts
  if (parts.length === 1 && only?.type === 'text') return [{ ...only, text: appendSnapshot(only.text, block) }]
  return [...parts, { type: 'text', text: appendSnapshot(undefined, block) }]
}

/** Remove the snapshot from the leading system messages. */
export function withoutSnapshot(
  messages: readonly HistoryMessage[],
  { message, part, parsed }: SystemSnapshot,
): readonly HistoryMessage[] {
  const { parts } = messages[message]!
  if (parsed.around !== undefined) {
    const text = { ...(parts[part] as HistoryText), text: parsed.around }
    return messages.with(message, { ...messages[message]!, parts: parts.with(part, text) })
  }
  if (parts.length === 1) return messages.toSpliced(message, 1)
  return messages.with(message, { ...messages[message]!, parts: parts.toSpliced(part, 1) })
}
