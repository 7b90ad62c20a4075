import { useEffect, useState } from 'preact/hooks'
import type { EntryPage, EntryRow } from '../entry-snapshot.ts'
import type { MeterReport } from '../journal-report.ts'

export type { EntryPage, EntryRow, MeterReport }

/** Description of an entry, as the HTTP service sends it. */
export interface EntryInfo {
  readonly key: string
  readonly contentType: string
  readonly size: number
  readonly state: string
  readonly storedAt: string
  readonly lastUsedAt: string
  readonly expiresAt?: string
  readonly metadata: Readonly<Record<string, string>>
}

export interface InspectorInfo {
  readonly allowDelete: boolean
  readonly hasJournal: boolean
  readonly scope: readonly string[]
}

type Parameters = Readonly<Record<string, string | number | undefined>>

/** Return the URL of an endpoint, relative to the URL of the page. */
export function apiUrl(path: string, parameters: Parameters = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') query.set(name, String(value))
  return `api/${path}?${query.toString()}`
}

/** Send a request to the inspector. Rejects with an `Error` that has the message of the response. */
export async function ask<Answer>(path: string, parameters: Parameters = {}, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(apiUrl(path, parameters), init)
  const answer = (await response.json()) as Answer & { readonly error?: { readonly message: string } }
  if (answer.error !== undefined) throw new Error(answer.error.message)
  return answer
}

/** Send a JSON request. A header proves that the request comes from this page. */
export function post<Answer>(
  path: string,
  parameters: Parameters,
  body: unknown,
  signal: AbortSignal | null = null,
): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'x-spillway-inspector': '1' }
  return ask(path, parameters, { method: 'POST', headers, body: JSON.stringify(body), signal })
}

export function remove(path: 'entry' | 'entries', parameters: Parameters): Promise<{ readonly removed: number }> {
  return ask(path, parameters, { method: 'DELETE', headers: { 'x-spillway-inspector': '1' } })
}

/** The state of a request: neither property while it runs. */
export interface Loaded<Answer> {
  readonly answer?: Answer
  readonly error?: string
}

/** Load an answer when the part of the page appears, and again when an input changes. */
export function useLoaded<Answer>(load: () => Promise<Answer>, inputs: readonly unknown[] = []): Loaded<Answer> {
  const [loaded, setLoaded] = useState<Loaded<Answer>>({})
  useEffect(() => {
    void load().then(
      (answer) => setLoaded({ answer }),
      (error: unknown) => setLoaded({ error: messageOf(error) }),
    )
  }, inputs)
  return loaded
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
