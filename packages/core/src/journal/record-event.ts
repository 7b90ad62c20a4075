import { warn } from '@spillway/text/internal'
import { isMinted, scopePathOf } from '../storage/reference.ts'
import type { Storage } from '../storage/storage.ts'
import type { EventJournal, JournalEvent, NewJournalEvent } from './event-journal.ts'

interface Recording {
  readonly journal?: EventJournal | undefined
  readonly storage: Storage
}

/** Append an event to the journal. It never throws. If that fails, a warning is printed, once for each journal. */
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
