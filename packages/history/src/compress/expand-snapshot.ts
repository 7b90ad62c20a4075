import type { HistoryArchive } from '../archive/history-archive.ts'
import type { HistoryMessage } from '../history-message.ts'
import { findKept, type Finding } from './find-kept.ts'
import { retrieveGroup } from './retrieve-group.ts'
import { findSystemSnapshot, withoutSnapshot } from './system-snapshot.ts'

/** Snapshots hold those that came before them; a chain of more than this was made to do harm. */
const MAX_DEPTH = 200

/**
 * Put back the messages that a snapshot stands for, and take it out of the system message. Where one of its groups cannot
 * be had, all of it stays as it is.
 */
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
  const kept: (HistoryMessage | undefined)[] = []
  for (const group of found.known.groups) {
    const stored = await retrieveGroup(group, restoring)
    if (stored === undefined) return messages
    for (const position of group.kept) kept.push(stored[position - 1])
    restored.push(await expandSnapshot(stored, archive, restoring, depth + 1))
  }
  // What was changed since is no copy any more: it stays, too.
  const dropped = new Set(await findKept(messages, after, kept, restoring))
  const rest = messages.slice(after).filter((_, index) => !dropped.has(after + index))
  return [...withoutSnapshot(messages.slice(0, after), found), ...restored.flat(), ...rest]
}
