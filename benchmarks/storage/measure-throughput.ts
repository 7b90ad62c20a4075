import { fileURLToPath } from 'node:url'
import { table } from '../report/table.ts'
import { besideLowest, worstFirst, type Comparison } from '../report/comparison.ts'
import { known } from '../report/known.ts'
import { worst, type Bound, type Section } from '../report/section.ts'
import { median, milliseconds } from '../report/write-figures.ts'
import { makePlace, removePlace, type Kind, type Place } from './place.ts'
import { startRemote, type Remote } from './remote.ts'
import type { RunOptions } from './run-options.ts'
import { OURS, subjectsOf } from './subjects/open-subject.ts'
import type { Batch, ThroughputTasks } from './throughput-process.ts'

const SCRIPT = fileURLToPath(new URL('throughput-process.ts', import.meta.url))

interface Size {
  readonly name: string
  readonly bytes: number
  /** Number of contents in a batch: by default, and in S3. */
  readonly count: number
  readonly countInS3: number
  /** Number of concurrent operations. Defaults to 1. */
  readonly clients?: number
  /** Limit of our time as a multiple of the floor. Defaults to no limit. */
  readonly most?: (kind: Kind) => number
}

const SIZES: readonly Size[] = [
  { name: '1 KB', bytes: 1_024, count: 40, countInS3: 15 },
  { name: '16 KB', bytes: 16_384, count: 40, countInS3: 15, most: (kind) => 1 / (kind === 'file' ? 0.45 : 0.5) },
  { name: '100 KB', bytes: 102_400, count: 30, countInS3: 15, most: (kind) => 1 / (kind === 'file' ? 0.5 : 0.7) },
  { name: '10 MB', bytes: 10_485_760, count: 4, countInS3: 2, most: () => 1 / 0.85 },
  { name: '100 MB', bytes: 104_857_600, count: 1, countInS3: 1 },
  { name: '16 KB, 32 clients', bytes: 16_384, count: 320, countInS3: 64, clients: 32 },
]
/** Size limit of a quick run, because larger sizes would take minutes. */
const MAX_BYTES_QUICKLY = 10_485_760
const ROUNDS = 5
/**
 * Number of passes, each with new processes. On a machine with few cores, the speed depends on the cores that run the
 * processes of a client and its server, and stays the same as long as they live.
 */
const PASSES = 5
/** Number of batches for warming up, because code reaches its full speed after a few hundred calls. */
const WARM_UP_BATCHES = 6
const SEEDS_PER_BATCH = 1_000

/** Figures of one size in one backend. The first row of each size is its floor. */
interface Row {
  readonly kind: Kind
  readonly size: string
  readonly name: string
  /** Milliseconds of an operation. */
  readonly store: number
  readonly retrieve: number
  /** Time of the floor divided by this time, in the same round; 1 for the floor. */
  readonly storeOfFloor: number
  readonly retrieveOfFloor: number
  /** The same without SHA-256 in the floor, because retrieving needs no hash. */
  readonly retrieveOfClient: number
}

interface Competitor {
  readonly name: string
  readonly place: Place
  readonly remote: Remote<ThroughputTasks>
}

/** Measure storing and retrieving, one block after another. */
export async function measureThroughput(options: RunOptions): Promise<Section> {
  const rows: Row[] = []
  for (const kind of options.kinds) rows.push(...(await measureKind(kind, options)))
  return {
    text: options.kinds.map((kind) => writeKind(rows.filter((row) => row.kind === kind))).join('\n\n'),
    bounds: boundsOf(rows),
    comparisons: compareThroughput(rows),
    figures: rows,
  }
}

type Round = ReadonlyMap<string, Batch>

async function measureKind(kind: Kind, options: RunOptions): Promise<Row[]> {
  const sizes = SIZES.filter(({ bytes }) => !options.isQuick || bytes <= MAX_BYTES_QUICKLY)
  const rounds = new Map<Size, Round[]>(sizes.map((size) => [size, []]))
  for (let pass = 0; pass < (options.isQuick ? 1 : PASSES); pass += 1) await measurePass(kind, options, rounds)
  const names = subjectsOf(kind, !options.isQuick)
  return [...rounds].flatMap(([{ name: size }, of]) =>
    names.map((name) => rowOf(kind, size, name, known(names[0]), of)),
  )
}

async function measurePass(kind: Kind, options: RunOptions, rounds: ReadonlyMap<Size, Round[]>): Promise<void> {
  const competitors: Competitor[] = []
  try {
    for (const name of subjectsOf(kind, !options.isQuick)) {
      const competitor = { name, place: makePlace(kind, options.servers), remote: startRemote<ThroughputTasks>(SCRIPT) }
      competitors.push(competitor)
      await competitor.remote.call('open', { name, place: competitor.place })
    }
    for (const [size, of] of rounds) of.push(...(await measureSize(kind, size, competitors, options)))
    for (const { remote } of competitors) await remote.call('close')
  } finally {
    for (const { remote, place } of competitors) {
      remote.end()
      removePlace(place)
    }
  }
}

async function measureSize(
  kind: Kind,
  size: Size,
  competitors: readonly Competitor[],
  { isQuick }: RunOptions,
): Promise<Round[]> {
  const count = Math.ceil((kind === 'S3' ? size.countInS3 : size.count) / (isQuick ? 4 : 1))
  const warmUp = isQuick || size.bytes > 1_048_576 ? 1 : WARM_UP_BATCHES
  const rounds: Round[] = []
  for (let round = -warmUp; round < (isQuick ? 2 : ROUNDS); round += 1) {
    const batches = new Map<string, Batch>()
    // They take turns in changing order, so that other work on the machine affects all of them.
    const first = Math.abs(round) % competitors.length
    for (const { name, remote } of [...competitors.slice(first), ...competitors.slice(0, first)]) {
      const seed = size.bytes * 1_000_000 + (round + warmUp) * SEEDS_PER_BATCH
      batches.set(name, await remote.call('batch', { size: size.bytes, count, seed, clients: size.clients ?? 1 }))
    }
    if (round >= 0) rounds.push(batches)
  }
  return rounds
}

function rowOf(kind: Kind, size: string, name: string, floorName: string, rounds: readonly Round[]): Row {
  const figures = rounds.map((batches) => {
    const floor = mediansOf(known(batches.get(floorName)))
    const own = mediansOf(known(batches.get(name)))
    const hash = name === floorName ? floor.hash : 0
    return {
      store: own.store + hash,
      retrieve: own.retrieve + hash,
      storeOfFloor: (floor.store + floor.hash) / (own.store + hash),
      retrieveOfFloor: (floor.retrieve + floor.hash) / (own.retrieve + hash),
      retrieveOfClient: floor.retrieve / own.retrieve,
    }
  })
  const of = (figure: keyof (typeof figures)[number]): number => known(median(figures.map((round) => round[figure])))
  return {
    kind,
    size,
    name,
    store: of('store'),
    retrieve: of('retrieve'),
    storeOfFloor: of('storeOfFloor'),
    retrieveOfFloor: of('retrieveOfFloor'),
    retrieveOfClient: of('retrieveOfClient'),
  }
}

const mediansOf = ({ store, retrieve, hash }: Batch): { store: number; retrieve: number; hash: number } => ({
  store: known(median(store)),
  retrieve: known(median(retrieve)),
  hash: known(median(hash)),
})

function writeKind(rows: readonly Row[]): string {
  const heads = [
    known(rows[0]).kind,
    'block',
    'store, ms',
    'of the floor',
    'retrieve, ms',
    'of the floor',
    'of the client',
  ]
  const cells = rows.map((row) => [
    row.name,
    row.size,
    milliseconds(row.store),
    row.storeOfFloor.toFixed(2),
    milliseconds(row.retrieve),
    row.retrieveOfFloor.toFixed(2),
    row.retrieveOfClient.toFixed(2),
  ])
  return table(heads, cells, 2)
}

/** Compare storing and retrieving in each backend, at the size at which Spillway is the worst. */
export function compareThroughput(rows: readonly Row[]): Comparison[] {
  return [...Map.groupBy(rows, ({ kind }) => kind)].flatMap(([kind, ofKind]) =>
    (['store', 'retrieve'] as const).flatMap((operation) => {
      const sizes = [...Map.groupBy(ofKind, ({ size }) => size).values()]
      return worstFirst(sizes.map((ofSize) => compareSize(ofSize, operation, `${kind}: ${operation}`))).slice(0, 1)
    }),
  )
}

function compareSize(rows: readonly Row[], operation: 'store' | 'retrieve', what: string): Comparison {
  const [floor, ours] = [known(rows[0]), known(rows.find(({ name }) => name === OURS))]
  const others = rows.filter(({ kind, name }) => name !== floor.name && !name.startsWith(OURS) && !isBare(kind, name))
  return {
    what: `${what} ${ours.size}`,
    unit: 'ms',
    ours: ours[operation],
    floor: { name: floor.name, value: floor[operation], times: 1 / ours[`${operation}OfFloor`] },
    other: besideLowest(
      ours[operation],
      others.map((row) => ({ name: row.name, value: row[operation] })),
    ),
  }
}

/** Whether the subject neither copies nor hashes: unstorage in memory keeps the caller's own bytes. */
const isBare = (kind: Kind, name: string): boolean => kind === 'memory' && name === 'unstorage'

function boundsOf(rows: readonly Row[]): Bound[] {
  const bounds: Bound[] = []
  for (const { name: size, most } of SIZES)
    for (const isFile of most === undefined ? [] : [false, true]) {
      const ours = rows.filter((row) => row.name === OURS && row.size === size && (row.kind === 'file') === isFile)
      const [first] = ours
      if (first === undefined) continue
      bounds.push(
        worst(
          `${isFile ? 'file: ' : ''}${size}: times the floor`,
          most?.(first.kind) ?? Infinity,
          ours.flatMap(({ kind, storeOfFloor, retrieveOfFloor }) => [
            { value: 1 / storeOfFloor, where: `${kind}, store` },
            { value: 1 / retrieveOfFloor, where: `${kind}, retrieve` },
          ]),
        ),
      )
    }
  return bounds
}
