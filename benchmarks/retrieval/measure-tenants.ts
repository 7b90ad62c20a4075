import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { table } from '../report/table.ts'
import { besideLowest, worstFirst } from '../report/comparison.ts'
import { worst, type Section } from '../report/section.ts'
import { milliseconds } from '../report/write-figures.ts'
import type { RunOptions } from './run-options.ts'

type Call = Readonly<Record<string, unknown>>

/** Calls of the victim on 5,000 lines. */
const VICTIM_CALLS: Readonly<Record<string, Call>> = {
  'ten lines': { line_range: { start: 100, end: 110 } },
  keyword: { pattern: 'value 77' },
  'regular expression': { pattern: 'value \\d+7 ok$' },
  'nested repeats': { pattern: '(\\w+\\s?)+ 4999' },
  'look-around': { pattern: '(\\w+) (?!.*\\1 4)\\w+ 49(?=99)' },
  query: { query: 'value of the last ok line' },
}

/** Attacks by another tenant. `calls` is the number of its calls that run at the same time. */
const ATTACKS: readonly {
  readonly name: string
  readonly calls: number
  readonly call: Call
  readonly isLarge: boolean
}[] = [
  { name: 'nobody else', calls: 0, call: {}, isLarge: false },
  { name: '64 × `(a+)+$`', calls: 64, call: { pattern: '(a+)+$' }, isLarge: false },
  { name: '64 × `(a+)\\1+b`', calls: 64, call: { pattern: '(a+)\\1+b' }, isLarge: false },
  { name: '16 × `\\w+\\d+x$`, 25 MB', calls: 16, call: { pattern: '\\w+\\d+x$' }, isLarge: true },
  { name: '8 × query, 25 MB', calls: 8, call: { query: 'value nobody wrote' }, isLarge: true },
]

/** Time limit of a victim's call during an attack. */
const MOST_MS = 250

/** Measure the calls of one tenant while another tenant attacks in the same process. */
export async function measureTenants(options: RunOptions): Promise<Section> {
  const rounds = options.isQuick ? 3 : 20
  const lines = (count: number): string =>
    Array.from({ length: count }, (_, at) => `line ${at} value ${at % 991} ok`).join('\n')
  const rows: { readonly attack: string; readonly median: readonly number[]; readonly longest: readonly number[] }[] =
    []
  for (const { name, calls, call, isLarge } of ATTACKS.slice(0, options.isQuick ? 2 : undefined)) {
    const storage = new InMemoryStorage({ evictAfterTurns: null })
    const offloader = new ContextOffloader({ storage })
    const victim = await store(storage, 'victim', lines(5_000))
    const attacker = await store(
      storage,
      'attacker',
      isLarge ? lines(1_000_000) : `${'a'.repeat(5_000)}!\n${'a'.repeat(200_000)}!`,
    )
    const stop = new AbortController()
    const { retrievalTool: attackers } = offloader.forScope('attacker')
    const attack = Array.from({ length: calls }, async () => {
      while (!stop.signal.aborted) await attackers.execute({ ...call, reference: attacker }, { signal: stop.signal })
    })
    const { retrievalTool } = offloader.forScope('victim')
    const times: number[][] = []
    for (const asked of Object.values(VICTIM_CALLS)) {
      const own: number[] = []
      for (let round = 0; round < rounds; round++) {
        const begin = performance.now()
        const result = await retrievalTool.execute({ ...asked, reference: victim })
        if (result.isError) throw new Error(`The victim got an error: ${JSON.stringify(result.content)}`)
        own.push(performance.now() - begin)
      }
      times.push(own.toSorted((a, b) => a - b))
    }
    stop.abort()
    await Promise.all(attack)
    rows.push({
      attack: name,
      median: times.map((own) => own[Math.floor(own.length / 2)] ?? Infinity),
      longest: times.map((own) => own.at(-1) ?? Infinity),
    })
  }
  const cells = rows.map(({ attack, median, longest }) => [
    attack,
    ...median.map((time, index) => `${milliseconds(time)} / ${milliseconds(longest[index])}`),
  ])
  const slowest = rows.flatMap(({ attack, median }) =>
    median.map((value, index) => ({ value, where: `${Object.keys(VICTIM_CALLS)[index]}, ${attack}` })),
  )
  const [alone] = rows
  const comparisons = rows.slice(1).flatMap(({ attack, median }) =>
    median.map((ours, index) => ({
      what: `a call (${Object.keys(VICTIM_CALLS)[index]}) beside another tenant: ${attack}`,
      unit: 'ms',
      ours,
      floor: besideLowest(ours, [{ name: 'alone', value: alone?.median[index] }]),
    })),
  )
  return {
    text: `Median / longest of ${rounds} calls of a tenant, in milliseconds, while another tenant works in the same process:\n\n${table(['', ...Object.keys(VICTIM_CALLS)], cells, 1)}`,
    bounds: [worst('a call beside a hostile tenant: median', MOST_MS, slowest, 'ms')],
    comparisons: worstFirst(comparisons).slice(0, 1),
    figures: rows,
  }
}

async function store(storage: InMemoryStorage, scope: string, text: string): Promise<string> {
  return await storage.scope(scope).store('log', new TextEncoder().encode(text))
}
