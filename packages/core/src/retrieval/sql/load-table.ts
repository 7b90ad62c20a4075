import { formatCount, RecencyMap, yieldToOthers } from '@spillway/text/internal'
import { sqlEngine, type CellBatch, type SqlDatabase, type SqlLimits } from '@spillway/text/internal/engines'
import { jsonLayout, jsonPathsAt, JsonWalker, type JsonLayout, type JsonVisitor } from '@spillway/text/internal/json'
import { JsonRows, readTable, type RowReader, type TableRow, type TableSink } from '@spillway/text/internal/tables'
import type { ContentSource } from '../../content/content-source.ts'
import { WorkClock } from '../../search/work-clock.ts'
import type { Storage } from '../../storage/storage.ts'
import { readJsonPath } from '../json-path/json-shape.ts'
import { selectJson, type SelectedValue } from '../json-path/select-json.ts'
import { RetrievalError, type RetrievalContext } from '../retrieval-tool.ts'
import { oneLine, quote } from '../write-answer.ts'
import { namesBeside } from './names-beside.ts'

const MAX_COLUMNS = 2_000
const BATCH_BYTES = 1_048_576
const BATCH_CELLS = 131_072
const EMPTY_BATCH = 16_384
/** Largest number of cells in a batch. The count includes empty cells of rows before a new column. */
const MAX_BATCH_CELLS = 4_194_304
const MAX_ROWS = 5_000_000
const START_BYTES = 65_536
/** Bytes to read before the time is checked again. Wide tables use fewer, because each row has every column. */
const SLICE_BYTES = 32_768
const LEAST_SLICE_BYTES = 1_024
const USUAL_COLUMNS = 32
const MAX_BYTES = 209_715_200
const CACHED_BYTES = 268_435_456
const MS_PER_MILLION_BYTES = 300
const MAX_VALUES = 1_000_000

export interface LoadedTables {
  readonly database: SqlDatabase
  readonly notes: readonly string[]
}

/** Loaded tables, the least recently used first. */
const cache = new RecencyMap<string, LoadedTables>()
let cachedBytes = 0
const storages = new WeakMap<Storage, number>()
let storageCount = 0

/** Loads tables. If a document is not a table, its largest table is loaded. Throws `not-a-table`, `too-large`. */
export async function loadTables(
  source: ContentSource,
  path: string | undefined,
  context: RetrievalContext,
): Promise<LoadedTables> {
  if (source.size > MAX_BYTES) throw tooLarge(source, `more than ${formatCount(MAX_BYTES)} bytes`)
  const storage = storages.get(context.storage) ?? ++storageCount
  storages.set(context.storage, storage)
  const key = JSON.stringify([storage, source.reference, path, source.size, source.contentType])
  const loaded = cache.get(key) ?? (await load(source, path, context))
  keep(key, loaded)
  return loaded
}

function keep(key: string, loaded: LoadedTables): void {
  cachedBytes += loaded.database.bytes.length - (cache.get(key)?.database.bytes.length ?? 0)
  cache.set(key, loaded)
  while (cachedBytes > CACHED_BYTES) {
    const oldest = cache.oldestKey!
    cachedBytes -= cache.get(oldest)!.database.bytes.length
    cache.delete(oldest)
  }
}

interface TablePlan {
  readonly values: readonly Omit<SelectedValue, 'path'>[]
  readonly createReader: (sink: TableBatches) => RowReader | undefined
  readonly notes: readonly string[]
}

async function load(source: ContentSource, path: string | undefined, context: RetrievalContext): Promise<LoadedTables> {
  const engine = sqlEngine()
  if (engine === undefined)
    throw new RetrievalError('unsupported', 'SQL is not available here. Use pattern to find rows.')
  const plan = await planTable(source, path, context)
  const deadlineMs = context.deadlineMs + (source.size / 1e6) * MS_PER_MILLION_BYTES
  let notes: readonly string[] = []
  const readBatches = async function* (): AsyncGenerator<CellBatch> {
    const batches = new TableBatches()
    const reader = plan.createReader(batches)
    if (reader === undefined) throw noTable(source, path)
    yield* readRows(source, plan, reader, batches, context)
    const said = reader.finish()
    if (batches.isOver) throw tooLarge(source, `more than ${formatCount(MAX_ROWS)} rows`)
    if (said === undefined) throw noTable(source, path)
    yield* batches.take(true)
    notes = [...plan.notes, ...said, ...batches.notes()]
  }
  const database = await context.pause(engine.load(readBatches, limitsOf(context, deadlineMs)))
  return { database, notes }
}

export function limitsOf({ signal, storage }: RetrievalContext, deadlineMs: number): SqlLimits {
  return { deadlineMs, signal, caller: storage.caller }
}

async function* readRows(
  source: ContentSource,
  { values }: TablePlan,
  reader: RowReader,
  batches: TableBatches,
  { signal }: RetrievalContext,
): AsyncGenerator<CellBatch> {
  const clock = new WorkClock(Infinity, signal, source.caller)
  let length = 0
  for (const { start, end } of values) {
    const decoder = new TextDecoder()
    for await (const block of source.blocks(start, end)) {
      clock.start()
      for (let at = 0, next = 0; at < block.length && !batches.isOver; at = next) {
        const share = USUAL_COLUMNS / Math.max(USUAL_COLUMNS, batches.width)
        length = Math.max(LEAST_SLICE_BYTES, Math.min(2 * length, Math.floor(SLICE_BYTES * share)))
        next = at + length
        reader.push(decoder.decode(block.subarray(at, next), { stream: true }))
        yield* batches.take()
        if (clock.needsPause) await clock.pause()
      }
      clock.stop()
    }
    reader.push(`${decoder.decode()}${values.length > 1 ? '\n' : ''}`)
  }
}

async function planTable(
  source: ContentSource,
  path: string | undefined,
  context: RetrievalContext,
): Promise<TablePlan> {
  const layout = await jsonLayout(source)
  if (path !== undefined) return await planPath(source, layout, path, context)
  const bytes = await source.read(0, START_BYTES)
  const start = new TextDecoder().decode(bytes)
  const before = new TextDecoder().decode(bytes.subarray(0, layout.start)).length
  const text = { start, isWhole: source.size <= bytes.length, contentType: source.contentType }
  const createReader = (sink: TableBatches): RowReader | undefined =>
    readTable(text, { ...layout, start: before }, sink)
  const values = [{ start: 0, end: source.size }]
  const isJson = /^\s*[[{]/.test(start.slice(before))
  if (!isJson || createReader(new TableBatches()) !== undefined) return { values, createReader, notes: [] }
  const array = await largestArray(source, layout)
  if (array === undefined) throw noTable(source)
  const notes = [`This is the largest table in this JSON: ${quote(array.path, 200)}. json_path selects another.`]
  const names = await namesBeside(source, layout, array, clockOf(source, context))
  return { values: [array], createReader: (sink) => new JsonRows('array', sink, '', names), notes }
}

async function planPath(
  source: ContentSource,
  layout: JsonLayout,
  path: string,
  context: RetrievalContext,
): Promise<TablePlan> {
  const clock = clockOf(source, context)
  const parsed = await readJsonPath(path, source, layout, clock)
  const options = { layout, skip: 0, keep: MAX_VALUES, enough: MAX_VALUES + 1, clock }
  const { values, ended } = await selectJson(source, parsed, options)
  const [first] = values
  const isCut = ended.by === 'failure'
  if ((ended.by !== 'all' && !isCut) || first === undefined) throw noTable(source, path)
  const [opening] = await source.read(first.start, 1)
  const isArray = opening === 91 && values.length === 1
  const notes = isCut ? ['t has only the values before the position at which the JSON breaks off.'] : []
  const names = await namesBeside(source, layout, first, clock)
  return { values, createReader: (sink) => new JsonRows(isArray ? 'array' : 'documents', sink, '', names), notes }
}

function clockOf(source: ContentSource, context: RetrievalContext): WorkClock {
  const deadlineMs = context.deadlineMs + (source.size / 1e6) * MS_PER_MILLION_BYTES
  return new WorkClock(deadlineMs, context.signal, context.storage.caller)
}

function tooLarge({ reference }: ContentSource, what: string): RetrievalError {
  const message = `The table has ${what}, which is too large for SQL. To find rows:`
  return new RetrievalError('too-large', message, { call: { reference, pattern: 'words of the row' } })
}

function noTable({ reference }: ContentSource, path?: string): RetrievalError {
  const rows = 'is not a table'
  const others =
    'Search it with a pattern. If it is JSON, select its rows with json_path: $.* for each value, or $ for one row, to use with json_each.'
  if (path === undefined) return new RetrievalError('not-a-table', `${quote(reference)} ${rows}. ${others}`)
  const call = { reference, json_path: path }
  return new RetrievalError('not-a-table', `The result of ${quote(path)} ${rows}. To see it:`, { call })
}

const WALKED_BYTES = 524_288
const OPEN_ARRAY = 91
const OPEN_OBJECT = 123

async function largestArray(source: ContentSource, layout: JsonLayout): Promise<SelectedValue | undefined> {
  const finder = new ArrayFinder()
  const walker = new JsonWalker({ form: layout.form, base: layout.start, visitor: finder })
  for await (const block of source.blocks(layout.start)) {
    for (let at = 0; at < block.length && !walker.hasFailed; at += WALKED_BYTES) {
      walker.take(block.subarray(at, at + WALKED_BYTES))
      walker.advance()
      await yieldToOthers(source.caller)
    }
  }
  const largest = finder.finish(walker.position)
  if (largest === undefined) return undefined
  const end = largest.end === walker.position ? source.size : largest.end
  const [path = '$'] = await jsonPathsAt({ ...source, contentType: 'application/json' }, [largest.start])
  return { ...largest, end, path }
}

class ArrayFinder implements JsonVisitor {
  largest: { readonly start: number; readonly end: number } | undefined
  readonly #open: { readonly start: number; readonly isArray: boolean; hasRows: boolean }[] = []

  begin(at: number, first: number): boolean {
    const outer = this.#open.at(-1)
    const isCell = first !== OPEN_ARRAY && outer?.isArray === true
    const table = first === OPEN_OBJECT ? outer : isCell ? this.#open.at(-2) : undefined
    if (table?.isArray === true) table.hasRows = true
    this.#open.push({ start: at, isArray: first === OPEN_ARRAY, hasRows: false })
    return true
  }

  end(at: number): void {
    const { start, hasRows } = this.#open.pop()!
    const size = this.largest === undefined ? 0 : this.largest.end - this.largest.start
    if (hasRows && at - start > size) this.largest = { start, end: at }
  }

  abandon(): void {
    this.#open.length = 0
  }

  /** Ends all open arrays, because cut content has arrays without an end. Returns the largest array. */
  finish(at: number): ArrayFinder['largest'] {
    while (this.#open.length > 0) this.end(at)
    return this.largest
  }
}

const encoder = new TextEncoder()

class TableBatches implements TableSink {
  /** Cells grouped by column names. Rows with equal column names form one table. */
  readonly #tables = new Map<string, CellBatches>()
  #current: CellBatches | undefined
  #rows = 0

  get width(): number {
    return this.#current?.width ?? 0
  }

  get isOver(): boolean {
    return this.#rows > MAX_ROWS
  }

  begin(headers: readonly string[]): void {
    const key = JSON.stringify(headers)
    this.#current = this.#tables.get(key) ?? new CellBatches(this.#tables.size, headers)
    this.#tables.set(key, this.#current)
  }

  row(row: TableRow): void {
    if (++this.#rows <= MAX_ROWS) this.#current?.add(row)
  }

  take(all = false): readonly CellBatch[] {
    return [...this.#tables.values()].flatMap((table) => table.take(all))
  }

  notes(): string[] {
    return [...this.#tables.values()].flatMap((table) => table.notes())
  }
}

class CellBatches {
  readonly #table: number
  readonly #headers: readonly string[]
  readonly #names: string[] = []
  #sent = 0
  readonly #used = new Set<string>()
  readonly #numbered: string[] = []
  #bytes = new Uint8Array(EMPTY_BATCH)
  #size = 0
  #lengths = new Int32Array(EMPTY_BATCH)
  #cells = 0
  /** End of each row in the array of lengths. Rows before a new column are shorter. */
  #rowEnds: number[] = []
  width = 0
  #ready: CellBatch[] = []

  /** Reading rows may append names to `headers`. */
  constructor(table: number, headers: readonly string[]) {
    this.#table = table
    this.#headers = headers
  }

  take(all: boolean): readonly CellBatch[] {
    if (all) this.#flush()
    const ready = this.#ready
    this.#ready = []
    return ready
  }

  notes(): string[] {
    const { length } = this.#headers
    const notes: string[] = []
    if (length > MAX_COLUMNS)
      notes.push(
        `The table has ${formatCount(length)} columns, of which the first ${formatCount(MAX_COLUMNS)} are loaded.`,
      )
    if (this.#numbered.length > 0)
      notes.push(`Columns of equal names have numbers: ${quote(this.#numbered.join(', '), 200)}.`)
    return notes
  }

  add(row: TableRow): void {
    const width = Math.min(this.#headers.length, MAX_COLUMNS)
    if ((this.#rowEnds.length + 1) * width > MAX_BATCH_CELLS) this.#flush()
    // Consecutive new columns are added together.
    if (width !== this.width) this.#widen(width)
    else if (this.#size >= BATCH_BYTES || this.#cells + width > BATCH_CELLS) this.#flush()
    if (this.#cells + width > this.#lengths.length) {
      const larger = new Int32Array(2 * (this.#cells + width))
      larger.set(this.#lengths)
      this.#lengths = larger
    }
    for (let column = 0; column < width; column++) {
      const cell = row.cell(column)
      const kind = row.kindOf?.(column)
      if (cell === undefined || (kind !== 'string' && isNull(cell))) {
        this.#lengths[this.#cells++] = -1
        continue
      }
      const start = this.#size
      this.#write(kind === 'boolean' ? (cell === 'true' ? '1' : '0') : cell)
      this.#lengths[this.#cells++] = 2 * (this.#size - start) + (kind === 'string' ? 1 : 0)
    }
    this.#rowEnds.push(this.#cells)
  }

  #widen(width: number): void {
    this.width = width
    while (this.#names.length < width) this.#names.push(this.#nameOf(this.#headers[this.#names.length]!))
  }

  /** Writes a cell. ASCII is encoded here, because `TextEncoder` is slower for short cells. */
  #write(cell: string): void {
    const { length } = cell
    if (this.#size + 3 * length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#size + 3 * length))
      larger.set(this.#bytes.subarray(0, this.#size))
      this.#bytes = larger
    }
    const bytes = this.#bytes
    let size = this.#size
    for (let at = 0; at < length; at++) {
      const code = cell.charCodeAt(at)
      if (code > 127) {
        size += encoder.encodeInto(at === 0 ? cell : cell.slice(at), bytes.subarray(size)).written
        break
      }
      bytes[size++] = code
    }
    this.#size = size
  }

  /** Returns a unique name, as answers show it. SQL names ignore case, so an equal name gets a number. */
  #nameOf(header: string): string {
    const shown = oneLine(header).toWellFormed()
    let name = shown
    for (let number = 2; this.#used.has(name.toLowerCase()); number++) name = `${shown}_${number}`
    if (name !== shown) this.#numbered.push(name)
    this.#used.add(name.toLowerCase())
    return name
  }

  #flush(): void {
    if (this.width === 0) this.#widen(Math.min(this.#headers.length, MAX_COLUMNS))
    const bytes = this.#bytes.slice(0, this.#size)
    const lengths = new Int32Array(this.#rowEnds.length * this.width).fill(-1)
    let from = 0
    for (const [row, to] of this.#rowEnds.entries()) {
      lengths.set(this.#lengths.subarray(from, to), row * this.width)
      from = to
    }
    this.#ready.push({ table: this.#table, names: this.#names.slice(this.#sent), bytes, lengths })
    this.#sent = this.#names.length
    this.#size = 0
    this.#cells = 0
    this.#rowEnds = []
  }
}

const NULL = /^\s*(?:null|\(null\)|<null>|\\N)?\s*$/i
const MAY_BE_NULL = new Set(Array.from(' \t\n\rnN(<\\', (character) => character.charCodeAt(0)))

function isNull(cell: string): boolean {
  return cell === '' || (cell.length <= 16 && MAY_BE_NULL.has(cell.charCodeAt(0)) && NULL.test(cell))
}
