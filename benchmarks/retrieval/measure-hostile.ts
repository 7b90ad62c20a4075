import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { table } from '../report/table.ts'
import { DATA, runCommand } from '../speed/lib.mjs'
import { SEARCH_COMMANDS, searchCommand } from './commands.ts'
import type { RunOptions } from './run-options.ts'
import { besideLowest, worstFirst, type Comparison } from '../report/comparison.ts'
import { worst, type Section } from '../report/section.ts'
import type { SubjectName } from './subjects/open-subject.ts'
import type { Question } from './subjects/subject.ts'
import { TaskError } from '../report/task-error.ts'
import { searchInProcess, type SearchCalls, type Target } from './tasks.ts'
import { milliseconds } from '../report/write-figures.ts'

const PATTERNS = ['(a+)+$', '(a|a)+$', '(.*a){12}$']
const LENGTHS = [28, 5_000, 1_000_000]
const SUBJECTS: readonly SubjectName[] = ['Spillway, memory', 'Strands, memory', 'V8, decoded string', 'native re2']
const KILL_MS = 15_000
/** Subjects that finish. */
const QUICK_SUBJECTS = SUBJECTS.slice(0, 2)
/** Time limit of a search, including its deadline of two seconds. */
const MOST_MS = 5_000

interface HostileFigures {
  readonly who: string
  readonly pattern: string
  /** Milliseconds for each length; absent if the process was killed. */
  readonly ms: readonly (number | undefined)[]
  /** The longest time during which the event loop was blocked. */
  readonly pause: number | undefined
  readonly answer: string
}

/** Measure patterns that take a backtracking engine unlimited time. */
export async function measureHostile(options: RunOptions): Promise<Section> {
  const lengths = options.isQuick ? LENGTHS.slice(0, 2) : LENGTHS
  const file = join(DATA, `hostile-${process.pid}.txt`)
  const rows: HostileFigures[] = []
  for (const pattern of options.isQuick ? PATTERNS.slice(0, 1) : PATTERNS) {
    for (const name of SEARCH_COMMANDS.filter((one) => options.has(one))) {
      const ms = lengths.map((length) => {
        writeFileSync(file, `${'a'.repeat(length)}!\n`)
        const [program, ...argv] = searchCommand(name, { name: '', pattern }, file, { isCount: true })
        const { ms: time, killed } = runCommand(program, argv, { killMs: KILL_MS })
        return killed ? undefined : time
      })
      rows.push({ who: name, pattern, ms, pause: undefined, answer: '' })
    }
    for (const subject of (options.isQuick ? QUICK_SUBJECTS : SUBJECTS).filter((one) => options.has(one))) {
      const ms: (number | undefined)[] = []
      let [pause, answer] = [0, '']
      for (const length of lengths) {
        if (ms.includes(undefined)) {
          ms.push(undefined)
          continue
        }
        writeFileSync(file, `${'a'.repeat(length)}!\n`)
        const place = { file, directory: '', reference: '', ours: options.ours }
        const calls = await searchOrKill({ subject, place, contentType: 'text/plain' }, { pattern })
        ms.push(calls?.first)
        pause = Math.max(pause, calls?.pause ?? 0)
        answer = calls?.text.split('\n', 1)[0] ?? ''
      }
      rows.push({ who: subject, pattern, ms, pause: ms.includes(undefined) ? undefined : pause, answer })
    }
  }
  rmSync(file, { force: true })
  const killed = `killed at ${KILL_MS / 1_000} s`
  const cells = rows.map(({ who, pattern, ms, pause, answer }) => [
    who,
    `\`${pattern.replaceAll('|', String.raw`\|`)}\``,
    ...ms.map((time) => (time === undefined ? killed : milliseconds(time))),
    milliseconds(pause),
    answer.replaceAll('|', String.raw`\|`).slice(0, 90),
  ])
  const heads = [
    '',
    'pattern',
    ...lengths.map((length) => `${length}, ms`),
    'longest pause, ms',
    'answer to the longest',
  ]
  const ours = rows.filter(({ who }) => who === 'Spillway, memory')
  const slowest = ours.flatMap(({ pattern, ms }) =>
    ms.map((time, index) => ({ value: time ?? Infinity, where: `\`${pattern}\` on ${lengths[index]}` })),
  )
  const pauses = ours.map(({ pattern, pause }) => ({ value: pause ?? Infinity, where: `\`${pattern}\`` }))
  return {
    text: `A line of so many \`a\` and a \`!\`. A pause is how long the event loop of the process stands still:\n\n${table(heads, cells, 2)}`,
    bounds: [
      worst('hostile pattern: until it is answered', MOST_MS, slowest, 'ms'),
      worst('hostile pattern: longest pause of the event loop', 100, pauses, 'ms'),
    ],
    comparisons: compareHostile(rows),
    figures: rows,
  }
}

/** Compare the pattern that takes longest on the longest line with programs and with Strands. */
function compareHostile(rows: readonly HostileFigures[]): Comparison[] {
  const all = [...Map.groupBy(rows, ({ pattern }) => pattern)].flatMap(([pattern, own]) => {
    const times = (names: readonly string[]) =>
      own.filter(({ who }) => names.includes(who)).map(({ who, ms }) => ({ name: who, value: ms.at(-1) }))
    const [ours] = times(['Spillway, memory'])
    if (ours?.value === undefined) return []
    const [floor, other] = [times(SEARCH_COMMANDS), times(['Strands, memory'])]
    return [
      {
        what: `hostile pattern \`${pattern}\`: until it is answered`,
        unit: 'ms',
        ours: ours.value,
        floor: besideLowest(ours.value, floor),
        other: besideLowest(ours.value, other),
      },
    ]
  })
  return worstFirst(all).slice(0, 1)
}

async function searchOrKill(target: Target, question: Question): Promise<SearchCalls | undefined> {
  try {
    return await searchInProcess(target, question, { killMs: KILL_MS })
  } catch (error) {
    if (error instanceof TaskError) return undefined
    throw error
  }
}
