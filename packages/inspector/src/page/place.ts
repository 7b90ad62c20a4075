import { useEffect, useState } from 'preact/hooks'

export interface EntryName {
  readonly scope: string
  readonly reference: string
}

export const TABS = ['preview', 'content', 'search', 'history'] as const
export type Tab = (typeof TABS)[number]

/** The view in the URL: the list or the totals, and an entry with its tab and line. */
export interface Place {
  readonly view: 'entries' | 'meter'
  readonly entry?: EntryName | undefined
  readonly tab: Tab
  readonly line?: number | undefined
}

export function readPlace(hash: string): Place {
  const query = new URLSearchParams(hash.replace(/^#/, ''))
  const reference = query.get('entry')
  const line = Number(query.get('line') ?? 0)
  return {
    view: query.get('view') === 'meter' ? 'meter' : 'entries',
    entry: reference === null ? undefined : { reference, scope: query.get('scope') ?? '' },
    tab: TABS.find((tab) => tab === query.get('tab')) ?? 'preview',
    line: Number.isSafeInteger(line) && line > 0 ? line : undefined,
  }
}

export function hrefOf({ view, entry, tab, line }: Place): string {
  const query = new URLSearchParams()
  if (view === 'meter') query.set('view', view)
  if (entry !== undefined) {
    query.set('entry', entry.reference)
    if (entry.scope !== '') query.set('scope', entry.scope)
    query.set('tab', tab)
    if (line !== undefined) query.set('line', String(line))
  }
  return `#${query.toString()}`
}

export function usePlace(): Place {
  const [place, setPlace] = useState(() => readPlace(location.hash))
  useEffect(() => {
    const read = (): void => setPlace(readPlace(location.hash))
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])
  return place
}

export const go = (place: Place): void => void (location.hash = hrefOf(place))
