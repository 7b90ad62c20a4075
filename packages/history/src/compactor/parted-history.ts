import type { HistoryArchive } from '../archive/history-archive.ts'
import { systemEnd } from '../compress/system-snapshot.ts'
import type { HistoryMessage } from '../history-message.ts'

/** A history, with the system messages apart that it begins with. */
export interface PartedHistory {
  readonly systems: readonly HistoryMessage[]
  readonly rest: readonly HistoryMessage[]
}

/** Take the system messages apart that a history begins with. */
export function partSystems(messages: readonly HistoryMessage[], archive: HistoryArchive): PartedHistory {
  const start = systemEnd(messages, archive)
  return { systems: messages.slice(0, start), rest: messages.slice(start) }
}
