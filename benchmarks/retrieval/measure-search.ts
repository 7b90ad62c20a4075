import { count, table } from '../report/table.ts'
import { outputOf, peakOf, SEARCH_COMMANDS, searchCommand, timeCommand } from './commands.ts'
import { makeContent, type Content } from './contents.ts'
import { PLANTED, QUICK_CASES, SEARCH_CASES, type NamedQuestion, type SearchCase } from './patterns.ts'
import type { RunOptions } from './run-options.ts'
import { besideLowest, worstFirst, type Comparison } from '../report/comparison.ts'
import { worst, type Bound, type Section } from '../report/section.ts'
import type { SubjectName } from './subjects/open-subject.ts'
import { TaskError } from '../report/task-error.ts'
import { inProcess, type SearchCalls } from './tasks.ts'
import { largest, median, megabytes, milliseconds, ratio } from '../report/write-figures.ts'

const OURS = 'Spillway, file'
/** Subjects that read from a file. Their first calls in a fresh process are measured. */
const FRESH: readonly SubjectName[] = [OURS, 'Strands, file', 'V8, whole file', 'V8, blocks of the file']
const WARM: readonly SubjectName[] = [
  ...FRESH,
  'Spillway, memory',
  'Strands, memory',
  'V8, decoded string',
  'native re2',
]
const LATER_CALLS = 5
/** Number of lines above which the output of a program does not fit into a pipe that is read at the end. */
const MANY_LINES = 1_000

/** Figures of one implementation for each question of a case. */
interface Row {
  readonly who: string
  /** Milliseconds, in the order of the questions. */
  readonly ms: readonly (number | undefined)[]
  /** Peak memory above the resident memory before, in megabytes. */
  readonly added: number | undefined
  /** Questions with a wrong count, or without their hit in the answer. */
  readonly wrong: readonly string[]
}

interface CaseFigures extends Omit<SearchCase, 'questions'> {
  readonly questions: readonly string[]
  readonly expected: readonly number[]
  readonly first: readonly Row[]
  readonly later: readonly Row[]
}

/** Measure searches of all kinds of content with all implementations. */
export async function measureSearch(options: RunOptions): Promise<Section> {
  const cases: CaseFigures[] = []
  for (const one of options.isQuick ? QUICK_CASES : SEARCH_CASES) {
    const content = await makeContent(one.kind, one.megabytes, options)
    cases.push(await measureCase(one, content, options))
    content.forget()
  }
  return {
    text: cases.map(writeCase).join('\n\n'),
    bounds: boundsOf(cases),
    comparisons: cases.flatMap(compareCase),
    figures: cases,
  }
}

/** Compare the worst first and later call with programs, with V8 on a decoded string, and with Strands. */
function compareCase({ kind, megabytes: size, questions, first, later }: CaseFigures): Comparison[] {
  const compare = (rows: readonly Row[], call: string, floors: readonly string[]): Comparison[] => {
    const all = questions.flatMap((question, index) => {
      const times = (names: readonly string[]) => names.map((name) => ({ name, value: rowOf(rows, name)?.ms[index] }))
      const ours = rowOf(rows, OURS)?.ms[index]
      if (ours === undefined) return []
      return [
        {
          what: `${KINDS[kind]}, ${size} MB: ${call} (${question})`,
          unit: 'ms',
          ours,
          floor: besideLowest(ours, times(floors)),
          other: besideLowest(ours, times(['Strands, file'])),
        },
      ]
    })
    return kind === 'log' && size === 100 && rows === first ? all : worstFirst(all).slice(0, 1)
  }
  return [...compare(first, 'first call', SEARCH_COMMANDS), ...compare(later, 'later call', ['V8, decoded string'])]
}

async function measureCase(one: SearchCase, content: Content, options: RunOptions): Promise<CaseFigures> {
  const { questions, kind, megabytes: size } = one
  const expected = await inProcess('count', { file: content.file, questions })
  const check = { questions, expected }
  return {
    kind,
    megabytes: size,
    questions: questions.map(({ name }) => name),
    expected,
    first: await measureFirst(one, content, check, options),
    later: await measureLater(content, check, options),
  }
}

interface Check {
  readonly questions: readonly NamedQuestion[]
  readonly expected: readonly number[]
}

/** One measurement of one question. */
interface Sample {
  readonly ms: number | undefined
  readonly added: number | undefined
  readonly wrong: readonly string[]
}

interface Runner {
  readonly who: string
  /** Ask the question with this index. The answer is checked only in the first round. */
  ask(index: number, round: number): Promise<Sample>
}

/** Measure first calls. Implementations take turns, so that other work on the machine affects all of them equally. */
async function measureFirst(one: SearchCase, content: Content, check: Check, options: RunOptions): Promise<Row[]> {
  const runners = [
    ...SEARCH_COMMANDS.filter((name) => options.has(name)).map((name) => commandRunner(name, one, content, check)),
    ...FRESH.filter((name) => options.has(name)).map((name) => subjectRunner(name, content, check)),
  ]
  const measured = runners.map((runner) => ({ runner, samples: [] as Sample[][] }))
  for (const index of one.questions.keys()) {
    const current = measured.map(({ runner, samples }) => {
      const ofQuestion: Sample[] = []
      samples.push(ofQuestion)
      return { runner, ofQuestion }
    })
    for (let round = 0; round < options.rounds; round++)
      for (const { runner, ofQuestion } of current) ofQuestion.push(await runner.ask(index, round))
  }
  return measured.map(({ runner, samples }) => ({
    who: runner.who,
    ms: samples.map((ofQuestion) => median(ofQuestion.flatMap(({ ms }) => ms ?? []))),
    added: largest(samples.flat().map(({ added }) => added)),
    wrong: samples.flat().flatMap(({ wrong }) => wrong),
  }))
}

function commandRunner(
  who: (typeof SEARCH_COMMANDS)[number],
  { questions, kind }: SearchCase,
  { file }: Content,
  { expected }: Check,
): Runner {
  return {
    who,
    ask: async (index, round) => {
      const question = questions[index]
      const lines = expected[index] ?? 0
      if (question === undefined) throw new RangeError(`there is no question ${index}`)
      const options = { isCrlf: kind === 'crlf' }
      const command = searchCommand(who, question, file, options)
      const ms = timeCommand(command, lines > MANY_LINES)
      if (round > 0) return { ms, added: undefined, wrong: [] }
      const found = Number(outputOf(searchCommand(who, question, file, { ...options, isCount: true })))
      return { ms, added: peakOf(command), wrong: found === lines ? [] : [`${question.name}: ${found}`] }
    },
  }
}

function subjectRunner(who: SubjectName, content: Content, check: Check): Runner {
  return {
    who,
    ask: async (index, round) => {
      const target = await content.target(who)
      try {
        const [calls] = await inProcess('search', {
          ...target,
          questions: check.questions.slice(index, index + 1),
          later: 0,
        })
        if (calls === undefined) throw new RangeError(`there is no question ${index}`)
        const { first, peak, base } = calls
        return { ms: first, added: peak - base, wrong: round > 0 ? [] : mistakes(calls, index, check) }
      } catch (error) {
        if (!(error instanceof TaskError)) throw error
        return { ms: undefined, added: undefined, wrong: [error.message] }
      }
    },
  }
}

async function measureLater(content: Content, check: Check, options: RunOptions): Promise<Row[]> {
  const rows: Row[] = []
  for (const subject of WARM.filter((name) => options.has(name))) {
    const target = await content.target(subject)
    try {
      const all = await inProcess('search', { ...target, questions: check.questions, later: LATER_CALLS })
      rows.push({
        who: subject,
        ms: all.map(({ later }) => median(later)),
        added: largest(all.map(({ peak, base }) => peak - base)),
        wrong: all.flatMap((calls, index) => mistakes(calls, index, check)),
      })
    } catch (error) {
      if (!(error instanceof TaskError)) throw error
      rows.push({ who: subject, ms: [], added: undefined, wrong: [error.message] })
    }
  }
  return rows
}

function mistakes({ matches, text }: SearchCalls, index: number, { questions, expected }: Check): readonly string[] {
  const question = questions[index]
  const name = question?.name ?? ''
  if (matches !== expected[index]) return [`${name}: ${matches ?? JSON.stringify(text.slice(0, 80))}`]
  return question?.findsPlanted === true && !text.includes(PLANTED) ? [`${name}: not shown`] : []
}

function writeCase(one: CaseFigures): string {
  const notes = [...one.first, ...one.later].filter(({ wrong }) => wrong.length > 0)
  const wrong = new Set(notes.map((row) => `${row.who} (${row.wrong.join('; ')})`))
  return [
    `### ${KINDS[one.kind]}, ${one.megabytes} MB`,
    writeFirst(one),
    writeLater(one),
    ...(wrong.size > 0 ? [`Another count, or the hit not shown: ${[...wrong].join(', ')}.`] : []),
  ].join('\n\n')
}

function writeFirst(one: CaseFigures): string {
  const rows = [...rowsOf(one, one.first), ...ratioRows(one.first, one.questions)]
  return `First call of a process, ms; of programs, the whole process and all of its memory:\n\n${table(headsOf(one), rows)}`
}

function writeLater(one: CaseFigures): string {
  return `Later calls of one process, ms:\n\n${table(headsOf(one), rowsOf(one, one.later))}`
}

const headsOf = ({ kind, megabytes: size, questions, expected }: CaseFigures): readonly string[] => [
  `${KINDS[kind]}, ${size} MB`,
  ...questions.map((name, index) => `${name} (${count(expected[index] ?? 0)})`),
  'added MB',
]

const rowsOf = ({ questions }: CaseFigures, rows: readonly Row[]): string[][] =>
  rows.map(({ who, ms, added }) => [who, ...questions.map((_, index) => milliseconds(ms[index])), megabytes(added)])

const KINDS: Readonly<Record<SearchCase['kind'], string>> = {
  log: 'Log',
  json1: 'JSON on one line',
  crlf: 'Log with CRLF',
  utf8: 'Log with characters beyond ASCII',
}

const rowOf = (rows: readonly Row[], name: string): Row | undefined => rows.find(({ who }) => who === name)

function ratioRows(rows: readonly Row[], questions: readonly string[]): string[][] {
  const ours = rowOf(rows, OURS)
  return ['GNU grep', 'Strands, file', 'ripgrep'].flatMap((name) => {
    const other = rowOf(rows, name)
    if (ours === undefined || other === undefined) return []
    return [[`Spillway / ${name}`, ...questions.map((_, index) => ratio(ours.ms[index], other.ms[index])), '']]
  })
}

function boundsOf(cases: readonly CaseFigures[]): readonly Bound[] {
  const [small, large] = [10, 100].map((size) => cases.find((one) => one.kind === 'log' && one.megabytes === size))
  const bounds: Bound[] = []
  if (large !== undefined) {
    const to = (name: string, rows = large.first) => ratios(large, rowOf(large.first, OURS), rowOf(rows, name))
    bounds.push(
      worst('first call, 100 MB: times GNU grep', 1.2, to('GNU grep')),
      worst('first call, 100 MB: times the first call of Strands', 0.6, to('Strands, file')),
      worst('first call, 100 MB: times a later call of Strands', 0.6, to('Strands, file', large.later)),
      worst('first call, 100 MB: times ripgrep', 3, to('ripgrep')),
      { name: 'memory added, 100 MB', most: 96, value: rowOf(large.first, OURS)?.added, where: '', unit: 'MB' },
    )
  }
  if (small !== undefined) {
    const string = rowOf(small.later, 'V8, decoded string')
    const to = ratios(small, rowOf(small.later, OURS), string)
    bounds.push(worst('later call, 10 MB: times V8 over the decoded string', 1.5, to))
  }
  return bounds
}

function ratios(
  { questions }: CaseFigures,
  ours: Row | undefined,
  other: Row | undefined,
): readonly { readonly value: number | undefined; readonly where: string }[] {
  return questions.map((where, index) => {
    const [value, base] = [ours?.ms[index], other?.ms[index]]
    return { value: value === undefined || base === undefined ? undefined : value / base, where }
  })
}
