/** Runs SQL over a text in the page. In Node.js, the retrieval tool uses the same engine. */
import { jsonLayout } from '@spillway/text/internal/json'
import { readTable } from '@spillway/text/internal/tables'
import initSqlite, { type Database } from '@sqlite.org/sqlite-wasm'

const sqlite = initSqlite()
const MAX_ROWS = 100
/** Share of numbers from which on a column is numeric. */
const NUMBER_SHARE = 0.9

interface Statement {
  readonly text: string
  readonly sql: string
  /** Takes the answer. */
  readonly port: MessagePort
}

addEventListener('message', ({ data: { text, sql, port } }: MessageEvent<Statement>) => {
  void answer(text, sql)
    .catch((error: Error) => error.message)
    .then((said) => port.postMessage(said))
})

async function answer(text: string, sql: string): Promise<string> {
  const { oo1 } = await sqlite
  const db = new oo1.DB(':memory:')
  try {
    await load(db, text)
    const columnNames: string[] = []
    const rows = db.exec({ sql, columnNames, rowMode: 'array', returnValue: 'resultRows' })
    const shown = [columnNames, ...rows.slice(0, MAX_ROWS)].map((row) => row.map((cell) => cell ?? 'NULL').join(' | '))
    return [`[${rows.length} ${rows.length === 1 ? 'row' : 'rows'}]`, ...shown].join('\n')
  } finally {
    db.close()
  }
}

/** Load the table of a text as `t`. */
async function load(db: Database, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text)
  const layout = await jsonLayout({
    contentType: 'text/plain',
    read: async (offset, length) => bytes.subarray(offset, offset + length),
  })
  const start = new TextDecoder().decode(bytes.subarray(0, layout.start)).length
  let names: readonly string[] = []
  const rows: (string | null)[][] = []
  const sink = {
    begin: (columns: readonly string[]) => void (names = columns),
    row: (row: { cell(column: number): string | undefined }) =>
      void rows.push(names.map((_, column) => row.cell(column) ?? null)),
  }
  const reader = readTable({ start: text, isWhole: true, contentType: 'text/plain' }, { ...layout, start }, sink)
  reader?.push(text)
  if (reader?.finish() === undefined) throw new Error('There is no table in this text. Use pattern, or take the CSV.')
  const columns = names.map((name, column) => `"${name.replaceAll('"', '""')}" ${typeOf(rows, column)}`)
  db.exec(`CREATE TABLE t (${columns.join(', ')}); BEGIN`)
  const insert = db.prepare(`INSERT INTO t VALUES (${names.map(() => '?').join(', ')})`)
  for (const row of rows) insert.bind(names.map((_, column) => row[column] ?? null)).stepReset()
  insert.finalize()
  db.exec('COMMIT')
}

function typeOf(rows: readonly (readonly (string | null)[])[], column: number): 'NUMERIC' | 'TEXT' {
  const cells = rows.flatMap((row) => row[column] ?? [])
  const numbers = cells.filter((cell) => /^-?(?:0|[1-9]\d{0,17})(?:\.\d+)?$/.test(cell))
  return cells.length > 0 && numbers.length >= cells.length * NUMBER_SHARE ? 'NUMERIC' : 'TEXT'
}
