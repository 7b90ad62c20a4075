import { count, table } from '../report/table.ts'
import { makeContent } from './contents.ts'
import { generatePatterns, type GeneratedPattern } from './generate-patterns.ts'
import type { RunOptions } from './run-options.ts'
import { besideLowest, worstFirst, type Comparison } from '../report/comparison.ts'
import type { Bound, Section } from '../report/section.ts'
import { TaskError } from '../report/task-error.ts'
import { inProcess, searchInProcess, type SearchCalls, type Target } from './tasks.ts'
import { median, milliseconds } from '../report/write-figures.ts'

const OURS = 'Spillway, file'
const STRANDS = 'Strands, file'
const PATTERNS = 200
const QUICK_PATTERNS = 9
const LATER_CALLS = 3
/** If Spillway is not faster than Strands by this ratio, the first call is measured again in more rounds. */
const CLEAR_RATIO = 0.8
const COUNT_MS = 600_000
const WORST = 10

interface Times {
  readonly first: number[]
  readonly later: number[]
}

interface PatternFigures extends GeneratedPattern {
  readonly expected: number
  readonly ours: Times
  readonly matches?: number | undefined
  readonly answer: string
  /** Absent if Strands has a wrong answer. */
  readonly strands?: Times | undefined
}

/** Measure generated patterns, compare with Strands, and check counts with a test of each line in V8. */
export async function measurePatterns(options: RunOptions): Promise<Section> {
  const size = options.isQuick ? 1 : 100
  const content = await makeContent('log', size, options)
  const questions = generatePatterns(options.isQuick ? QUICK_PATTERNS : PATTERNS)
  const expected = await inProcess('count', { file: content.file, questions }, COUNT_MS)
  const [ours, strands] = [await content.target(OURS), options.has(STRANDS) ? await content.target(STRANDS) : undefined]
  const figures: PatternFigures[] = []
  for (const [index, question] of questions.entries())
    figures.push(await measureOne(question, expected[index] ?? 0, ours, strands, options))
  content.forget()
  return { text: write(figures, size), bounds: boundsOf(figures), comparisons: comparePatterns(figures, size), figures }
}

async function measureOne(
  question: GeneratedPattern,
  expected: number,
  ours: Target,
  strands: Target | undefined,
  { rounds }: RunOptions,
): Promise<PatternFigures> {
  const [us, them]: readonly [Times, Times] = [
    { first: [], later: [] },
    { first: [], later: [] },
  ]
  const begin = await ask(ours, question, us)
  const other = strands === undefined ? undefined : await ask(strands, question, them)
  const answer = begin?.text.split('\n', 1)[0] ?? 'killed'
  const result = { ...question, expected, ours: us, matches: begin?.matches, answer }
  if (strands === undefined || other?.matches !== expected) return result
  while (us.first.length < rounds && !isClear(us, them)) {
    await ask(ours, question, us)
    await ask(strands, question, them)
  }
  return { ...result, strands: them }
}

/** Ask once in a fresh process, and then some more times; `undefined` if the process did not finish. */
async function ask(target: Target, question: GeneratedPattern, times: Times): Promise<SearchCalls | undefined> {
  try {
    const calls = await searchInProcess(target, question, { later: LATER_CALLS })
    times.first.push(calls.first)
    times.later.push(...calls.later)
    return calls
  } catch (error) {
    if (error instanceof TaskError) return undefined
    throw error
  }
}

const isClear = (us: Times, them: Times): boolean => {
  const { first, later } = ratios(us, them)
  return Math.max(first, later) < CLEAR_RATIO
}

const ratios = (us: Times, them: Times): { readonly first: number; readonly later: number } => ({
  first: (median(us.first) ?? Infinity) / (median(them.first) ?? 0),
  later: (median(us.later) ?? Infinity) / (median(them.later) ?? 0),
})

const hasStrands = (one: PatternFigures): one is PatternFigures & { readonly strands: Times } =>
  one.strands !== undefined

/** Compare the worst generated pattern with Strands. */
function comparePatterns(figures: readonly PatternFigures[], size: number): Comparison[] {
  const all = figures.filter(hasStrands).flatMap(({ ours: { first }, strands }) => {
    const ours = median(first)
    if (ours === undefined) return []
    const other = besideLowest(ours, [{ name: STRANDS, value: median(strands.first) }])
    return [{ what: `Log, ${size} MB: the worst of ${figures.length} generated patterns`, unit: 'ms', ours, other }]
  })
  return worstFirst(all).slice(0, 1)
}

function write(figures: readonly PatternFigures[], size: number): string {
  const compared = figures.filter(hasStrands).map((one) => ({ ...one, ...ratios(one.ours, one.strands) }))
  const wrong = figures.filter(({ matches, expected }) => matches !== expected)
  const middle = (values: readonly number[]): string => (median(values) ?? Number.NaN).toFixed(2)
  const slowest = compared.toSorted((a, b) => Math.max(b.first, b.later) - Math.max(a.first, a.later)).slice(0, WORST)
  const rows = slowest.map(({ pattern, ignoreCase, kind, expected, first, later, ours, strands }) => [
    `\`${pattern.replaceAll('|', String.raw`\|`)}\`${ignoreCase === true ? ' i' : ''}`,
    kind,
    count(expected),
    milliseconds(median(ours.first)),
    milliseconds(median(strands.first)),
    first.toFixed(2),
    milliseconds(median(ours.later)),
    milliseconds(median(strands.later)),
    later.toFixed(2),
  ])
  const heads = ['pattern', 'kind', 'lines', 'first, ms', 'Strands', 'ratio', 'later, ms', 'Strands', 'ratio']
  return [
    `${figures.length} generated patterns on a log of ${size} MB. Strands has the right answer to ${compared.length}. Of these, ` +
      `the first call is slower than Strands in ${slower(compared, 'first')}, a later call in ${slower(compared, 'later')}; ` +
      `the median ratio is ${middle(compared.map(({ first }) => first))} and ${middle(compared.map(({ later }) => later))}. ` +
      `Our count differs from that of V8, line by line, in ${wrong.length}. The ${slowest.length} worst:`,
    table(heads, rows, 2),
    ...wrong.map(({ pattern, expected, answer }) => `Wrong: \`${pattern}\`, ${expected} lines: ${answer}`),
  ].join('\n\n')
}

const slower = (
  compared: readonly { readonly first: number; readonly later: number }[],
  call: 'first' | 'later',
): number => compared.filter((one) => one[call] > 1).length

function boundsOf(figures: readonly PatternFigures[]): readonly Bound[] {
  const compared = figures.filter(hasStrands).map((one) => ratios(one.ours, one.strands))
  const wrong = figures.filter(({ matches, expected }) => matches !== expected)
  const bounds: Bound[] = [
    { name: 'generated patterns counted otherwise than by V8', most: 0, value: wrong.length, where: '' },
  ]
  if (compared.length === 0) return bounds
  const of = `of ${compared.length}`
  return [
    ...bounds,
    {
      name: 'generated patterns slower than Strands, first call',
      most: 0,
      value: slower(compared, 'first'),
      where: of,
    },
    {
      name: 'generated patterns slower than Strands, later call',
      most: 0,
      value: slower(compared, 'later'),
      where: of,
    },
  ]
}
