import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { table } from '../report/table.ts'
import { besideLowest } from '../report/comparison.ts'
import type { Section } from '../report/section.ts'
import { proxyOf, SERVER } from './commands.ts'
import { callTool, connectSdk, type SdkClient } from './sdk-client.ts'

const MAX_ADDED_MS = 1
const SIZES: readonly (readonly [string, number])[] = [
  ['20 characters', 20],
  ['2,000 characters', 2_000],
]

/** Measure the time that the proxy adds to a call with a small result. Calls of proxy and server alternate. */
export async function measureOverhead({ isQuick }: { readonly isQuick: boolean }): Promise<Section> {
  const [rounds, calls] = isQuick ? [2, 50] : [20, 500]
  const store = mkdtempSync(join(tmpdir(), 'spillway-bench-mcp-'))
  const direct = await connectSdk(SERVER)
  const proxied = await connectSdk(proxyOf(store))
  try {
    const figures = []
    for (const [name, length] of SIZES) {
      const text = 'x'.repeat(length)
      const times: Record<'direct' | 'proxied', number[]> = { direct: [], proxied: [] }
      // The first calls of each are not measured, because the code is not compiled yet.
      for (const one of [direct, proxied]) await timeCalls(one, text, calls)
      for (let round = 0; round < rounds; round++) {
        times.direct.push(...(await timeCalls(direct, text, calls)))
        times.proxied.push(...(await timeCalls(proxied, text, calls)))
      }
      figures.push({ name, direct: quantiles(times.direct), proxied: quantiles(times.proxied) })
    }
    const rows = figures.map((one) => [
      one.name,
      ...[one.direct.median, one.proxied.median, one.proxied.median - one.direct.median].map(milliseconds),
      ...[one.direct.p99, one.proxied.p99].map(milliseconds),
    ])
    const heads = ['result', 'direct', 'through the proxy', 'added', 'direct, p99', 'through the proxy, p99']
    return {
      text: `Milliseconds of a call over stdio: medians of ${rounds * calls}, in turns, one call after the other.\n\n${table(heads, rows)}`,
      bounds: figures.map((one) => ({
        name: 'added to a small call, median',
        most: MAX_ADDED_MS,
        value: one.proxied.median - one.direct.median,
        where: one.name,
        unit: 'ms',
      })),
      comparisons: figures.map(({ name, direct: { median }, proxied }) => ({
        what: `a call with a result of ${name}`,
        unit: 'ms',
        ours: proxied.median,
        floor: besideLowest(proxied.median, [{ name: 'direct', value: median }]),
      })),
      figures,
    }
  } finally {
    await direct.client.close()
    await proxied.client.close()
    rmSync(store, { recursive: true })
  }
}

async function timeCalls(client: SdkClient, text: string, calls: number): Promise<number[]> {
  const times: number[] = []
  for (let call = 0; call < calls; call++) {
    const start = performance.now()
    await callTool(client, 'echo', { text })
    times.push(performance.now() - start)
  }
  return times
}

function quantiles(times: readonly number[]): { readonly median: number; readonly p99: number } {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
  return { median: at(0.5), p99: at(0.99) }
}

const milliseconds = (value: number): string => value.toFixed(2)
