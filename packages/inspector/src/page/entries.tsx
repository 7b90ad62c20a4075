import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, messageOf, remove, type EntryPage, type EntryRow, type InspectorInfo } from './api.ts'
import { formatBytes, formatCount, formatTime } from './format.tsx'
import { go, hrefOf, type Place, type EntryName } from './place.ts'
import { VirtualList } from './virtual-list.tsx'

const ROW_HEIGHT = 28
const PAGE = 100
const REFRESH_MS = 2_000
const TYPING_MS = 200

interface Column {
  readonly name: keyof EntryRow
  readonly title: string
  readonly isNumber?: boolean
  readonly cell: (row: EntryRow) => string
}

const COLUMNS: readonly Column[] = [
  { name: 'reference', title: 'Reference', cell: ({ reference }) => reference },
  { name: 'tool', title: 'Tool', cell: ({ tool }) => tool },
  { name: 'contentType', title: 'Type', cell: ({ contentType }) => contentType },
  { name: 'size', title: 'Size', isNumber: true, cell: ({ size }) => formatBytes(size) },
  { name: 'lines', title: 'Lines', isNumber: true, cell: ({ lines }) => formatCount(lines) },
  { name: 'tokens', title: 'Tokens', isNumber: true, cell: ({ tokens }) => formatCount(tokens) },
  {
    name: 'state',
    title: 'State',
    cell: ({ state, reason, lastUsedAt }) =>
      state === 'evicted' ? `evicted (${reason}) ${formatTime(lastUsedAt)}` : state,
  },
  { name: 'storedAt', title: 'Stored', cell: ({ storedAt }) => formatTime(storedAt) },
  { name: 'lastUsedAt', title: 'Last used', cell: ({ lastUsedAt }) => formatTime(lastUsedAt) },
  { name: 'expiresAt', title: 'Expires', cell: ({ expiresAt }) => formatTime(expiresAt) },
  { name: 'scope', title: 'Scope', cell: ({ scopeTitle }) => scopeTitle },
]
const TIMES: readonly (readonly [title: string, milliseconds: number])[] = [
  ['any time', 0],
  ['last hour', 3_600_000],
  ['last day', 86_400_000],
  ['last week', 604_800_000],
]

const FIRST_FILTER = {
  text: '',
  tool: '',
  type: '',
  scope: '',
  age: 0,
  sort: 'storedAt' as keyof EntryRow,
  order: 'descending' as 'ascending' | 'descending',
}

type Filter = Readonly<typeof FIRST_FILTER>

/** The list of entries. The server sorts it, and the page refreshes it while it is open. */
export function Entries({ info, place }: { readonly info: InspectorInfo; readonly place: Place }): VNode {
  const [filter, setFilter] = useState(FIRST_FILTER)
  const [page, setPage] = useState<EntryPage>()
  const [error, setError] = useState('')
  const [cursor, setCursor] = useState({ row: 0 })
  // Keys may be pressed faster than the page is rendered, so the row is kept in a ref.
  const cursorRow = useRef(0)
  const moveTo = (row: number): void => setCursor({ row: (cursorRow.current = row) })
  const [, setLoads] = useState(0)
  const rows = useRef({ view: '', loaded: new Map<number, EntryRow>(), asked: new Set<number>() })

  const load = async (): Promise<void> => {
    const { age, ...query } = filter
    // The start of the period is rounded to minutes, so that the same query gets the same list.
    const since = age === 0 ? undefined : Math.floor((Date.now() - age) / 60_000) * 60_000
    try {
      const next = await ask<EntryPage>('entries', { ...query, since, limit: PAGE })
      if (next.view !== rows.current.view) {
        rows.current = { view: next.view, loaded: new Map(), asked: new Set([0]) }
        for (const [index, row] of next.entries.entries()) rows.current.loaded.set(index, row)
        setPage(next)
      }
      setError('')
    } catch (failure) {
      setError(messageOf(failure))
    }
  }
  useEffect(() => {
    const typing = setTimeout(() => void load(), filter.text === '' ? 0 : TYPING_MS)
    const timer = setInterval(() => void load(), REFRESH_MS)
    return () => {
      clearTimeout(typing)
      clearInterval(timer)
    }
  }, [filter])

  const onRows = (first: number, last: number): void => {
    const { view, loaded, asked } = rows.current
    for (let at = Math.floor(first / PAGE); at <= Math.floor(last / PAGE); at++) {
      if (asked.has(at)) continue
      asked.add(at)
      const part = ask<EntryPage>('entries', { cursor: view, offset: at * PAGE, limit: PAGE })
      void part.then(
        ({ entries }) => {
          for (const [index, row] of entries.entries()) loaded.set(at * PAGE + index, row)
          setLoads((count) => count + 1)
        },
        (failure: unknown) => {
          asked.delete(at)
          setError(messageOf(failure))
        },
      )
    }
  }

  const total = page?.total ?? 0
  const open = (index: number): void => {
    const row = rows.current.loaded.get(index)
    if (row !== undefined && row.state !== 'evicted') go({ view: 'entries', entry: nameOf(row), tab: place.tab })
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return
      const step = { j: 1, k: -1 }[event.key]
      if (step !== undefined) moveTo(Math.max(0, Math.min(total - 1, cursorRow.current + step)))
      else if (event.key === 'Enter' && !(event.target as Element).matches('a, button')) open(cursorRow.current)
      else if (event.key === '/') {
        event.preventDefault()
        document.querySelector<HTMLInputElement>('#filter')?.focus()
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [total, place.tab])

  const clear = async (): Promise<void> => {
    const where = page?.scopes[filter.scope] ?? 'the shown scope'
    const all = await ask<EntryPage>('entries', { scope: filter.scope, limit: 1 })
    if (!confirm(`Remove ${countOf(all.total)} (${formatBytes(all.bytes)}) of ${where}, and of those below it?`)) return
    await remove('entries', { scope: filter.scope })
    await load()
  }
  const row = (index: number): VNode => {
    const entry = rows.current.loaded.get(index)
    const isCurrent = entry !== undefined && entry.reference === place.entry?.reference
    const classes = `row ${index === cursor.row ? 'cursor' : ''} ${isCurrent ? 'current' : ''} ${entry?.state ?? ''}`
    return (
      <div key={index} role="row" aria-rowindex={index + 2} class={classes} onClick={() => moveTo(index)}>
        {COLUMNS.map(({ name, isNumber, cell }) => (
          <span key={name} role="cell" class={`${name} ${isNumber === true ? 'number' : ''}`}>
            {entry === undefined ? (
              ''
            ) : name === 'reference' && entry.state !== 'evicted' ? (
              <a href={hrefOf({ view: 'entries', entry: nameOf(entry), tab: place.tab })}>{cell(entry)}</a>
            ) : (
              cell(entry)
            )}
          </span>
        ))}
      </div>
    )
  }
  return (
    <section class="entries" aria-label="Entries">
      <FilterBar filter={filter} page={page} onFilter={setFilter} />
      <p class="summary" role="status">
        {error === '' ? `${countOf(total)}, ${formatBytes(page?.bytes ?? 0)}` : error}
        {info.allowDelete && total > 0 && (
          <button class="danger" onClick={() => void clear()}>
            Clear…
          </button>
        )}
      </p>
      <div class="table" role="table" aria-label="Entries" aria-rowcount={total + 1}>
        <div role="rowgroup">
          <div role="row" class="row header" aria-rowindex={1}>
            {COLUMNS.map(({ name, title }) => (
              <span
                key={name}
                role="columnheader"
                class={name}
                aria-sort={filter.sort === name ? filter.order : 'none'}
              >
                <button onClick={() => setFilter(sortedBy(filter, name))}>
                  {title}
                  {filter.sort === name ? (filter.order === 'ascending' ? ' ▲' : ' ▼') : ''}
                </button>
              </span>
            ))}
          </div>
        </div>
        <VirtualList
          count={total}
          rowHeight={ROW_HEIGHT}
          label="Entries"
          role="rowgroup"
          target={cursor}
          version={page?.view}
          row={row}
          onRows={onRows}
        />
      </div>
    </section>
  )
}

const countOf = (count: number): string => `${formatCount(count)} ${count === 1 ? 'entry' : 'entries'}`

const nameOf = ({ reference, scope }: EntryRow): EntryName => ({ reference, scope })

/** Whether a key press goes into an input field. */
export const isTyping = ({ target }: Event): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select')

function sortedBy(filter: Filter, sort: keyof EntryRow): Filter {
  const isReversed = filter.sort === sort && filter.order === 'descending'
  return { ...filter, sort, order: isReversed ? 'ascending' : 'descending' }
}

interface FilterBarProps {
  readonly filter: Filter
  readonly page: EntryPage | undefined
  readonly onFilter: (filter: Filter) => void
}

function FilterBar({ filter, page, onFilter }: FilterBarProps): VNode {
  const choice = (name: 'tool' | 'type' | 'scope', values: readonly string[] = [], titles = values): VNode => (
    <select
      aria-label={name}
      value={filter[name]}
      onChange={({ currentTarget }) => onFilter({ ...filter, [name]: currentTarget.value })}
    >
      <option value="">any {name}</option>
      {values.map((value, at) => (
        <option key={value} value={value}>
          {titles[at]}
        </option>
      ))}
    </select>
  )
  return (
    <div class="bar">
      <input
        id="filter"
        type="search"
        placeholder="Filter ( / )"
        aria-label="Filter"
        value={filter.text}
        onInput={({ currentTarget }) => onFilter({ ...filter, text: currentTarget.value })}
      />
      {choice('tool', page?.tools)}
      {choice('type', page?.types)}
      {choice('scope', Object.keys(page?.scopes ?? {}), Object.values(page?.scopes ?? {}))}
      <select
        aria-label="time"
        value={filter.age}
        onChange={({ currentTarget }) => onFilter({ ...filter, age: Number(currentTarget.value) })}
      >
        {TIMES.map(([title, age]) => (
          <option key={age} value={age}>
            {title}
          </option>
        ))}
      </select>
    </div>
  )
}
