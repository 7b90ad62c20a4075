import { fileURLToPath } from 'node:url'
import { count, table } from '../report/table.ts'
import { worstFirst, type Comparison } from '../report/comparison.ts'
import { known } from '../report/known.ts'
import { worst, type Section } from '../report/section.ts'
import { median, milliseconds } from '../report/write-figures.ts'
import type { Filling, GrowthFigures, GrowthTasks, Whole } from './growth-process.ts'
import { OPERATIONS } from './operations.ts'
import { makePlace, removePlace, type Kind, type Place } from './place.ts'
import { startRemote } from './remote.ts'
import type { RunOptions } from './run-options.ts'
import { makeBucket, removeBucket } from './services.ts'

const SCRIPT = fileURLToPath(new URL('growth-process.ts', import.meta.url))
const FEW = 1_000
const MANY = 100_000
/** Numbers of entries with `--full`. Storing them takes minutes. */
const MANY_FULLY: Readonly<Partial<Record<Kind, number>>> = {
  file: 300_000,
  SQLite: 1_000_000,
  Redis: 1_000_000,
  PostgreSQL: 1_000_000,
}
/** Time limit of a task: on a busy machine, filling a storage takes up to an hour. */
const LONGEST_TASK_MS = 3_600_000
const FEW_QUICKLY = 200
const MANY_QUICKLY = 400
const MOST = 1.2
const ROUNDS = 15
const BATCH = 40
const BATCH_IN_S3 = 10

/** The figures of one backend. */
export interface Growth {
  readonly kind: Kind
  readonly entries: number
  /** Figures of all entries. Absent in results of earlier versions. */
  readonly whole?: Whole & Omit<Filling, 'heapBytes'> & { readonly heapGrowth: number }
  readonly rows: readonly {
    readonly name: string
    readonly few: number
    readonly many: number
    readonly times: number
  }[]
}

/** Measure the cost of operations with few and with many stored entries. */
export async function measureGrowth(options: RunOptions): Promise<Section> {
  const all: Growth[] = []
  for (const kind of options.kinds) all.push(await measureKind(kind, options))
  return growthSection(all)
}

/** Write the figures of backends, which may be from different runs. */
export function growthSection(all: readonly Growth[]): Section {
  const rows = all.flatMap(({ kind, entries, rows: growth }) =>
    growth.map(({ name, few, many, times }) => [
      kind,
      name,
      milliseconds(few),
      `${milliseconds(many)} (${count(entries)})`,
      times.toFixed(2),
    ]),
  )
  const wholes = all.flatMap(({ kind, entries, whole }) => {
    if (whole === undefined) return []
    const { scopes, seconds, heapGrowth, listMs, heapBytes, gcMs } = whole
    const filled = ((seconds * 1_000) / entries).toFixed(3)
    const cells = [filled, tenths(heapGrowth), milliseconds(listMs), tenths(heapBytes), milliseconds(gcMs)]
    return [[kind, count(entries), count(scopes), ...cells]]
  })
  const heads = [
    '',
    'entries',
    'scopes',
    'filled, ms each',
    'heap added, MB',
    'list of all, ms',
    'heap added, MB',
    'gc of all, ms',
  ]
  return {
    text: [table(['', '', `${count(FEW)} entries, ms`, 'many, ms', 'times'], rows, 2), table(heads, wholes, 1)].join(
      '\n\n',
    ),
    bounds: all.map(({ kind, entries, rows: growth }) =>
      worst(
        `${kind}: ${count(entries)} entries, times the cost with ${count(FEW)}`,
        MOST,
        growth.map(({ name, times }) => ({ value: times, where: name })),
      ),
    ),
    comparisons: compareGrowth(all),
    figures: all,
  }
}

/** Compare the operation of each backend that grows most with its cost with few entries. */
function compareGrowth(all: readonly Growth[]): Comparison[] {
  return all.flatMap(({ kind, entries, rows }) =>
    worstFirst(
      rows.map(({ name, few, many, times }) => ({
        what: `${kind}: ${name}, with ${count(entries)} entries`,
        unit: 'ms',
        ours: many,
        floor: { name: `with ${count(FEW)}`, value: few, times },
      })),
    ).slice(0, 1),
  )
}

async function measureKind(kind: Kind, options: RunOptions): Promise<Growth> {
  const fully = options.isFull ? MANY_FULLY[kind] : undefined
  const entries = options.isQuick ? MANY_QUICKLY : (fully ?? MANY)
  const places = await Promise.all([
    apart(makePlace(kind, options.servers), 1),
    apart(makePlace(kind, options.servers), 2),
  ])
  const remote = startRemote<GrowthTasks>(SCRIPT, LONGEST_TASK_MS)
  try {
    const few = await remote.call('fill', { place: places[0], entries: options.isQuick ? FEW_QUICKLY : FEW })
    const many = await remote.call('fill', { place: places[1], entries })
    console.error(`${kind}: ${entries} entries in ${Math.round(many.seconds)} s`)
    const whole = { ...many, ...(await remote.call('whole')), heapGrowth: many.heapBytes - few.heapBytes }
    const rounds = options.isQuick ? 2 : ROUNDS
    const figures = await remote.call('measure', { rounds, batch: kind === 'S3' ? BATCH_IN_S3 : BATCH })
    return { kind, entries, whole, rows: rowsOf(figures) }
  } finally {
    remote.end()
    for (const place of places) {
      removePlace(place)
      if (place.s3 !== undefined && kind === 'S3') await removeBucket(place.s3)
    }
  }
}

/** Give each storage on a server a separate database or bucket. */
async function apart(place: Place, number: number): Promise<Place> {
  if (place.kind === 'Redis') return { ...place, redis: `${place.redis}/${number}` }
  if (place.kind !== 'S3') return place
  return { ...place, s3: await makeBucket({ ...known(place.s3), bucket: `${place.s3?.bucket}-growth-${number}` }) }
}

const tenths = (bytes: number): string => (bytes / 1e6).toFixed(1)

const rowsOf = (figures: GrowthFigures): Growth['rows'] =>
  OPERATIONS.map((name) => ({
    name,
    few: known(median(figures.map(({ small }) => small[name]))),
    many: known(median(figures.map(({ large }) => large[name]))),
    times: known(median(figures.map(({ small, large }) => large[name] / small[name]))),
  }))
