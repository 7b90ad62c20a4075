import { table } from '../report/table.ts'
import { outputOf, peakOf, SEARCH_COMMANDS, searchCommand, timeCommand } from './commands.ts'
import { makeContent } from './contents.ts'
import { ALTERNATION, PLANTED, RARE, type NamedQuestion } from './patterns.ts'
import type { RunOptions } from './run-options.ts'
import { besideLowest, type Comparison } from '../report/comparison.ts'
import type { Bound, Section } from '../report/section.ts'
import { searchInProcess, type SearchCalls } from './tasks.ts'
import { bytes, largest, median, megabytes, milliseconds, ratio } from '../report/write-figures.ts'

const OURS = 'Spillway, file'
const STRANDS = 'Strands, file'
const QUESTIONS: readonly NamedQuestion[] = [RARE, ALTERNATION]
const PLANTED_LINES = 3

interface LargeFigures {
  readonly who: string
  readonly question: string
  readonly ms: number | undefined
  readonly answer: string
  readonly added: number | undefined
  readonly bytesRead?: number | undefined
}

/** Measure searches of a log that is too large for memory. */
export async function measureLarge(options: RunOptions): Promise<Section> {
  const size = options.isQuick ? 10 : 1_024
  const content = await makeContent('log', size, options)
  const rows: LargeFigures[] = []
  if (options.has(STRANDS)) {
    const target = await content.target(STRANDS)
    const { first, matches, text, peak, base } = await searchInProcess(target, RARE)
    const answer = matches === undefined ? text.slice(0, 60) : `${matches} lines`
    rows.push({ who: STRANDS, question: RARE.name, ms: first, answer, added: peak - base })
    // Each stored copy needs as much disk space as the content.
    content.forget()
  }
  const commands = SEARCH_COMMANDS.filter((name) => options.has(name))
  const target = await content.target(OURS)
  for (const question of QUESTIONS) {
    const times = commands.map((name) => ({ name, ms: [] as number[] }))
    const ours: SearchCalls[] = []
    for (let round = 0; round < options.rounds; round++) {
      for (const { name, ms } of times) ms.push(timeCommand(searchCommand(name, question, content.file)))
      ours.push(await searchInProcess(target, question))
    }
    for (const { name, ms } of times) {
      const count = outputOf(searchCommand(name, question, content.file, { isCount: true })).trim()
      const added = peakOf(searchCommand(name, question, content.file))
      rows.push({ who: name, question: question.name, ms: median(ms), answer: `${count} lines`, added })
    }
    const [{ matches, text, bytesRead } = { text: '', matches: undefined, bytesRead: undefined }] = ours
    const isShown = question !== RARE || (matches === PLANTED_LINES && text.split(PLANTED).length > PLANTED_LINES)
    rows.push({
      who: OURS,
      question: question.name,
      ms: median(ours.map(({ first }) => first)),
      answer: `${matches ?? text.slice(0, 60)} lines${isShown ? '' : ', not all shown'}`,
      added: largest(ours.map(({ peak, base }) => peak - base)),
      bytesRead,
    })
  }
  content.forget()
  return { text: write(rows, size), bounds: boundsOf(rows, size), comparisons: compareLarge(rows, size), figures: rows }
}

/** Compare each search with the fastest program. */
function compareLarge(rows: readonly LargeFigures[], size: number): Comparison[] {
  return QUESTIONS.flatMap(({ name: question }) => {
    const times = rows.filter((row) => row.question === question).map(({ who, ms }) => ({ name: who, value: ms }))
    const ours = times.find(({ name }) => name === OURS)?.value
    const programs = times.filter(({ name }) => (SEARCH_COMMANDS as readonly string[]).includes(name))
    if (ours === undefined) return []
    return [
      { what: `Log, ${size} MB: first call (${question})`, unit: 'ms', ours, floor: besideLowest(ours, programs) },
    ]
  })
}

function write(rows: readonly LargeFigures[], size: number): string {
  const cells = rows.map(({ who, question, ms, answer, added, bytesRead }) => {
    const grep = rows.find((row) => row.who === 'GNU grep' && row.question === question)
    return [who, question, answer, milliseconds(ms), ratio(ms, grep?.ms), megabytes(added), bytes(bytesRead)]
  })
  const heads = ['', 'pattern', 'answer', 'first call, ms', 'to GNU grep', 'added MB', 'read']
  return `A log of ${size} MB, from a file:\n\n${table(heads, cells, 3)}`
}

function boundsOf(rows: readonly LargeFigures[], size: number): readonly Bound[] {
  const of = (who: string): LargeFigures | undefined =>
    rows.find((row) => row.who === who && row.question === RARE.name)
  const [ours, grep] = [of(OURS), of('GNU grep')]
  const value = ours?.ms === undefined || grep?.ms === undefined ? undefined : ours.ms / grep.ms
  const added = largest(rows.filter(({ who }) => who === OURS).map((row) => row.added))
  return [
    { name: `${size} MB, rare literal: times GNU grep`, most: 2, value, where: '' },
    { name: `memory added, ${size} MB`, most: 96, value: added, where: '', unit: 'MB' },
  ]
}
