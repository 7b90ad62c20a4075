import { fileURLToPath } from 'node:url'
import { table } from '../report/table.ts'
import { besideLowest, worstFirst, type Comparison } from '../report/comparison.ts'
import { known } from '../report/known.ts'
import { worst, type Section } from '../report/section.ts'
import { bytes, median, megabytes, milliseconds } from '../report/write-figures.ts'
import type { LargeTasks, PieceFigures, StreamFigures } from './large-process.ts'
import { makePlace, removePlace, type Kind, type Place } from './place.ts'
import { startRemote } from './remote.ts'
import type { RunOptions } from './run-options.ts'

const SCRIPT = fileURLToPath(new URL('large-process.ts', import.meta.url))
const MEBIBYTE = 1_048_576
const PIECE_BYTES = 65_536
/** Size of the content in megabytes. Redis has all content in memory. */
const SIZES: Readonly<Record<Kind, number>> = {
  memory: 256,
  file: 1_024,
  SQLite: 1_024,
  Redis: 256,
  PostgreSQL: 1_024,
  S3: 1_024,
}
const SIZE_QUICKLY = 8
const ROUNDS = 5
const MOST_READ_KB = 512
const MOST_ADDED_MB = 150
/** Backends whose content is not in the memory of the process that stores it. */
const OUTSIDE = ['file', 'SQLite', 'Redis', 'PostgreSQL', 'S3'] as const satisfies readonly Kind[]

interface Row {
  readonly kind: Kind
  readonly megabytes: number
  readonly stream: StreamFigures
  readonly piece: PieceFigures
}

/** Measure storing large content as a stream, and reading 64 KB from the middle of it. */
export async function measureLarge(options: RunOptions): Promise<Section> {
  const rows: Row[] = []
  for (const kind of OUTSIDE) if (options.kinds.includes(kind)) rows.push(await measureKind(kind, options))
  const heads = ['', 'size', 'stored in, s', 'memory added, MB', '64 KB read in, ms', 'again, ms', 'received']
  const cells = rows.map(({ kind, megabytes: size, stream, piece }) => [
    kind,
    `${size} MB`,
    stream.seconds.toFixed(2),
    megabytes(stream.added),
    milliseconds(piece.ms),
    milliseconds(piece.againMs),
    bytes(piece.bytes),
  ])
  return {
    text: table(heads, cells, 2),
    bounds: [
      worst(
        '64 KB out of a large entry: received from the backend',
        MOST_READ_KB,
        rows.map(({ kind, piece }) => ({ value: piece.bytes / 1_024, where: kind })),
        'KB',
      ),
      worst(
        'a large stream stored: memory added',
        MOST_ADDED_MB,
        // Redis can hold only a small stream, so its memory is shown without a bound.
        rows.filter(({ kind }) => kind !== 'Redis').map(({ kind, stream }) => ({ value: stream.added, where: kind })),
        'MB',
      ),
    ],
    comparisons: compareLarge(rows),
    figures: rows,
  }
}

/** Compare the bytes that the worst backend sends for a part of large content with the length of the part. */
function compareLarge(rows: readonly Row[]): Comparison[] {
  const all = rows.map(({ kind, megabytes: size, piece }) => {
    const ours = piece.bytes / 1_024
    return {
      what: `${kind}: received for 64 KB out of ${size} MB`,
      unit: 'KB',
      ours,
      floor: besideLowest(ours, [{ name: 'asked for', value: PIECE_BYTES / 1_024 }]),
    }
  })
  return worstFirst(all).slice(0, 1)
}

async function measureKind(kind: Kind, options: RunOptions): Promise<Row> {
  const size = options.isQuick ? SIZE_QUICKLY : SIZES[kind]
  const place = makePlace(kind, options.servers)
  try {
    const stream = await inProcess('store', { place, bytes: size * MEBIBYTE })
    const offset = Math.floor((size * MEBIBYTE) / 2) + 1
    const pieces: PieceFigures[] = []
    for (let round = 0; round < (options.isQuick ? 1 : ROUNDS); round += 1)
      pieces.push(await inProcess('read', { place, reference: stream.reference, offset, length: PIECE_BYTES }))
    const of = (figure: keyof PieceFigures): number => known(median(pieces.map((piece) => piece[figure])))
    return { kind, megabytes: size, stream, piece: { ms: of('ms'), againMs: of('againMs'), bytes: of('bytes') } }
  } finally {
    await discard(place)
  }
}

async function discard(place: Place): Promise<void> {
  try {
    if (place.kind === 'Redis' || place.kind === 'PostgreSQL' || place.kind === 'S3')
      await inProcess('clear', { place })
  } finally {
    removePlace(place)
  }
}

async function inProcess<Name extends keyof LargeTasks>(
  name: Name,
  input: Parameters<LargeTasks[Name]>[0],
): Promise<Awaited<ReturnType<LargeTasks[Name]>>> {
  const remote = startRemote<LargeTasks>(SCRIPT)
  try {
    return (await remote.call(name, ...([input] as never))) as Awaited<ReturnType<LargeTasks[Name]>>
  } finally {
    remote.end()
  }
}
