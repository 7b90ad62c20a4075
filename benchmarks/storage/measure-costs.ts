import type { ManagedStorage } from '@spillway/core'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { count, table } from '../report/table.ts'
import { known } from '../report/known.ts'
import type { Section } from '../report/section.ts'
import { TaskError } from '../report/task-error.ts'
import { makeContent } from './content.ts'
import { openCounted } from './counted-storage.ts'
import { makePlace, removePlace } from './place.ts'
import type { RunOptions } from './run-options.ts'

/** Prices of one server, and their date. */
interface Prices {
  readonly source: string
  readonly date: string
  readonly dollarsPerThousand: Readonly<Record<string, number>>
  readonly dollarsPerGigabyteMonth: number
  /** Assumptions: requests per second of one prefix, and the time of one page of a listing. */
  readonly requestsPerSecond: number
  readonly secondsPerPage: number
}

/** Numbers of requests by the name that has a price. */
type Requests = ReadonlyMap<string, number>

const ENTRY_BYTES = 102_400
const DAYS = 30
const READS = 2
const MILLION = 1_000_000
/** Numbers of entries in two scopes. Listing the second scope takes one page more. */
const FEW = 1
const MANY = 1_001
const PAGE = 1_000
const STORED = [1e3, 1e6, 1e9]

/** Count the requests of each operation on S3, and compute their prices and their growth. */
export async function measureCosts({ kinds, servers, pricesFile }: RunOptions): Promise<Section> {
  if (!kinds.includes('S3')) throw new TaskError('S3 is missing.')
  const file = pricesFile ?? join(import.meta.dirname, 's3-prices.json')
  const prices = JSON.parse(readFileSync(file, 'utf8')) as Prices
  const place = makePlace('S3', servers)
  const counted = await openCounted.S3(place)
  try {
    const asked = await askAll(counted.storage, counted.counts)
    return sectionOf(asked, prices)
  } finally {
    await counted.close()
    removePlace(place)
  }
}

async function askAll(storage: ManagedStorage, counts: () => Requests): Promise<ReadonlyMap<string, Requests>> {
  const asked = new Map<string, Requests>()
  const ask = async <Result>(operation: string, run: () => Promise<Result>): Promise<Result> => {
    const before = counts()
    const result = await run()
    const requests = new Map<string, number>()
    for (const [name, total] of counts()) {
      const added = total - (before.get(name) ?? 0)
      const priced = /list-type|uploads$/.test(name) && name.startsWith('GET') ? 'LIST' : known(name.split(' ')[0])
      if (added > 0) requests.set(priced, (requests.get(priced) ?? 0) + added)
    }
    asked.set(operation, requests)
    return result
  }
  const scope = storage.scope('tenant', 'session')
  await scope.stat(await scope.store('prepared', makeContent(10, 0)))
  const content = makeContent(ENTRY_BYTES, 1)
  const reference = await ask('store', () => scope.store('call', content))
  await ask('store again', () => scope.store('call', content))
  await ask('retrieve', () => scope.retrieve(reference))
  await ask('range', () => scope.retrieveRange(reference, { offset: 50_000, length: 100 }))
  await ask('stat', () => scope.stat(reference))
  await ask('delete', () => scope.delete(reference))
  for (const entries of [FEW, MANY]) {
    const all = storage.scope('tenant', `all-${entries}`)
    for (let index = 0; index < entries; index += 1) await all.store('call', makeContent(100, index))
    await ask(`list ${entries}`, () => Array.fromAsync(all.list()))
    await ask(`gc ${entries}`, () => all.gc())
    await ask(`clear ${entries}`, () => all.clear())
  }
  return asked
}

function sectionOf(asked: ReadonlyMap<string, Requests>, prices: Prices): Section {
  const dollars = (requests: Requests): number =>
    [...requests].reduce((sum, [name, times]) => sum + (times * (prices.dollarsPerThousand[name] ?? 0)) / 1_000, 0)
  const of = (operation: string): Requests => known(asked.get(operation))
  const single = ['store', 'store again', 'retrieve', 'range', 'stat', 'delete'].map((operation) => ({
    operation,
    requests: written(of(operation)),
    cost: dollars(of(operation)) * MILLION,
  }))
  const kept = ((ENTRY_BYTES * MILLION) / 1024 ** 3) * prices.dollarsPerGigabyteMonth * (DAYS / 30)
  const usual = (dollars(of('store')) + READS * dollars(of('range'))) * MILLION + kept
  const costs = [
    ...single,
    { operation: `keep for ${DAYS} days`, requests: 'none', cost: kept },
    { operation: `store, ${READS} ranges, keep`, requests: `1 PUT, ${READS} GET`, cost: usual },
  ]
  const growth = STORED.flatMap((stored) =>
    ['list', 'gc', 'clear'].map((operation) => {
      const requests = grown(of(`${operation} ${FEW}`), of(`${operation} ${MANY}`), stored)
      const { LIST: pages = 0, ...others } = Object.fromEntries(requests)
      const total = Object.values(others).reduce((sum, times) => sum + times, 0)
      const hours = Math.max(total / prices.requestsPerSecond, pages * prices.secondsPerPage) / 3_600
      return { stored, operation, requests: written(requests), cost: dollars(requests), hours }
    }),
  )
  const rows = growth.map(({ stored, operation, requests, cost, hours }) => [
    operation,
    count(stored),
    requests,
    cost.toFixed(2),
    hours.toFixed(2),
  ])
  return {
    text: [
      `Dollars per million, for entries of ${ENTRY_BYTES / 1_024} KB. Prices of ${prices.date}: ${prices.source}.`,
      table(
        ['', 'requests of one', 'dollars per million'],
        costs.map(({ operation, requests, cost }) => [operation, requests, cost.toFixed(2)]),
        2,
      ),
      `Computed from the requests for ${FEW} and for ${count(MANY)} entries. Assumed: at most ${count(prices.requestsPerSecond)} requests per second, and pages of a listing one after the other, each in ${prices.secondsPerPage * 1_000} ms.`,
      table(['all entries', 'stored', 'requests', 'dollars', 'hours'], rows, 3),
    ].join('\n\n'),
    bounds: [],
    figures: { prices, costs, growth },
  }
}

/** Scale requests: some are sent for each entry, some for each page, and the others once. */
function grown(few: Requests, many: Requests, stored: number): Requests {
  const scaled = [...many].map(([name, times]) => {
    const once = few.get(name) ?? 0
    const added = times - once
    return [name, once + added * (added < PAGE ? Math.ceil(stored / PAGE) - 1 : (stored - FEW) / PAGE)] as const
  })
  return new Map(scaled)
}

const written = (requests: Requests): string =>
  [...requests].map(([name, times]) => `${count(times)} ${name}`).join(', ') || 'none'
