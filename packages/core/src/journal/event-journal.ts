import type { EvictedEntry } from '../storage/storage.ts'

/**
 * One event of a journal. Events never contain content, arguments, patterns, or queries.
 *
 * `time` is in milliseconds since the epoch. `scope` is that of the storage as ids of entries have it: encoded segments joined
 * by `/`, or an empty string. `preview` is the name of the previewer, or the type of the media, of the first block. `mode` is
 * how a retrieval asked, such as `pattern`; its `reference` is absent if it named none, or a text that leads nowhere.
 */
export type JournalEvent = { readonly time: number; readonly scope: string } & NewJournalEvent

/** An event without its time and scope. */
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
      /** The code of the error, if there was one. */
      readonly error?: string | undefined
    }
  | ({ readonly type: 'eviction' } & EvictedEntry)

/**
 * Keeps events after the process has ended. `FileJournal` of `@spillway/file` and `SqliteJournal` of `@spillway/sqlite`
 * implement it.
 */
export interface EventJournal {
  /** Append an event. The offloader does not wait for it, and warns once if it fails. */
  append(event: JournalEvent): void | Promise<void>
  /** Yield events in the order in which they were appended, only those since a time in milliseconds if one is given. */
  read(since?: number): AsyncIterable<JournalEvent>
  /** Wait until all events are written, and release the file. */
  close?(): Promise<void>
}

const TYPES: ReadonlySet<unknown> = new Set<JournalEvent['type']>(['offload', 'retrieval', 'eviction'])

/** Parse an event. Returns `undefined` for a torn record, and for a type that only a later version knows. */
export function parseJournalEvent(text: string): JournalEvent | undefined {
  try {
    const event = Object(JSON.parse(text)) as Partial<JournalEvent>
    return TYPES.has(event.type) && typeof event.time === 'number' ? (event as JournalEvent) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
