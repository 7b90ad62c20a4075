import { parseJsonText, warn } from '@spillway/text/internal'
import type { EvictedEntry, Storage } from '../storage/storage.ts'
import { scopePathOf } from '../storage/entry-names.ts'
import { isMinted } from '../storage/reference.ts'

/**
 * One event of a journal, without content, arguments, patterns, or queries.
 *
 * `time` is in milliseconds since the epoch. `scope` has the encoded segments, joined by `/`. An empty text means no
 * scope. `preview` is the first block's previewer or media type. `reference` is absent if the call had no reference or
 * an unknown reference.
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
  /** Append an event. The offloader does not wait for the journal. If appending fails, a warning is printed once. */
  append(event: JournalEvent): void | Promise<void>
  /** Yield events in the order of appending. `since` leaves out earlier events, in milliseconds since the epoch. */
  read(since?: number): AsyncIterable<JournalEvent>
  /** Write pending events and release the file. */
  close?(): Promise<void>
}

const TYPES: ReadonlySet<unknown> = new Set<JournalEvent['type']>(['offload', 'retrieval', 'eviction'])

/** Parse events, except those before `since`, incomplete records, and types of a later version. */
export function* parseJournalEvents(records: readonly unknown[], since: number = -Infinity): Generator<JournalEvent> {
  for (const record of records) {
    const event = Object(parseJsonText(String(record))) as Partial<JournalEvent>
    if (TYPES.has(event.type) && typeof event.time === 'number' && event.time >= since) yield event as JournalEvent
  }
}

interface Recording {
  readonly journal?: EventJournal | undefined
  readonly storage: Storage
}

/** Append an event to the journal. Never throws. A failure is printed as a warning, once for each journal. */
export function recordEvent({ journal, storage }: Recording, event: NewJournalEvent): void {
  if (journal === undefined) return
  const time = Date.now()
  const add = (scope: string): Promise<void> => append(journal, { time, scope, ...event })
  const scope = scopePathOf(storage)
  // Append synchronously if possible, so that closing the journal waits for the event.
  void (typeof scope === 'string' ? add(scope) : scope.then(add))
}

/** A reference is left out if it does not exist, because a model could have written any text. */
export function recordRetrievalEvent(
  recording: Recording,
  answer: Extract<NewJournalEvent, { type: 'retrieval' }> & { readonly code?: string | undefined },
): void {
  const { type, mode, tokens, reference, code } = answer
  const isKnown = reference !== undefined && (code === undefined || isMinted(reference))
  recordEvent(recording, {
    type,
    mode,
    tokens,
    ...(isKnown && { reference }),
    ...(code !== undefined && { error: code }),
  })
}

const failed = new WeakSet<EventJournal>()

async function append(journal: EventJournal, event: JournalEvent): Promise<void> {
  try {
    await journal.append(event)
  } catch (error) {
    if (!failed.has(journal)) warn('The journal failed, so events are missing in it. Results are not affected.', error)
    failed.add(journal)
  }
}
