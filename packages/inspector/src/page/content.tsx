import type { RetrievedTable } from '@spillway/core'
import { createAnsiSequenceParser, type Color, type ParseToken } from 'ansi-sequence-parser'
import type { VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { apiUrl, ask, messageOf, post, useLoaded, type EntryInfo } from './api.ts'
import { Table, Waiting } from './format.tsx'
import { JsonTree } from './json-tree.tsx'
import { LineReader, type LineBlocks, type ReadLine } from './line-reader.ts'
import { go, hrefOf, type EntryName } from './place.ts'
import { VirtualList } from './virtual-list.tsx'

const ROW_HEIGHT = 20
const FOLLOW_MS = 1_000
/** Size limit of JSON that the page parses. */
const MAX_TREE_BYTES = 4_194_304
const SHOWN_CHARACTERS = 2_000
/** Image types that browsers can show, and that cannot contain scripts or links. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/
const TABLE = /\b(?:csv|tab-separated-values)\b/

type View = 'lines' | 'tree' | 'table' | 'image'

export interface ContentProps {
  readonly entry: EntryName
  readonly info: EntryInfo
  readonly line?: number | undefined
}

/** The content of an entry, in the views that its type allows. */
export function Content({ entry, info, line }: ContentProps): VNode {
  const type = info.contentType.split(';')[0]!.trim()
  const isJson = /\bjson\b/.test(type) && info.size <= MAX_TREE_BYTES
  const views: View[] = IMAGE.test(type) ? ['image', 'lines'] : isJson ? ['lines', 'tree', 'table'] : ['lines', 'table']
  const [view, setView] = useState<View>(views[0]!)
  const [wraps, setWraps] = useState(false)
  return (
    <>
      <div class="bar">
        {views.map((one) => (
          <button key={one} aria-pressed={one === view} onClick={() => setView(one)}>
            {one}
          </button>
        ))}
        {view === 'lines' && (
          <>
            <label>
              <input type="checkbox" checked={wraps} onChange={() => setWraps(!wraps)} /> wrap
            </label>
            <GoToLine entry={entry} />
          </>
        )}
        {info.state === 'open' && <span class="badge">follows while it is written</span>}
      </div>
      {view === 'lines' && <Lines entry={entry} info={info} line={line} isWrapped={wraps} />}
      {view === 'tree' && <Tree entry={entry} />}
      {view === 'table' && <SqlTable entry={entry} isTable={TABLE.test(type)} />}
      {view === 'image' && (
        <div class="scroll">
          <img src={apiUrl('content', { ...entry })} alt={`Stored image, ${type}`} />
        </div>
      )}
    </>
  )
}

function GoToLine({ entry }: { readonly entry: EntryName }): VNode {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const line = Number(new FormData(event.target as HTMLFormElement).get('line'))
    if (line > 0) go({ view: 'entries', entry, tab: 'content', line })
  }
  return (
    <form onSubmit={submit}>
      <label>
        line <input name="line" type="number" min="1" />
      </label>
    </form>
  )
}

async function readBytes(entry: EntryName, start: number, end: number): Promise<Uint8Array> {
  if (end <= start) return new Uint8Array()
  const response = await fetch(apiUrl('content', { ...entry }), {
    headers: { range: `bytes=${start}-${end - 1}` },
    // An entry that is still written changes, so its parts must not come from the cache.
    cache: 'no-store',
  })
  if (!response.ok) throw new Error(`The content could not be read (${response.status}).`)
  return new Uint8Array(await response.arrayBuffer())
}

interface LinesProps extends ContentProps {
  readonly isWrapped?: boolean
  /** Lines that a preview shows; all others are marked as hidden. */
  readonly shown?: ReadonlySet<number> | undefined
}

/** The numbered lines of an entry of any size. */
export function Lines({ entry, info, line, isWrapped = false, shown }: LinesProps): VNode {
  const [reader, setReader] = useState<LineReader>()
  const [error, setError] = useState('')
  const [, setLoads] = useState(0)
  const latest = useRef<LineReader>(undefined)
  const isOpen = info.state === 'open'
  const follows = useRef(isOpen)
  useEffect(() => {
    let isCurrent = true
    const load = async (): Promise<void> => {
      try {
        const blocks = await ask<LineBlocks>('lines', { ...entry })
        if (!isCurrent) return
        latest.current = new LineReader(blocks, (start, end) => readBytes(entry, start, end))
        setReader(latest.current)
      } catch (failure) {
        if (isCurrent) setError(messageOf(failure))
      }
    }
    void load()
    const timer = isOpen ? setInterval(() => void load(), FOLLOW_MS) : undefined
    return () => {
      isCurrent = false
      clearInterval(timer)
    }
  }, [entry.reference, entry.scope, isOpen])
  const target = useMemo(() => {
    if (reader === undefined) return undefined
    if (line !== undefined) return { row: reader.rowOf(line) }
    return follows.current ? { row: reader.rows - 1 } : undefined
  }, [line, reader === undefined, follows.current && reader])
  if (error !== '' || reader === undefined) return <Waiting error={error} />
  const isDiff = /\b(?:diff|patch)\b/.test(info.contentType)
  const onRows = (first: number, last: number): void => {
    const load = async (): Promise<void> => {
      try {
        await reader.load(first, last)
        if (latest.current === reader) setLoads((count) => count + 1)
      } catch (failure) {
        setError(messageOf(failure))
      }
    }
    void load()
  }
  const digits = String(reader.hasLines ? reader.rows : info.size).length
  const row = (index: number): VNode => {
    const read = reader.row(index)
    const number = read?.number ?? index + 1
    const isHidden = shown !== undefined && !shown.has(number)
    const kind = isDiff && read !== undefined ? diffClass(read.text) : ''
    const state = `${number === line ? 'target' : ''} ${isHidden ? 'hidden-line' : ''} ${kind}`
    return (
      <div key={index} class={`line ${state}`}>
        <a
          class="number"
          style={{ minWidth: `${digits + 2}ch` }}
          href={hrefOf({ view: 'entries', entry, tab: 'content', line: number })}
          aria-label={`Line ${number}${isHidden ? ', hidden by the preview' : ''}`}
        >
          {shown === undefined ? '' : isHidden ? '· ' : '▸ '}
          {number}
        </a>
        <code>{read === undefined ? '' : <LineText line={read} isWhole={isWrapped} />}</code>
      </div>
    )
  }
  return (
    <VirtualList
      count={reader.rows}
      rowHeight={ROW_HEIGHT}
      label="Lines of the content"
      isWrapped={isWrapped}
      target={target}
      version={reader}
      row={row}
      onRows={onRows}
    />
  )
}

function diffClass(text: string): string {
  if (text.startsWith('@@')) return 'hunk'
  if (text.startsWith('+') && !text.startsWith('+++')) return 'added'
  return text.startsWith('-') && !text.startsWith('---') ? 'removed' : ''
}

/** A line with its ANSI colors, as text nodes only. Other control characters are made visible. */
function LineText({ line: { text, isCut }, isWhole }: { readonly line: ReadLine; readonly isWhole: boolean }): VNode {
  const shown = isWhole ? text : text.slice(0, SHOWN_CHARACTERS)
  const rest = isCut || shown.length < text.length ? <em> … this line continues</em> : null
  if (!shown.includes('\u001B')) return <>{[visible(shown), rest]}</>
  const tokens = createAnsiSequenceParser().parse(shown)
  return (
    <>
      {tokens.map((token, index) => (
        <span key={index} class={classOf(token)}>
          {visible(token.value)}
        </span>
      ))}
      {rest}
    </>
  )
}

/** Replace control characters by pictures, and bidirectional controls, which could reorder the text of the page. */
const visible = (text: string): string =>
  text
    .replace(/[\u0000-\u0008\u000B-\u001F]/g, (character) => String.fromCharCode(0x2400 + character.charCodeAt(0)))
    .replace(/[\u007F\u202A-\u202E\u2066-\u2069]/g, '\uFFFD')

/** Return the class of a text. Other colors become the nearest of the 16 named ones, which suit both themes. */
function classOf({ foreground, background, decorations }: ParseToken): string {
  const names = [...decorations].map((decoration) => `ansi-${decoration}`)
  if (foreground !== null) names.push(`ansi-${nameOf(foreground)}`)
  if (background !== null) names.push('ansi-marked')
  return names.join(' ')
}

const HUES = ['red', 'yellow', 'green', 'cyan', 'blue', 'magenta'] as const
const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

function nameOf(color: Color): string {
  if (color.type === 'named') return color.name.replace(/^bright(\w)/, (_, first: string) => first.toLowerCase())
  if (color.type === 'table' && color.index < 16) return NAMES[color.index % 8]!
  if (color.type === 'table' && color.index >= 232) return 'white'
  const cube = color.type === 'table' ? color.index - 16 : 0
  const [r, g, b] = color.type === 'rgb' ? color.rgb : [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6]
  const [high, low] = [Math.max(r, g, b), Math.min(r, g, b)]
  if (high === low) return 'white'
  const hue = high === r ? (g - b) / (high - low) : high === g ? 2 + (b - r) / (high - low) : 4 + (r - g) / (high - low)
  return HUES[(Math.round(hue) + 6) % 6]!
}

function Tree({ entry }: { readonly entry: EntryName }): VNode {
  const load = async (): Promise<{ readonly value: unknown }> => {
    const bytes = await readBytes(entry, 0, MAX_TREE_BYTES)
    return { value: JSON.parse(new TextDecoder().decode(bytes)) as unknown }
  }
  const { answer, error } = useLoaded(load, [entry.reference, entry.scope])
  return answer === undefined ? <Waiting error={error} /> : <JsonTree value={answer.value} />
}

const MAX_GRID_TOKENS = 20_000

interface SqlAnswer {
  readonly text: string
  /** Absent after an error, and if not all rows fit. */
  readonly table?: RetrievedTable
}

/** Rows of a table that an SQL statement selects, as the retrieval tool returns them. */
function SqlTable({ entry, isTable }: { readonly entry: EntryName; readonly isTable: boolean }): VNode {
  const [sql, setSql] = useState('SELECT * FROM t LIMIT 100')
  const [answer, setAnswer] = useState<SqlAnswer>()
  const run = async (): Promise<void> => {
    const input = { reference: entry.reference, sql }
    const given = post<SqlAnswer>('retrieve', { scope: entry.scope, tokens: MAX_GRID_TOKENS }, input)
    setAnswer(await given.catch((error: unknown) => ({ text: messageOf(error) })))
  }
  useEffect(() => {
    if (isTable) void run()
  }, [])
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    void run()
  }
  const { text, table } = answer ?? {}
  return (
    <div class="scroll">
      <form class="bar" onSubmit={submit}>
        <label class="wide">
          SQL <input value={sql} onInput={({ currentTarget }) => setSql(currentTarget.value)} spellcheck={false} />
        </label>
        <button>Run</button>
      </form>
      {table === undefined ? (
        <pre>{text}</pre>
      ) : (
        <Table columns={table.columns} rows={table.rows.map((row) => row.map((cell) => cell ?? ''))} />
      )}
    </div>
  )
}
