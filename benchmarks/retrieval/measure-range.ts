import { table } from '../report/table.ts'
import { bytesReadBy, outputOf, peakOf, timeCommand, type Command, type CommandName } from './commands.ts'
import { makeContent, type Content } from './contents.ts'
import type { RunOptions } from './run-options.ts'
import { besideLowest, worstFirst, type Comparison } from '../report/comparison.ts'
import { worst, type Bound, type Section } from '../report/section.ts'
import type { SubjectName } from './subjects/open-subject.ts'
import { inProcess, type LineCalls } from './tasks.ts'
import { bytes, largest, median, megabytes, milliseconds } from '../report/write-figures.ts'

const LINES = 50
const OURS = 'Spillway, file'
/** Distance of places in lines. Places at this distance have no common block. */
const STEP = 2_000
const OTHER_PLACES = 9
const LATER_CALLS = 5
/** Number of characters of a line that are compared. */
const PREFIX = 60
const PLACES = ['start', 'middle', 'end'] as const
const SUBJECTS: readonly SubjectName[] = [
  OURS,
  'Spillway, memory',
  'Strands, file',
  'Strands, memory',
  'V8, blocks of the file',
  'both ends of the file',
]
/** Size limit of content in memory, because not all implementations can hold larger content. */
const MOST_IN_MEMORY = 100

type PlaceName = (typeof PLACES)[number]

interface RangeFigures {
  readonly who: string
  readonly place: PlaceName
  /** Milliseconds of a process's first call, of later calls at other places, and of the first call again. */
  readonly first: number | undefined
  readonly elsewhere?: number | undefined
  readonly again?: number | undefined
  /** Bytes read during the first call. */
  readonly read: number | undefined
  readonly added: number | undefined
  readonly problem?: string | undefined
}

interface SizeFigures {
  readonly megabytes: number
  readonly rows: readonly RangeFigures[]
}

/** Measure reading of lines at the start, in the middle, and at the end. */
export async function measureRange(options: RunOptions): Promise<Section> {
  const figures: SizeFigures[] = []
  for (const size of options.isQuick ? [10] : [100, 1_024]) {
    const content = await makeContent('log', size, options)
    figures.push({ megabytes: size, rows: await measureSize(size, content, options) })
    content.forget()
  }
  return {
    text: figures.map(writeSize).join('\n\n'),
    bounds: figures.flatMap(boundsOf),
    comparisons: figures.flatMap(compareSize),
    figures,
  }
}

/** Compare the worst place with programs and with Strands: the first call, and a later call at another place. */
function compareSize({ megabytes: size, rows }: SizeFigures): Comparison[] {
  const ours = rows.filter(({ who }) => who === OURS)
  const compare = (call: string, timeOf: (row: RangeFigures) => number | undefined): Comparison[] => {
    const all = ours.flatMap((row) => {
      const own = timeOf(row)
      if (own === undefined) return []
      const named = (names: readonly string[]) =>
        rows
          .filter(({ who, place }) => place === row.place && names.includes(who))
          .map((one) => ({ name: one.who, value: timeOf(one) ?? one.first }))
      const what = `${LINES} lines at the ${row.place} of ${size} MB: ${call}`
      const [floor, other] = [named(['sed', 'head, tail']), named(['Strands, file'])]
      return [{ what, unit: 'ms', ours: own, floor: besideLowest(own, floor), other: besideLowest(own, other) }]
    })
    return worstFirst(all).slice(0, 1)
  }
  return [...compare('first call', ({ first }) => first), ...compare('later, elsewhere', ({ elsewhere }) => elsewhere)]
}

async function measureSize(size: number, content: Content, options: RunOptions): Promise<RangeFigures[]> {
  const total = Number.parseInt(outputOf(['wc', '-l', content.file]), 10)
  const rows: RangeFigures[] = []
  for (const place of PLACES) {
    const start = startOf(place, total)
    const expected = outputOf(['sed', '-n', `${start},${start + LINES - 1}p;${start + LINES - 1}q`, content.file])
    for (const [name, command] of Object.entries(commandsFor(start, total, content.file))) {
      if (!options.has(name as CommandName)) continue
      const times = Array.from({ length: options.rounds }, () => timeCommand(command))
      const [read, added] = [bytesReadBy(command), peakOf(command)]
      rows.push({ who: name, place, first: median(times), read, added })
    }
    for (const subject of SUBJECTS) {
      if (!options.has(subject) || (subject.endsWith('memory') && size > MOST_IN_MEMORY)) continue
      if (subject === 'both ends of the file' && place === 'middle') continue
      rows.push(await measurePlace(subject, place, startsAt(subject, place, start), expected, content, options))
      if (subject === 'Strands, file' && size > MOST_IN_MEMORY) content.forget(subject)
    }
  }
  return rows
}

function startOf(place: PlaceName, total: number): number {
  if (place === 'start') return 1
  return place === 'middle' ? Math.floor(total / 2) : total - LINES + 1
}

/** Return the first lines of the ranges to read: the range at a place, and ranges near it. */
function startsAt(subject: SubjectName, place: PlaceName, start: number): readonly number[] {
  if (subject === 'both ends of the file') return [start]
  const others = subject.startsWith('Strands') ? 2 : OTHER_PLACES
  const direction = place === 'end' ? -1 : 1
  return Array.from({ length: others + 1 }, (_, index) => start + direction * index * STEP)
}

function commandsFor(start: number, total: number, file: string): Partial<Record<CommandName, Command>> {
  const end = start + LINES - 1
  const isLast = end === total
  return {
    sed: ['sed', '-n', isLast ? `${start},$p` : `${start},${end}p;${end}q`, file],
    'head, tail':
      start === 1
        ? ['head', '-n', `${LINES}`, file]
        : isLast
          ? ['tail', '-n', `${LINES}`, file]
          : ['sh', '-c', `tail -n +${start} "$0" | head -n ${LINES}`, file],
  }
}

async function measurePlace(
  subject: SubjectName,
  place: PlaceName,
  starts: readonly number[],
  expected: string,
  content: Content,
  { rounds }: RunOptions,
): Promise<RangeFigures> {
  const target = await content.target(subject)
  const input = { ...target, starts, count: LINES, later: LATER_CALLS }
  const samples: (LineCalls & { readonly elsewhere: readonly number[] })[] = []
  for (let round = 0; round < (subject.startsWith('Strands') ? Math.min(rounds, 2) : rounds); round++)
    samples.push(await inProcess('lines', input))
  return {
    who: subject,
    place,
    first: median(samples.map(({ first }) => first)),
    elsewhere: median(samples.flatMap(({ elsewhere }) => elsewhere)),
    again: median(samples.flatMap(({ later }) => later)),
    read: largest(samples.map(({ firstUse, bytesRead }) => firstUse?.bytes ?? bytesRead)),
    added: largest(samples.map(({ peak, base }) => peak - base)),
    problem: problemOf(samples[0]?.text ?? '', expected, starts),
  }
}

/** Describe a mistake in an answer: the first lines must be there, each after its number. */
function problemOf(text: string, expected: string, [start = 1]: readonly number[]): string | undefined {
  const lines = expected.split('\n').slice(0, LINES / 2)
  const missing = lines.findIndex((line, index) => {
    const prefix = line.slice(0, PREFIX)
    return !text.split('\n').some((row) => row.trimStart().startsWith(`${start + index}| ${prefix}`))
  })
  return missing < 0 ? undefined : `line ${start + missing} is not there: ${text.slice(0, PREFIX)}`
}

function writeSize({ megabytes: size, rows }: SizeFigures): string {
  const heads = [`${size} MB`, 'lines', 'first call, ms', 'elsewhere', 'again', 'read', 'added MB']
  const cells = rows.map(({ who, place, first, elsewhere, again, read, added }) => [
    who,
    `${LINES} at the ${place}`,
    ...[first, elsewhere, again].map(milliseconds),
    bytes(read),
    megabytes(added),
  ])
  const problems = rows.filter(({ problem }) => problem !== undefined)
  return [
    table(heads, cells, 2),
    ...problems.map(({ who, place, problem }) => `Wrong at the ${place}: ${who}, ${problem}.`),
  ].join('\n\n')
}

function boundsOf({ megabytes: size, rows }: SizeFigures): readonly Bound[] {
  const ours = rows.filter(({ who }) => who === OURS)
  const of = (figure: (row: RangeFigures) => number | undefined) =>
    ours.map((row) => ({ value: figure(row), where: `at the ${row.place}` }))
  const kilobytes = of(({ read }) => (read === undefined ? undefined : read / 1_024))
  return [
    worst(`lines of ${size} MB: read`, 128, kilobytes, 'KB'),
    worst(
      `lines of ${size} MB: where nothing was read before`,
      2,
      of((row) => row.elsewhere),
      'ms',
    ),
    worst(
      `lines of ${size} MB: memory added`,
      10,
      of((row) => row.added),
      'MB',
    ),
    {
      name: `lines of ${size} MB: wrong answers`,
      most: 0,
      value: ours.filter(({ problem }) => problem !== undefined).length,
      where: '',
    },
  ]
}
