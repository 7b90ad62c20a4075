import { parseJsonText } from '@spillway/text/internal'
import type { EvictedEntry } from '../storage/storage.ts'

/**
 * One event of a journal, without content, arguments, patterns, or queries.
 *
 * `time` is in milliseconds since the epoch. `scope` has the encoded segments, joined by `/`. It is empty for no scope.
 * `preview` is the first block's previewer or media type. `reference` is absent if the call named none, or an unknown
 * one.
 */
export type JournalEvent = { readonly time: number; readonly scope: string } & NewJournalEvent

/** An event without its time and scope, which the journal adds. */
export type NewJournalEvent =
  | {
      readonly type: 'offload'
      readonly tool: string
      readonly references: readonly string[]
      readonly preview?: string | undefined
      readonly tokens: { readonly original: number; readonly replacement: number }
    }
  | {
      readonly type: 'retrieval'
      readonly mode: string
      readonly reference?: string | undefined
      readonly tokens: number
      /** Code of the error, if the call failed. */
      readonly error?: string | undefined
    }
  | ({ readonly type: 'eviction' } & EvictedEntry)

/**
 * A log of events that outlives the process, for example `FileJournal` of `@spillway/file`, `SqliteJournal` of
 * `@spillway/sqlite`, or `PostgresJournal` of `@spillway/postgres`.
 */
export interface EventJournal {
  /** Append an event. The offloader does not wait for the journal. If appending fails, it warns once. */
  append(event: JournalEvent): void | Promise<void>
  /** Yield events as appended. `since` leaves out events before it, in milliseconds since the epoch. */
  read(since?: number): AsyncIterable<JournalEvent>
  /** Write pending events and release the file. */
  close?(): Promise<void>
}

const TYPES: ReadonlySet<unknown> = new Set<JournalEvent['type']>(['offload', 'retrieval', 'eviction'])

/** Parse an event. Returns `undefined` for an incomplete record, and for a type of a later version. */
export function parseJournalEvent(text: string): JournalEvent | undefined {
  const event = Object(parseJsonText(text)) as Partial<JournalEvent>
  return TYPES.has(event.type) && typeof event.time === 'number' ? (event as JournalEvent) : undefined
}
