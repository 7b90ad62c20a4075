import assert from 'node:assert/strict'
import { testPreviewers } from '@spillway-internal/test-run/test-previewers'
import {
  ContextOffloader,
  type ContextOffloaderOptions,
  type OffloadEvent,
  StorageError,
  type StoredContent,
} from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'

/** The session of conversations that need only one session. */
export const SESSION = 'session-1'

/** An offloader, with access to its events and its storage. */
export interface Bench {
  readonly offloader: ContextOffloader
  /** All events so far. */
  readonly events: readonly OffloadEvent[]
  /** Read the stored content of a reference in a session. */
  readonly stored: (reference: string, session?: string) => Promise<StoredContent>
  /** Read the stored text of a reference in a session. */
  readonly storedText: (reference: string, session?: string) => Promise<string>
  /** List the references of a session. */
  readonly references: (session?: string) => Promise<string[]>
}

/** Create an offloader, by default with a new storage in memory. */
export function createBench(options: Partial<ContextOffloaderOptions> = {}): Bench {
  const events: OffloadEvent[] = []
  const offloader = new ContextOffloader({
    storage: new InMemoryStorage(),
    previewers: testPreviewers,
    ...options,
    onEvent: (event) => void events.push(event),
  })
  const storageOf = (session: string): ContextOffloader['options']['storage'] =>
    offloader.forScope(session).options.storage
  const stored = async (reference: string, session = SESSION): Promise<StoredContent> => {
    try {
      return await storageOf(session).retrieve(reference)
    } catch (error) {
      if (!StorageError.isInstance(error)) throw error
      const where = `in the scope of session ${JSON.stringify(session)}`
      return assert.fail(`Nothing can be read under reference ${JSON.stringify(reference)} ${where}: ${error.message}`)
    }
  }
  return {
    offloader,
    events,
    stored,
    async storedText(reference, session) {
      const { content } = await stored(reference, session)
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(content)
    },
    async references(session = SESSION) {
      const references: string[] = []
      for await (const { reference } of storageOf(session).list?.() ?? []) references.push(reference)
      return references
    },
  }
}
