import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { apiUrl, ask, messageOf, post, remove, useLoaded, type EntryInfo, type InspectorInfo } from './api.ts'
import { Content } from './content.tsx'
import { formatBytes, formatCount, formatTime, Table, Waiting } from './format.tsx'
import { go, hrefOf, TABS, type Place, type EntryName } from './place.ts'
import { Preview } from './preview.tsx'

const FOLLOW_MS = 1_000

interface EntryProps {
  readonly entry: EntryName
  readonly place: Place
  readonly info: InspectorInfo
}

/** One entry: its description, and tabs with its content and what a model sees. */
export function Entry({ entry, place, info: { allowDelete, hasJournal } }: EntryProps): VNode {
  const [info, setInfo] = useState<EntryInfo>()
  const [error, setError] = useState('')
  const isOpen = info?.state === 'open'
  useEffect(() => {
    const load = (): void =>
      void ask<EntryInfo>('entry', { ...entry }).then(setInfo, (failure: unknown) => setError(messageOf(failure)))
    load()
    const timer = isOpen ? setInterval(load, FOLLOW_MS) : undefined
    return () => clearInterval(timer)
  }, [isOpen])
  if (error !== '' || info === undefined) return <Waiting error={error} />
  const erase = async (): Promise<void> => {
    if (!confirm(`Remove 1 entry (${formatBytes(info.size)}), ${entry.reference}?`)) return
    await remove('entry', { ...entry }).then(close, (failure: unknown) => setError(messageOf(failure)))
  }
  const tabs = hasJournal ? TABS : TABS.filter((tab) => tab !== 'history')
  const facts = [
    info.contentType,
    formatBytes(info.size),
    ...(info.state === 'complete' ? [] : [info.state]),
    `stored ${formatTime(info.storedAt)}`,
    `used ${formatTime(info.lastUsedAt)}`,
    ...(info.expiresAt === undefined ? [] : [`expires ${formatTime(info.expiresAt)}`]),
    ...Object.entries(info.metadata).map(([name, value]) => `${name}: ${value}`),
  ]
  return (
    <>
      <header class="bar">
        <h2>{entry.reference}</h2>
        <a class="button" href={apiUrl('content', { ...entry })} download={entry.reference}>
          Download
        </a>
        {allowDelete && (
          <button class="danger" onClick={() => void erase()}>
            Remove…
          </button>
        )}
        <button aria-label="Close the entry" onClick={close}>
          ✕
        </button>
      </header>
      <p class="facts">
        <span>{info.key}</span>
        {facts.map((fact, index) => (
          <span key={index}>{fact}</span>
        ))}
      </p>
      <nav class="bar tabs" aria-label="Views of the entry">
        {tabs.map((tab) => (
          <a
            key={tab}
            href={hrefOf({ view: 'entries', entry, tab })}
            aria-current={tab === place.tab ? 'page' : undefined}
          >
            {tab}
          </a>
        ))}
      </nav>
      {place.tab === 'preview' && <Preview entry={entry} info={info} line={place.line} />}
      {place.tab === 'content' && <Content entry={entry} info={info} line={place.line} />}
      {place.tab === 'search' && <Search entry={entry} />}
      {place.tab === 'history' && <History entry={entry} />}
    </>
  )
}

const close = (): void => go({ view: 'entries', tab: 'preview' })

const MODES = ['pattern', 'line_range', 'json_path', 'sql', 'query'] as const
type Mode = (typeof MODES)[number]
const PLACEHOLDERS: Readonly<Record<Mode, string>> = {
  pattern: 'ERROR|failed',
  line_range: '10-40',
  json_path: '$.items[*].id',
  sql: 'SELECT * FROM t LIMIT 10',
  query: 'words that the passage has',
}

interface SearchAnswer {
  readonly text: string
  readonly tokens: number
  readonly isError: boolean
  readonly command?: string
  readonly input: object
}

/** A form for a call of the retrieval tool, with the exact answer that a model would get. */
function Search({ entry }: { readonly entry: EntryName }): VNode {
  const [answer, setAnswer] = useState<SearchAnswer>()
  const [mode, setMode] = useState<Mode>('pattern')
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const form = new FormData(event.target as HTMLFormElement)
    const field = (name: string): string => {
      const given = form.get(name)
      return typeof given === 'string' ? given : ''
    }
    const [, start = '1', end = start] = /^(\d+)(?:\D+(\d+))?/.exec(field('value')) ?? []
    const value = mode === 'line_range' ? { start: Number(start), end: Number(end) } : field('value')
    const context = field('context') === '' ? {} : { context_lines: Number(field('context')) }
    const input = {
      reference: entry.reference,
      ...(value !== '' && { [mode]: value }),
      ...(mode === 'pattern' && { ...context, ...(form.has('ignore') && { ignore_case: true }) }),
    }
    const call = post<SearchAnswer>('retrieve', { scope: entry.scope, tokens: field('tokens') }, input)
    void call
      .catch((error: unknown) => ({ text: messageOf(error), tokens: 0, isError: true }))
      .then((given) => setAnswer({ ...given, input }))
  }
  return (
    <div class="scroll">
      <form class="bar" onSubmit={submit}>
        <select
          aria-label="Kind of search"
          value={mode}
          onChange={({ currentTarget }) => setMode(currentTarget.value as Mode)}
        >
          {MODES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <input class="wide" name="value" aria-label={mode} placeholder={PLACEHOLDERS[mode]} spellcheck={false} />
        {mode === 'pattern' && (
          <>
            <label>
              <input type="checkbox" name="ignore" /> ignore case
            </label>
            <label>
              context <input type="number" name="context" min="0" max="100" placeholder="5" />
            </label>
          </>
        )}
        <label>
          limit <input type="number" name="tokens" min="1" max="100000" value="2500" /> tokens
        </label>
        <button>Search</button>
      </form>
      {answer !== undefined && (
        <>
          <p role="status">
            The model would get {formatCount(answer.tokens)} tokens{answer.isError ? ', as an error' : ''}.
          </p>
          <Copyable label="Call" text={`retrieve_offloaded_content ${JSON.stringify(answer.input)}`} />
          {answer.command !== undefined && <Copyable label="Command" text={answer.command} />}
          <pre class="answer">{answer.text}</pre>
        </>
      )}
    </div>
  )
}

function Copyable({ label, text }: { readonly label: string; readonly text: string }): VNode {
  return (
    <p class="copyable">
      <span>{label}</span> <code>{text}</code>{' '}
      <button
        class="copy"
        aria-label={`Copy the ${label.toLowerCase()}`}
        onClick={() => void navigator.clipboard.writeText(text)}
      >
        Copy
      </button>
    </p>
  )
}

interface PastRetrieval {
  readonly time: number
  readonly mode: string
  readonly tokens: number
  readonly error?: string
}

/** The retrievals of an entry in the journal. */
function History({ entry }: { readonly entry: EntryName }): VNode {
  const { answer, error } = useLoaded(() => ask<{ retrievals: PastRetrieval[] }>('history', { ...entry }))
  if (answer === undefined) return <Waiting error={error} />
  const { retrievals } = answer
  if (retrievals.length === 0) return <p>Nothing was retrieved from this entry.</p>
  return (
    <div class="scroll">
      <Table
        columns={['Time', 'Call', 'Tokens', 'Outcome']}
        rows={retrievals.map(({ time, mode, tokens, error: outcome = 'answered' }) => [
          formatTime(time),
          mode,
          tokens,
          outcome,
        ])}
      />
    </div>
  )
}
