import { startRedis } from '@spillway-internal/services'
import { Redis } from 'ioredis'
import { count, table } from '../report/table.ts'
import type { SyntheticOptions } from '../report/run-synthetic.ts'
import { boundFaults } from '../report/call-figures.ts'
import { besideHighest, besideLowest, type Comparison } from '../report/comparison.ts'
import { known } from '../report/known.ts'
import { worst, type Section } from '../report/section.ts'
import { f1 } from '../speed/lib.mjs'
import { OPERATIONS } from './call-requests.ts'
import { callTitle } from './measure-calls.ts'
import { countLost, prepare, runCalls, startService, type CallRow } from './run-calls.ts'
import type { StartedProcess } from './start-process.ts'

const PROCESSES = [1, 2, 4]
const QUICK_PROCESSES = [1, 2]
const CLIENTS = 16
/** Limit of the additional commands of a request with several processes, for example for a result not in a cache. */
const MAX_ADDED = 2
/** Commands for connecting and measuring. */
const OWN = /^(?:info|config|client|hello|auth|select|ping|command)\b/
/** Commands with which clients wait for each other. */
const WAITING = /^(?:watch|multi|wait|b[lrz]\w+)$/

/** Figures of one operation with several processes. */
export interface ProcessesRow extends CallRow {
  readonly processes: number
  /** Commands of Redis per request, by name. */
  readonly commands: Readonly<Record<string, number>>
}

/** Measure one, two, and four services on one Redis: commands of each request, and lost results. */
export async function measureProcesses({ isQuick }: SyntheticOptions): Promise<Section> {
  const milliseconds = isQuick ? 50 : 1_500
  const rows: ProcessesRow[] = []
  for (const processes of isQuick ? QUICK_PROCESSES : PROCESSES)
    rows.push(...(await measureSome(processes, milliseconds)))
  const cells = rows.map((row) => [
    row.operation,
    String(row.processes),
    ...[count(row.perSecond), f1(row.p50), f1(row.p99), commandsOf(row) === 0 ? '0' : f1(commandsOf(row))],
    Object.entries(row.commands)
      .map(([name, times]) => `${f1(times)} ${name}`)
      .join(', '),
  ])
  const heads = ['operation', 'processes', 'per second', 'p50, ms', 'p99, ms', 'commands', 'of which']
  const waiting = rows.map((row) => ({
    value: Object.entries(row.commands).reduce((sum, [name, times]) => sum + (WAITING.test(name) ? times : 0), 0),
    where: titleOf(row),
  }))
  const added = rows.map((row) => ({ value: commandsOf(row) - commandsOf(firstOf(rows, row)), where: titleOf(row) }))
  return {
    text: `${CLIENTS} clients in turns over processes of \`spillway serve\` with one Redis. \`commands\` are those of Redis for each request, also within scripts. Reads take almost none, because caches have their content. Each offloaded result is read again over another process than the one that stored it. All processes share two cores, so their number does not make them faster.\n\n${table(heads, cells)}`,
    bounds: [
      ...boundFaults(rows, callTitle),
      worst('commands of a request more than with one process', MAX_ADDED, added),
      worst('commands that wait for other clients', 0, waiting),
    ],
    comparisons: compareProcesses(rows),
    figures: rows,
  }
}

/** Compare offloads with the most processes and with one process. */
function compareProcesses(rows: readonly ProcessesRow[]): Comparison[] {
  const last = known(rows.findLast(({ operation }) => operation === 'offload'))
  const first = firstOf(rows, last)
  const what = `offload, ${last.processes} processes over one Redis`
  const commands = besideLowest(commandsOf(last), [{ name: 'one process', value: commandsOf(first) }])
  const perSecond = besideHighest(last.perSecond, [{ name: 'one process', value: first.perSecond }])
  return [
    { what: `${what}: commands of Redis`, unit: '', ours: commandsOf(last), floor: commands },
    { what: `${what}: per second`, unit: '', ours: last.perSecond, floor: perSecond },
  ]
}

async function measureSome(number: number, milliseconds: number): Promise<ProcessesRow[]> {
  const redis = await startRedis()
  const client = new Redis(redis.url)
  const started: StartedProcess[] = []
  try {
    for (let index = 0; index < number; index += 1) started.push(await startService(redis.url))
    const name = 'spillway serve, Redis'
    const all = { name, processes: started, references: [] }
    const { servers } = await prepare(all, milliseconds)
    const rows: ProcessesRow[] = []
    for (const operation of OPERATIONS) {
      const before = await commandsSoFar(client)
      const { row, figures } = await runCalls(servers, { operation, clients: CLIENTS, milliseconds })
      const after = await commandsSoFar(client)
      const commands = [...after].flatMap(([command, times]) => {
        const each = (times - (before.get(command) ?? 0)) / row.requests
        return each > 0 ? [[command, each] as const] : []
      })
      const lost = await countLost(servers, figures.stored)
      rows.push({
        ...row,
        lost,
        processes: number,
        commands: Object.fromEntries(commands.toSorted(([, a], [, b]) => b - a)),
      })
    }
    return rows
  } finally {
    client.disconnect()
    for (const one of started) await one.stop()
    await redis.dispose()
  }
}

/** Count the calls of each command since the start of the server. */
async function commandsSoFar(client: Redis): Promise<ReadonlyMap<string, number>> {
  const lines = (await client.info('commandstats')).matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)
  return new Map([...lines].flatMap(([, name = '', calls]) => (OWN.test(name) ? [] : [[name, Number(calls)]])))
}

const commandsOf = ({ commands }: ProcessesRow): number =>
  Object.values(commands).reduce((sum, times) => sum + times, 0)

const firstOf = (rows: readonly ProcessesRow[], { operation }: ProcessesRow): ProcessesRow =>
  known(rows.find((row) => row.operation === operation))

const titleOf = ({ operation, processes }: ProcessesRow): string => `${operation}, ${processes} processes`
