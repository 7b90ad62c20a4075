import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { estimateTokens } from '@spillway/core'
import { count, table } from '../report/table.ts'
import { besideLowest, type Comparison } from '../report/comparison.ts'
import { known } from '../report/known.ts'
import { worst, type Section } from '../report/section.ts'
import { proxyOf, SERVER, type Command } from './commands.ts'
import { canReadMemory, peakOf, resetPeakOf } from './process-memory.ts'
import { callTool, connectSdk } from './sdk-client.ts'

/** Limit of the proxy's memory above its memory without a call, as a multiple of the result's size. */
const MAX_MEMORY = 4
/** Limit of the time per megabyte at the largest size, relative to the second smallest: time may grow linearly. */
const MAX_GROWTH = 1.5
const MAX_TOKENS = 2_500
const SIZES = [1, 9, 25, 50, 100]
const QUICK_SIZES = [1, 9]

/** Time and memory of one call. */
interface Call {
  readonly seconds: number
  readonly tokens: number
  /** Peak memory above the resident memory before, in megabytes; absent if it cannot be read. */
  readonly added?: number
}

interface Figures extends Call {
  readonly megabytes: number
  /** Seconds of a call without the proxy, or the reason why the call failed. */
  readonly direct: number | string
}

/** Measure calls with large results through the proxy, with a new proxy for each call, and of the server itself. */
export async function measureLarge({ isQuick }: { readonly isQuick: boolean }): Promise<Section> {
  const figures: Figures[] = []
  for (const megabytes of isQuick ? QUICK_SIZES : SIZES) {
    const store = mkdtempSync(join(tmpdir(), 'spillway-bench-mcp-'))
    const runs: Call[] = []
    for (let run = 0; run < (isQuick ? 1 : 3); run++) runs.push(await callOnce(proxyOf(store), megabytes))
    rmSync(store, { recursive: true })
    const best = known(runs.toSorted((a, b) => a.seconds - b.seconds)[0])
    const added = canReadMemory ? Math.max(...runs.map((one) => one.added ?? 0)) : undefined
    figures.push({
      megabytes,
      ...best,
      ...(added === undefined ? {} : { added }),
      direct: await callDirectly(megabytes),
    })
  }
  const rows = figures.map(({ megabytes, seconds, tokens, added, direct }) => [
    `${megabytes} MB`,
    typeof direct === 'string' ? direct : seconds3(direct),
    seconds3(seconds),
    `${((seconds / megabytes) * 1_000).toFixed(0)} ms`,
    added === undefined ? 'not measured' : `${count(added)} MB`,
    added === undefined ? '' : (added / megabytes).toFixed(1),
    count(tokens),
  ])
  const heads = [
    'result',
    'SDK, direct',
    'through the proxy',
    'per MB',
    'memory of the proxy',
    'sizes',
    'tokens to the client',
  ]
  const rate = (at: number): number => (figures.at(at)?.seconds ?? 0) / (figures.at(at)?.megabytes ?? 1)
  return {
    text:
      'One call whose result is a log, over stdio: the server is one of the SDK, the client too. The best time of three ' +
      'proxies, each with one such call; the most memory of them, above what was resident before it, after a call with 1 MB.\n\n' +
      table(heads, rows),
    bounds: [
      worst(
        'memory of the proxy, in sizes of the result, from 9 MB on',
        MAX_MEMORY,
        figures
          .filter(({ megabytes }) => megabytes >= 9)
          .map(({ megabytes, added }) => ({
            value: added === undefined ? undefined : added / megabytes,
            where: `${megabytes} MB`,
          })),
      ),
      { name: 'time per megabyte, largest to 9 MB', most: MAX_GROWTH, value: rate(-1) / rate(1), where: 'largest' },
      worst(
        'tokens to the client',
        MAX_TOKENS,
        figures.map(({ megabytes, tokens }) => ({ value: tokens, where: `${megabytes} MB` })),
      ),
    ],
    comparisons: figures.flatMap(compareCall),
    figures,
  }
}

function compareCall({ megabytes, seconds, direct, added = 0 }: Figures): Comparison[] {
  const what = `a result of ${megabytes} MB`
  const floor = typeof direct === 'string' ? [] : [{ name: 'direct', value: direct }]
  return [
    { what: `${what}: time`, unit: 's', ours: seconds, floor: besideLowest(seconds, floor) },
    {
      what: `${what}: memory`,
      unit: 'MB',
      ours: added,
      floor: besideLowest(added, [{ name: 'the result', value: megabytes }]),
    },
  ]
}

async function callOnce(command: Command, megabytes: number): Promise<Call> {
  const client = await connectSdk(command)
  try {
    // The first call loads the code of previews, so it is not measured.
    await callTool(client, 'read_log', { megabytes: 1 })
    const before = canReadMemory ? resetPeakOf(client.pid) : undefined
    const start = performance.now()
    const content = await callTool(client, 'read_log', { megabytes })
    const seconds = (performance.now() - start) / 1_000
    const tokens = estimateTokens(content)
    return before === undefined ? { seconds, tokens } : { seconds, tokens, added: peakOf(client.pid) - before }
  } finally {
    await client.client.close()
  }
}

/** Return the seconds of a call without the proxy, or the reason why the call failed. */
async function callDirectly(megabytes: number): Promise<number | string> {
  try {
    return (await callOnce(SERVER, megabytes)).seconds
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return 'refused'
  }
}

const seconds3 = (seconds: number): string => `${seconds.toFixed(2)} s`
