import { ContextOffloader, type EventJournal, type JournalEvent, type Storage } from '@spillway/core'
import { createInspector, type InspectorOptions } from '@spillway/inspector'
import { serve } from '@spillway/server/node'
import { onTestFinished } from 'vitest'

/** An inspector for a test. */
export interface Served {
  /** The URL of the page with its token. */
  readonly url: string
  /** The URL of the page without the token. */
  readonly page: string
  /** Send a request to an endpoint, as the page does. */
  ask<Answer>(path: string, body?: unknown): Promise<Answer>
  /** Send any request with the cookie of the page. */
  send(path: string, init?: SentRequest): Promise<Response>
}

interface SentRequest extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>
}

/** A journal in memory. */
export class ListJournal implements EventJournal {
  readonly events: JournalEvent[] = []

  append(event: JournalEvent): void {
    this.events.push(event)
  }

  async *read(since = 0): AsyncGenerator<JournalEvent> {
    for (const event of this.events) if (event.time >= since) yield event
  }
}

/** Serve an inspector until the test ends. */
export async function serveInspector(options: InspectorOptions): Promise<Served> {
  const inspector = createInspector(options)
  const service = await serve(new ContextOffloader({ storage: options.storage }), { port: 0, mount: inspector })
  onTestFinished(() => service.close({ graceMs: 1 }))
  const url = inspector.url(service.url)
  const page = service.url + inspector.path
  const opened = await fetch(url, { redirect: 'manual' })
  const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
  const send: Served['send'] = (path, init = {}) =>
    fetch(page + path, { ...init, headers: { cookie, 'x-spillway-inspector': '1', ...init.headers } })
  return {
    url,
    page,
    send,
    async ask<Answer>(path: string, body?: unknown): Promise<Answer> {
      const headers = { 'content-type': 'application/json' }
      const response = await send(
        path,
        body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) },
      )
      return (await response.json()) as Answer
    },
  }
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const WORDS: Readonly<Record<number, string>> = { 1_500: 'FAILED', 2_222: 'zanzibar' }

/** Return text with the lines `line 1` to `line <count>`. */
export const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1} ${WORDS[index + 1] ?? 'ok'}\n`).join('')

/** Offload a result of a tool, and return its reference. */
export async function offload(
  storage: Storage,
  text: string,
  { journal, toolName = 'read_log' }: { readonly journal?: EventJournal; readonly toolName?: string } = {},
): Promise<{ readonly reference: string; readonly offloader: ContextOffloader; readonly replacement: string }> {
  const offloader = new ContextOffloader({ storage, journal })
  const outcome = await offloader.offload({ toolName, toolCallId: toolName, content: [{ type: 'text', text }] })
  const [block] = outcome.content
  const [stored] = outcome.status === 'offloaded' ? outcome.stored : []
  if (stored === undefined || block?.type !== 'text') throw new Error('The result was not offloaded.')
  return { reference: stored.reference, offloader, replacement: block.text }
}
