import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { IsolationError } from '../platform/platform.ts'
import { createWorkerPool } from './node-worker-pool.ts'
import {
  largestTable,
  type CellBatch,
  type SqlColumn,
  type SqlDatabase,
  type SqlEngine,
  type SqlLimits,
  type SqlRows,
} from './sql-engine.ts'

/** Milliseconds after which a statement counts as long and may have to wait for others. */
const SHORT_MS = 250
const MAX_MEMORY_MB = 1_024
const MAX_UNADDED = 4

type LoadAnswer =
  | { readonly error: string }
  | { readonly types: readonly (readonly SqlColumn['type'][])[] }
  | Omit<SqlDatabase, 'id'>

type ReadAnswer = { readonly error: string } | (Omit<SqlRows, 'over'> & { readonly read: readonly string[] })

export function nodeSqlEngine(address: string): SqlEngine {
  const program = sqliteProgram(address)
  const common = { saysReady: true, maxMemoryMb: MAX_MEMORY_MB }
  const loaders = createWorkerPool(program, common)
  const readers = createWorkerPool(program, { ...common, shortMs: SHORT_MS })
  let loaded = 0

  async function loadOnce(
    batches: AsyncIterable<CellBatch>,
    types: readonly (readonly SqlColumn['type'][])[] | undefined,
    { deadlineMs, ...how }: SqlLimits,
  ): Promise<LoadAnswer> {
    const { port1, port2 } = new MessageChannel()
    const answer = loaders.run({ port: port2, types }, deadlineMs, { ...how, transfer: [port2] })
    try {
      const [result] = await Promise.all([answer, send(batches, port1, answer)])
      return result as LoadAnswer
    } finally {
      // If reading the batches failed, the closed port makes the worker drop the tables. The worker is then reused.
      port1.close()
    }
  }

  return {
    async load(readBatches, limits) {
      const first = await loadOnce(readBatches(), undefined, limits)
      const answer = 'types' in first ? await loadOnce(readBatches(), first.types, limits) : first
      if ('bytes' in answer) return { ...answer, id: ++loaded }
      throw new IsolationError('ended', 'error' in answer ? answer.error : 'The columns changed.')
    },
    async query(databases, statement, { deadlineMs, ...how }) {
      const message = {
        databases: databases.map(({ id, bytes }) => ({ id, bytes })),
        views: viewsOf(databases),
        statement,
      }
      const answer = (await readers.run(message, deadlineMs, how)) as ReadAnswer
      if ('error' in answer) return answer
      const { read, ...result } = answer
      // In SQLite, database 0 is the main database. Database 1 is temporary and has the views. Other databases follow.
      const over = databases.flatMap(({ tables }, index) =>
        tables.filter(({ page }) => read.includes(`${index === 0 ? 0 : index + 1}.${page}`)).map(({ rows }) => rows),
      )
      return { ...result, over }
    },
  }
}

function viewsOf(databases: readonly SqlDatabase[]): readonly (readonly [view: string, table: string])[] {
  if (databases.length === 1 && databases[0]!.tables.length === 1) return [['t1', 'main.t']]
  return databases.map(({ tables }, index) => [
    databases.length === 1 ? 't' : `t${index + 1}`,
    `${index === 0 ? 'main' : `d${index + 1}`}.${tables.length === 1 ? 't' : `t${largestTable(tables) + 1}`}`,
  ])
}

async function send(batches: AsyncIterable<CellBatch>, port: MessagePort, answer: Promise<unknown>): Promise<void> {
  let unadded = 0
  let isOver = false
  let added = Promise.withResolvers<void>()
  const wake = (): void => {
    added.resolve()
    added = Promise.withResolvers<void>()
  }
  const end = (): void => {
    isOver = true
    wake()
  }
  void answer.then(end, end)
  port.on('message', () => {
    unadded--
    wake()
  })
  for await (const batch of batches) {
    while (unadded >= MAX_UNADDED && !isOver) await added.promise
    if (isOver) return
    unadded++
    port.postMessage(batch, [batch.bytes.buffer as ArrayBuffer, batch.lengths.buffer as ArrayBuffer])
  }
  port.postMessage(null)
}

const NUMBER_SHARE = 0.9
/** Largest number of digits that is read as a 64-bit integer. Longer numbers are probably ids, and are read as text. */
const MAX_DIGITS = 18
/** Memory of a statement in addition to its tables, in megabytes. */
const STATEMENT_MB = 192
const MAX_COUNTED = 1_000_000
const MAX_RETURNED = 10_000
const MAX_VALUE_BYTES = 16_777_216
const MAX_CELL_UNITS = 65_536

/**
 * Create the source of the SQLite worker. The source is a string, so that bundlers, loaders and test runners need no
 * file. Its authorizer allows only reads, and neither ATTACH nor PRAGMA.
 */
function sqliteProgram(address: string): string {
  return `
import('node:worker_threads').then(async ({ parentPort }) => {
  const { default: init } = await import(${JSON.stringify(address)})
  const { capi, wasm } = await init()
  const x = wasm.exports
  const quote = (name) => '"' + name.replaceAll('"', '""') + '"'

  function open(file) {
    const scope = wasm.scopedAllocPush()
    try {
      const place = wasm.scopedAllocPtr()
      check(undefined, capi.sqlite3_open_v2(file, place, 70, 0))
      return wasm.peekPtr(place)
    } finally {
      wasm.scopedAllocPop(scope)
    }
  }

  function check(db, code) {
    if (code === 0) return
    throw new Error(db === undefined ? capi.sqlite3_js_rc_str(code) : capi.sqlite3_errmsg(db))
  }

  function run(db, sql) {
    check(db, capi.sqlite3_exec(db, sql, 0, 0, 0))
  }

  /** Return the statement, and the text after it. */
  function prepare(db, sql) {
    const scope = wasm.scopedAllocPush()
    try {
      const [place, tail, text] = [wasm.scopedAllocPtr(), wasm.scopedAllocPtr(), wasm.scopedAllocCString(sql)]
      check(db, capi.sqlite3_prepare_v3(db, text, -1, 0, place, tail))
      return [wasm.peekPtr(place), wasm.cstrToJs(wasm.peekPtr(tail))]
    } finally {
      wasm.scopedAllocPop(scope)
    }
  }

  const TEXT = 0, INTEGER = 1, LONG = 2, REAL = 3, ID = 4, SHORT = 5, PADDED = 6
  const isDigit = (code) => code >= 48 && code <= 57

  /** Find the type of the cell between two positions. */
  function kindOf(heap, from, to) {
    while (from < to && heap[from] === 32) from++
    while (to > from && heap[to - 1] === 32) to--
    let at = heap[from] === 45 ? from + 1 : from
    const first = at
    while (at < to && isDigit(heap[at])) at++
    const digits = at - first
    if (at === to) {
      if (digits === 0) return TEXT
      return (heap[first] === 48 && digits > 1) || digits > ${MAX_DIGITS} ? ID : digits > 15 ? LONG : INTEGER
    }
    if (digits > 1 && heap[first] === 48) return isDigit(heap[to - 1]) ? ID : TEXT
    let decimals = 0
    if (heap[at] === 46) for (at++; at < to && isDigit(heap[at]); at++) decimals++
    if (digits + decimals === 0 || heap[at - 1] === 46) return TEXT
    if (at === to) return decimals === 1 ? SHORT : heap[to - 1] === 48 ? PADDED : REAL
    if ((heap[at] | 32) === 101) {
      at++
      if (heap[at] === 43 || heap[at] === 45) at++
      const exponent = at
      while (at < to && isDigit(heap[at])) at++
      if (at === exponent) return TEXT
    }
    return at === to ? REAL : TEXT
  }

  function typeOf({ filled, counts }) {
    const reals = counts[REAL] + counts[SHORT] + counts[PADDED]
    const numbers = counts[INTEGER] + counts[LONG] + reals
    // Software writes 1.1 and 1.10 only for different things, for example versions.
    const isText = counts[ID] > 0 || (counts[SHORT] > 0 && counts[PADDED] > 0)
    if (filled === 0 || isText || numbers < filled * ${NUMBER_SHARE}) return 'TEXT'
    return reals === 0 ? 'INTEGER' : counts[LONG] === 0 ? 'REAL' : 'NUMERIC'
  }

  /** Make a table that is filled in batches. */
  function createTable(db, table, types) {
    const columns = []
    let insert = 0
    let rows = 0

    function create() {
      const added = columns.filter(({ type }) => type === undefined)
      if (added.length === 0) return
      for (const column of added) {
        column.type = types?.[columns.indexOf(column)] ?? typeOf(column)
        column.isFixed = column.type === 'TEXT' && (types !== undefined || column.filled > 0)
      }
      const written = added.map(({ name, type }) => quote(name) + ' ' + type)
      if (insert === 0) run(db, 'CREATE TABLE ' + table + ' (' + written.join(', ') + ')')
      else for (const one of written) run(db, 'ALTER TABLE ' + table + ' ADD COLUMN ' + one)
      if (insert !== 0) capi.sqlite3_finalize(insert)
      insert = prepare(db, 'INSERT INTO ' + table + ' VALUES (' + columns.map(() => '?').join(', ') + ')')[0]
    }

    function classify(column, heap, at, length, isText, row) {
      column.filled++
      const kind = isText ? TEXT : kindOf(heap, at, at + length)
      column.counts[kind]++
      if (kind !== TEXT && kind !== ID && (kind !== PADDED || column.longest > 0)) return
      const isFirst = kind !== PADDED && ++column.misfits === 1
      if (isText) column.counts[ID]++
      if (!isFirst && (length <= column.longest || length > 40)) return
      const cell = new TextDecoder().decode(heap.slice(at, at + Math.min(length, 100)))
      column.longest = length
      column.sample = cell
      if (isFirst) Object.assign(column, { misfit: cell, misfitRow: row })
    }

    function add({ names, bytes, lengths }) {
      for (const name of names) columns.push({ name, filled: 0, counts: [0, 0, 0, 0, 0, 0, 0], misfits: 0, type: undefined })
      const width = columns.length
      const place = x.sqlite3_malloc(bytes.length + 1)
      if (place === 0) throw new Error('out of memory')
      let heap = wasm.heap8u()
      heap.set(bytes, place)
      const each = (visit) => {
        let at = place
        for (let cell = 0, column = 0, row = rows + 1; cell < lengths.length; cell++) {
          const code = lengths[cell]
          const length = code < 0 ? 0 : code >> 1
          visit(column, at, code < 0 ? -1 : length, (code & 1) === 1, row)
          at += length
          if (++column === width) {
            column = 0
            row++
          }
        }
      }
      each((column, at, length, isText, row) => {
        const one = columns[column]
        if (length >= 0 && one.isFixed !== true) classify(one, heap, at, length, isText, row)
      })
      create()
      each((column, at, length) => {
        if (length < 0) x.sqlite3_bind_null(insert, column + 1)
        else x.sqlite3_bind_text(insert, column + 1, at, length, 0)
        if (column + 1 < width) return
        if (x.sqlite3_step(insert) !== 101) check(db, capi.sqlite3_errcode(db))
        x.sqlite3_reset(insert)
      })
      x.sqlite3_free(place)
      rows += lengths.length / width
    }

    /** Return the table, and whether the types of its columns differ from those of its first rows. */
    function finish() {
      create()
      capi.sqlite3_finalize(insert)
      const found = columns.map((column) => (column.isFixed ? column.type : typeOf(column)))
      const shown = columns.map(({ name, type, misfits, misfit, misfitRow, sample, filled, counts }) => {
        const isMixed = counts[TEXT] + counts[ID] < filled / 2
        return { name, type, misfits: type === 'TEXT' ? 0 : misfits, misfit, misfitRow, sample, isMixed }
      })
      const [statement] = prepare(db, "SELECT rootpage FROM sqlite_schema WHERE name = '" + table + "'")
      x.sqlite3_step(statement)
      const page = capi.sqlite3_column_int(statement, 0)
      capi.sqlite3_finalize(statement)
      const isOther = found.some((type, index) => type !== columns[index].type)
      return { types: found, isOther, rows, page, columns: shown }
    }

    return { add, finish }
  }

  /** Load the batches that arrive at a port. Each batch is acknowledged. */
  function load({ port, types }) {
    const db = open('file:t?vfs=memdb')
    run(db, 'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN')
    const tables = []

    function finish() {
      const found = tables.map((table) => table.finish())
      if (types === undefined && found.some(({ isOther }) => isOther)) return { types: found.map(({ types }) => types) }
      if (found.length === 1) run(db, 'ALTER TABLE t1 RENAME TO t')
      run(db, 'COMMIT')
      const scope = wasm.scopedAllocPush()
      const size = wasm.scopedAlloc(8)
      const start = capi.sqlite3_serialize(db, 'main', size, 1)
      const length = Number(wasm.peek(size, 'i64'))
      wasm.scopedAllocPop(scope)
      const bytes = new Uint8Array(new SharedArrayBuffer(length))
      bytes.set(wasm.heap8u().subarray(start, start + length))
      return { bytes, tables: found.map(({ rows, columns, page }) => ({ rows, columns, page })) }
    }

    return new Promise((resolve, reject) => {
      port.on('message', (batch) => {
        try {
          if (batch === null) resolve(finish())
          else (tables[batch.table] ??= createTable(db, 't' + (batch.table + 1), types?.[batch.table])).add(batch)
          port.postMessage('added')
        } catch (error) {
          reject(error)
          port.postMessage('failed')
        }
      })
      port.on('close', () => resolve(undefined))
    }).finally(() => {
      port.close()
      // After an abandoned load, SQLite keeps the memory of a closed database until its statements are finalized.
      for (let left; (left = capi.sqlite3_next_stmt(db, 0)) !== 0; ) capi.sqlite3_finalize(left)
      capi.sqlite3_close_v2(db)
    })
  }

  let opened = { key: '', db: 0 }
  function openDatabases(databases, views) {
    const key = databases.map(({ id }) => id).join()
    if (opened.key === key) return opened.db
    if (opened.db !== 0) capi.sqlite3_close_v2(opened.db)
    opened = { key: '', db: 0 }
    const db = open(':memory:')
    opened.db = db
    const size = databases.reduce((sum, { bytes }) => sum + bytes.length, 0)
    run(db, 'PRAGMA temp_store = 2; PRAGMA hard_heap_limit = 0')
    for (const [index, { bytes }] of databases.entries()) {
      const schema = index === 0 ? 'main' : 'd' + (index + 1)
      if (index > 0) run(db, "ATTACH ':memory:' AS " + schema)
      const start = x.sqlite3_malloc(bytes.length)
      if (start === 0) throw new Error('out of memory')
      wasm.heap8u().set(bytes, start)
      check(db, capi.sqlite3_deserialize(db, schema, start, bytes.length, bytes.length, 5))
    }
    for (const [view, table] of views) run(db, 'CREATE TEMP VIEW ' + view + ' AS SELECT * FROM ' + table)
    run(db, 'PRAGMA hard_heap_limit = ' + (size + ${STATEMENT_MB} * 1048576) + '; PRAGMA query_only = 1; PRAGMA trusted_schema = 0')
    const limits = [[0, ${MAX_VALUE_BYTES}], [1, 100000], [2, 2000], [3, 200], [4, 100], [5, 100000], [6, 127], [7, 0], [8, 1000], [10, 0]]
    for (const [limit, value] of limits) capi.sqlite3_limit(db, limit, value)
    // SELECT, reading a column, calling a function, and recursion; all else is denied.
    capi.sqlite3_set_authorizer(db, (_, action) => (action === 20 || action === 21 || action === 31 || action === 33 ? 0 : 1), 0)
    opened.key = key
    return db
  }

  function valueAt(statement, column) {
    const type = capi.sqlite3_column_type(statement, column)
    if (type === 5) return null
    if (type === 4) return '[' + capi.sqlite3_column_bytes(statement, column) + ' bytes]'
    const text = capi.sqlite3_column_text(statement, column)
    return text.length > ${MAX_CELL_UNITS} ? text.slice(0, ${MAX_CELL_UNITS}) + '… [' + text.length + ' characters]' : text
  }

  /** List the tables that a statement reads. Each is named by its database and its first page. */
  function pagesRead(db, sql) {
    const [statement] = prepare(db, 'EXPLAIN ' + sql)
    const read = []
    while (x.sqlite3_step(statement) === 100) {
      const [page, schema] = [capi.sqlite3_column_int(statement, 3), capi.sqlite3_column_int(statement, 4)]
      if (capi.sqlite3_column_text(statement, 1) === 'OpenRead') read.push(schema + '.' + page)
    }
    capi.sqlite3_finalize(statement)
    return read
  }

  function query({ databases, views, statement: { sql, skip, maxUnits } }) {
    const db = openDatabases(databases, views)
    if (sql.includes('\\0')) throw new Error('a statement must not contain NUL')
    const [statement, rest] = prepare(db, sql)
    try {
      if (statement === 0) throw new Error('sql contains no statement')
      if (/\\S/.test(rest)) {
        const [other] = prepare(db, rest)
        capi.sqlite3_finalize(other)
        if (other !== 0) throw new Error('sql must contain only one statement')
      }
      const width = capi.sqlite3_column_count(statement)
      if (width === 0 || capi.sqlite3_stmt_readonly(statement) === 0) throw new Error('only SELECT is allowed')
      const names = Array.from({ length: width }, (_, column) => capi.sqlite3_column_name(statement, column))
      const rows = []
      let count = 0
      let units = 0
      let isFull = false
      for (; count < ${MAX_COUNTED}; count++) {
        const code = x.sqlite3_step(statement)
        if (code === 101) return { names, rows, count, isCounted: true, read: pagesRead(db, sql) }
        if (code !== 100) throw new Error(capi.sqlite3_errmsg(db))
        if (count < skip || isFull) continue
        const row = names.map((_, column) => valueAt(statement, column))
        units = row.reduce((sum, value) => sum + (value?.length ?? 0) + 1, units)
        isFull = rows.length > 0 && (units > maxUnits || rows.length >= ${MAX_RETURNED})
        if (!isFull) rows.push(row)
      }
      return { names, rows, count, isCounted: false, read: pagesRead(db, sql) }
    } finally {
      capi.sqlite3_finalize(statement)
    }
  }

  parentPort.on('message', async (message) => {
    try {
      parentPort.postMessage(await (message.port === undefined ? query(message) : load(message)))
    } catch (error) {
      parentPort.postMessage({ error: error.message })
    }
  })
  parentPort.postMessage('ready')
})
`
}
