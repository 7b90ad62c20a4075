import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { table } from '../report/table.ts'
import { commandPeakMB, DATA, runCommand } from '../speed/lib.mjs'
import type { RunOptions } from './run-options.ts'
import { besideLowest, worstFirst } from '../report/comparison.ts'
import type { Section } from '../report/section.ts'
import { inProcess, type SqlCalls } from './tasks.ts'
import { largest, median, megabytes, milliseconds, ratio } from '../report/write-figures.ts'

const STATEMENTS = [
  'SELECT level, count(*) FROM t GROUP BY level ORDER BY level',
  'SELECT min(day), max(day), count(DISTINCT service) FROM t WHERE status >= 500',
] as const

const LEVELS = ['debug', 'error', 'info', 'warn']

/** Measure SQL on a large table, including loading, and `sqlite3` with `.import` and the same statement. */
export async function measureSql({ isQuick, rounds, has, ours: module }: RunOptions): Promise<Section> {
  const size = isQuick ? 10 : 100
  const file = makeTable(size)
  try {
    const rows: SqlFigures[] = []
    for (const sql of STATEMENTS) {
      const ours: SqlCalls[] = []
      const theirs: { readonly ms: number; readonly queryMs: number; readonly answer: string }[] = []
      // sqlite3 prints the time of a statement only in a script.
      const script = `${file}.sql`
      writeFileSync(script, `.import --csv ${file} t\n.timer on\n${sql};\n`)
      const command = [':memory:', `.read ${script}`]
      for (let round = 0; round < rounds; round++) {
        if (has('sqlite3')) theirs.push(readTimer(runCommand('sqlite3', command, { killMs: 300_000 })))
        ours.push(await inProcess('sql', { file, sql, ours: module }))
      }
      const answer = theirs[0]?.answer
      rows.push({
        sql,
        ours: {
          first: median(ours.map(({ first }) => first)),
          second: median(ours.map(({ second }) => second)),
          pause: largest(ours.map(({ pause }) => pause)),
          added: largest(ours.map(({ added }) => added)),
        },
        theirs: { first: median(theirs.map(({ ms }) => ms)), second: median(theirs.map(({ queryMs }) => queryMs)) },
        added: has('sqlite3') ? commandPeakMB('sqlite3', command) : undefined,
        isSame: answer === undefined || ours.every(({ rows: own }) => own === answer),
      })
    }
    const comparisons = (['first', 'second'] as const).flatMap((call) => {
      const times = rows.map(({ ours, theirs }) => ({ ours: ours[call], theirs: theirs[call] }))
      const what = `SQL over CSV of ${size} MB: ${call} question`
      return worstFirst(
        times.flatMap(({ ours, theirs }) =>
          ours === undefined
            ? []
            : [{ what, unit: 'ms', ours, floor: besideLowest(ours, [{ name: 'sqlite3', value: theirs }]) }],
        ),
      ).slice(0, 1)
    })
    return { text: write(rows, size), bounds: boundsOf(rows, size), comparisons, figures: rows }
  } finally {
    for (const made of [file, `${file}.sql`]) rmSync(made, { force: true })
  }
}

interface SqlFigures {
  readonly sql: string
  readonly ours: { readonly [name in 'first' | 'second' | 'pause' | 'added']: number | undefined }
  readonly theirs: { readonly first: number | undefined; readonly second: number | undefined }
  /** Peak memory of `sqlite3` in megabytes. */
  readonly added: number | undefined
  readonly isSame: boolean
}

/** Parse the output of `sqlite3`: rows, and the time of the statement. */
function readTimer({ ms, out }: { readonly ms: number; readonly out: string }): {
  ms: number
  queryMs: number
  answer: string
} {
  const [answer = '', seconds = 'NaN'] = out.split('Run Time: real ')
  return { ms, queryMs: Number.parseFloat(seconds) * 1_000, answer: answer.trim().replaceAll('|', ',') }
}

function write(rows: readonly SqlFigures[], size: number): string {
  const cells = rows.flatMap(({ sql, ours, theirs, added, isSame }) => [
    ['sqlite3', sql, milliseconds(theirs.first), '1.00', milliseconds(theirs.second), '1.00', '–', megabytes(added)],
    [
      `Spillway${isSame ? '' : ', another answer'}`,
      sql,
      milliseconds(ours.first),
      ratio(ours.first, theirs.first),
      milliseconds(ours.second),
      ratio(ours.second, theirs.second),
      milliseconds(ours.pause),
      megabytes(ours.added),
    ],
  ])
  const heads = ['', 'statement', 'first, ms', 'ratio', 'again, ms', 'ratio', 'longest pause, ms', 'added MB']
  return `CSV of ${size} MB; \`sqlite3\` imports the file into memory, all columns as text:\n\n${table(heads, cells, 2)}`
}

function boundsOf(rows: readonly SqlFigures[], size: number): Section['bounds'] {
  const worst = (value: (row: SqlFigures) => number | undefined): number | undefined => largest(rows.map(value))
  const quotient = (ours: number | undefined, theirs: number | undefined): number | undefined =>
    ours === undefined || theirs === undefined ? undefined : ours / theirs
  return [
    {
      name: `SQL over CSV of ${size} MB, with loading: times sqlite3 with .import`,
      most: 3,
      value: worst(({ ours, theirs }) => quotient(ours.first, theirs.first)),
      where: '',
    },
    {
      name: `SQL over CSV of ${size} MB, again: times the query of sqlite3`,
      most: 2.5,
      value: worst(({ ours, theirs }) => quotient(ours.second, theirs.second)),
      where: '',
    },
    { name: 'SQL: other answers than sqlite3', most: 0, value: rows.filter(({ isSame }) => !isSame).length, where: '' },
  ]
}

/** Write a table of this many megabytes, the same in every run. Returns its file. */
function makeTable(size: number): string {
  mkdirSync(DATA, { recursive: true })
  const path = join(DATA, `table-${process.pid}.csv`)
  const file = openSync(path, 'w')
  let bytes = writeSync(file, 'id,day,level,service,status,ms,message\n')
  for (let id = 1; bytes < size * 1_048_576;) {
    const lines: string[] = []
    for (const end = id + 10_000; id < end; id++) {
      const random = Math.imul(id, 2_654_435_761) >>> 8
      const day = `2026-0${1 + (random % 9)}-1${random % 7}`
      const status = random % 11 === 0 ? 503 : 200
      const message = random % 5 === 0 ? `"order ${random}, retried"` : `order ${random} was sent to the queue`
      lines.push(`${id},${day},${LEVELS[random % 4]},service-${random % 23},${status},${random % 3_000},${message}\n`)
    }
    bytes += writeSync(file, lines.join(''))
  }
  closeSync(file)
  return path
}
