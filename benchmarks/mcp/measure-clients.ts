import { startRedis } from '@spillway-internal/services'
import { join } from 'node:path'
import { count, table } from '../report/table.ts'
import { boundFaults, compareRates } from '../report/call-figures.ts'
import { worstFirst, type Comparison } from '../report/comparison.ts'
import type { SyntheticOptions } from '../report/run-synthetic.ts'
import type { Section } from '../report/section.ts'
import { cpuOf, quantile, startProcess, type StartedProcess } from '../server/start-process.ts'
import { f1 } from '../speed/lib.mjs'
import { runMcpClients, type McpClientOptions } from './run-mcp-clients.ts'

const CLIENTS = [1, 16, 64]
const QUICK_CLIENTS = [4]
/** Lengths of results in characters: a small result, and a result that is offloaded. */
const SIZES = [2_000, 35_000]
/** Number of requests with which a client begins. */
const GREETING = 3
const RELAY = 'bare relay'
const DIRECT = 'server, direct'

interface Row {
  readonly server: string
  readonly characters: number
  readonly clients: number
  readonly calls: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Milliseconds of CPU time for a call; absent if they cannot be read. */
  readonly cpu: number | undefined
  readonly failed: number
  readonly stored: number
  readonly lost: number
}

/** Measure the proxy over HTTP with several clients, and a relay built with the SDK that only forwards messages. */
export async function measureClients({ isQuick }: SyntheticOptions): Promise<Section> {
  const milliseconds = isQuick ? 30 : 700
  const redis = await startRedis()
  const started: StartedProcess[] = []
  const start = async (script: string, options: object): Promise<StartedProcess> => {
    const process = await startProcess(join(import.meta.dirname, script), options)
    started.push(process)
    return process
  }
  try {
    const direct = await start('http-server-process.ts', {})
    const { url } = direct
    const subjects: [string, StartedProcess][] = [
      [DIRECT, direct],
      [RELAY, await start('relay-process.ts', { url })],
    ]
    for (const [name, storage] of Object.entries({ memory: 'memory', SQLite: 'sqlite', Redis: redis.url }))
      subjects.push([`proxy, ${name}`, await start('proxy-process.ts', { url, storage })])
    const rows: Row[] = []
    // The first calls of each subject are not measured, because its code is not compiled yet.
    for (const [server, process] of isQuick ? [] : subjects)
      for (const characters of SIZES) await measure(server, process, { clients: 4, characters, milliseconds })
    for (const characters of SIZES)
      for (const clients of isQuick ? QUICK_CLIENTS : CLIENTS)
        for (const [server, process] of subjects)
          rows.push(await measure(server, process, { clients, characters, milliseconds }))
    return sectionOf(rows)
  } finally {
    for (const one of started.toReversed()) await one.stop()
    await redis.dispose()
  }
}

async function measure(server: string, process: StartedProcess, options: Omit<McpClientOptions, 'url'>): Promise<Row> {
  const before = cpuOf([process])
  const { latencies, seconds, failed, stored, lost } = await runMcpClients({ url: process.url, ...options })
  const after = cpuOf([process])
  const { characters, clients } = options
  // The CPU time includes the first requests of each client, and calls that read stored content again.
  const cpu =
    before === undefined || after === undefined
      ? undefined
      : (after - before) / (latencies.length + stored + GREETING * clients)
  const times = { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), cpu }
  const calls = latencies.length
  return { server, characters, clients, calls, perSecond: calls / seconds, ...times, failed, stored, lost }
}

function sectionOf(rows: readonly Row[]): Section {
  const ours = rows.filter(({ server }) => server !== RELAY && server !== DIRECT)
  const relayOf = (row: Row): Row | undefined =>
    rows.find((one) => one.server === RELAY && one.characters === row.characters && one.clients === row.clients)
  const cells = rows.map((row) => {
    const relay = relayOf(row)
    const times = relay === undefined || row === relay ? '' : f1(relay.perSecond / row.perSecond)
    const figures = [count(row.perSecond), f1(row.p50), f1(row.p99), row.cpu === undefined ? '' : f1(row.cpu)]
    return [count(row.characters), row.server, String(row.clients), ...figures, times]
  })
  const heads = ['characters', 'server', 'clients', 'per second', 'p50, ms', 'p99, ms', 'processor, ms', 'times']
  const titleOf = ({ characters, server, clients }: Row): string =>
    `${count(characters)} characters, ${server}, ${clients} clients`
  const compared = (row: Row): Comparison[] => {
    const relay = relayOf(row)
    return compareRates(`clients: ${titleOf(row)}`, row, RELAY, relay === undefined ? [] : [relay])
  }
  const worstOf = (characters: number): Comparison[] =>
    worstFirst(ours.filter((row) => row.characters === characters).flatMap(compared)).slice(0, 1)
  return {
    text: `Calls over HTTP, of clients with a session each. The server is one of the SDK, and each of its results is another. The relay is the transports of the SDK, which pass messages on. The proxy leaves ${count(SIZES[0] ?? 0)} characters as they are, and offloads ${count(SIZES[1] ?? 0)}; every reference is read again. The time of the processor includes the greeting and these reads.\n\n${table(heads, cells, 2)}`,
    bounds: boundFaults(ours, titleOf),
    comparisons: SIZES.flatMap(worstOf),
    figures: rows,
  }
}
