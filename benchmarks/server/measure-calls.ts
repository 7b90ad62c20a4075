import { startRedis, type RedisServer } from '@spillway-internal/services'
import { join } from 'node:path'
import { count, table } from '../report/table.ts'
import { boundFaults, compareRates } from '../report/call-figures.ts'
import { worstFirst, type Comparison } from '../report/comparison.ts'
import type { SyntheticOptions } from '../report/run-synthetic.ts'
import type { Section } from '../report/section.ts'
import { f1 } from '../speed/lib.mjs'
import { OPERATIONS } from './call-requests.ts'
import { countLost, prepare, runCalls, startService, type CallRow, type Servers } from './run-calls.ts'
import { startProcess, type StartedProcess } from './start-process.ts'

const CLIENTS = [1, 16, 64]
const QUICK_CLIENTS = [4]
const BARE = 'bare Hono'
/** Number of rows for docs/benchmarks.md. */
const SHOWN = 4

/** Measure single calls of the service, and of a bare server that gives the same answers without any work. */
export async function measureCalls({ isQuick }: SyntheticOptions): Promise<Section> {
  const milliseconds = isQuick ? 30 : 700
  const redis = await startRedis()
  const started: StartedProcess[] = []
  try {
    const subjects = await startSubjects(started, redis, milliseconds)
    const rows: CallRow[] = []
    for (const clients of isQuick ? QUICK_CLIENTS : CLIENTS)
      for (const operation of OPERATIONS)
        for (const servers of subjects) {
          const { row, figures } = await runCalls(servers, { clients, operation, milliseconds })
          rows.push({ ...row, lost: servers.name === BARE ? 0 : await countLost(servers, figures.stored) })
        }
    return sectionOf(rows)
  } finally {
    for (const one of started) await one.stop()
    await redis.dispose()
  }
}

async function startSubjects(started: StartedProcess[], redis: RedisServer, milliseconds: number): Promise<Servers[]> {
  const subjects: Servers[] = []
  let answers: Readonly<Record<string, string>> = {}
  const storages = { memory: 'memory', SQLite: 'sqlite', Redis: redis.url }
  for (const [name, storage] of Object.entries(storages)) {
    const service = await startService(storage)
    started.push(service)
    const ours = { name: `spillway serve, ${name}`, processes: [service], references: [] }
    const prepared = await prepare(ours, milliseconds)
    subjects.push(prepared.servers)
    answers = prepared.answers
  }
  const bare = await startProcess(join(import.meta.dirname, 'bare-process.ts'), answers)
  started.push(bare)
  const { servers } = await prepare({ name: BARE, processes: [bare], references: ['any'] }, milliseconds)
  return [servers, ...subjects]
}

function sectionOf(rows: readonly CallRow[]): Section {
  const ours = rows.filter(({ server }) => server !== BARE)
  const bareOf = ({ operation, clients }: CallRow): CallRow[] =>
    rows.filter((row) => row.server === BARE && row.operation === operation && row.clients === clients)
  const cells = rows.map((row) => {
    const [bare = row] = bareOf(row)
    const times = row === bare ? ['', ''] : [f1(bare.perSecond / row.perSecond), f1(row.p99 / bare.p99)]
    const figures = [count(row.perSecond), f1(row.p50), f1(row.p99), row.cpu === undefined ? '' : f1(row.cpu)]
    return [row.operation, row.server, String(row.clients), ...figures, ...times]
  })
  const heads = [
    'operation',
    'server',
    'clients',
    'per second',
    'p50, ms',
    'p99, ms',
    'processor, ms',
    'times',
    'times of p99',
  ]
  return {
    text: `Each client sends one request after another, over connections that stay. \`inline\` offloads a result of 3,500 characters, which comes back unchanged; \`offload\` one of 35,000. \`retrieve\` searches such a result by a pattern, and \`range\` reads 16 KB of it. The bare server receives the same bodies and gives the same answers, without work. Every result that was offloaded is read again and compared.\n\n${table(heads, cells, 2)}`,
    bounds: boundFaults(ours, callTitle),
    comparisons: worstFirst(ours.flatMap((row) => compareRates(callTitle(row), row, BARE, bareOf(row))))
      .filter((comparison, index, all) => all.findIndex((other) => kindOf(other) === kindOf(comparison)) === index)
      .slice(0, SHOWN),
    figures: rows,
  }
}

/** Return the operation of a comparison: only the worst case of each operation is shown. */
const kindOf = ({ what }: Comparison): string => what.replace(/,.*/, '')

/** Return the title of a row. */
export const callTitle = ({ operation, server, clients }: CallRow): string =>
  `${operation}, ${server}, ${clients} clients`
