import { goldUnits, norm } from '../../preview/lib/text.mjs'
import type { AnswerCase, ToolResult } from '../answer-case.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { countCase, drawByGroup, linesCase, MIN_CHARACTERS } from './case-parts.ts'

/** A log with known answer lines. */
export interface LabelledLog {
  readonly id: string
  readonly group: string
  readonly origin: AnswerCase['origin']
  readonly text: string
  readonly question: string
  readonly lines: readonly (readonly [first: number, last: number])[]
  readonly heldOut?: ToolResult['heldOut']
}

const PER_GROUP = 4
const MOST = 60

/** Questions about logs: the reason of a failure, a line, the count of a word, the end, and two runs compared. */
export function logCases(logs: readonly LabelledLog[], random: SeededRandom): readonly AnswerCase[] {
  const large = logs.filter(({ text }) => text.length >= MIN_CHARACTERS)
  const drawn = drawByGroup(large, { random, perGroup: PER_GROUP, most: MOST })
  return [
    ...drawn.flatMap(whyCase),
    ...drawn.flatMap((log) => needleCase(log, random.of(log.id))),
    ...drawn.flatMap((log) => wordCountCase(log, random.of(log.id))),
    ...drawn.map(endCase),
    ...compareCases(drawn),
  ]
}

const resultOf = ({ text, heldOut }: LabelledLog): ToolResult => ({
  text,
  contentType: 'text/plain',
  toolName: 'bash',
  ...(heldOut !== undefined && { heldOut }),
})

const unitsOf = ({ text, lines }: LabelledLog): readonly string[] => {
  const all = text.split('\n')
  return goldUnits(
    lines.flatMap(([first, last]) => all.slice(first - 1, last)),
    text,
  ) as string[]
}

function draftOf(log: LabelledLog, kind: AnswerCase['kind']) {
  const { id, group, origin } = log
  return { id: `${id}#${kind}`, kind, group, origin, results: [resultOf(log)] }
}

function whyCase(log: LabelledLog): readonly AnswerCase[] {
  const units = unitsOf(log)
  if (units.length === 0) return []
  const { question, lines } = log
  return [linesCase({ ...draftOf(log, 'log-why'), question, asks: { form: 'why' }, lines: [lines] }, units)]
}

/**
 * A question about a line in the middle that has no word of failure. The question names a word that occurs only once.
 */
function needleCase(log: LabelledLog, random: SeededRandom): readonly AnswerCase[] {
  const lines = log.text.split('\n')
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const index = Math.floor(lines.length * (0.1 + 0.8 * random.next()))
    const line: string = norm(lines[index] ?? '').trim()
    // Readers count the states of a progress bar as several lines, but programs count one line.
    if (line.includes('\n')) continue
    if (line.length < 25 || line.length > 160 || /error|fail|warn/i.test(line)) continue
    const words = line.match(/[A-Za-z][\w./-]{6,40}/g) ?? []
    const word = words.find((one) => log.text.indexOf(one) === log.text.lastIndexOf(one) && log.text.includes(one))
    if (word === undefined) continue
    const question = `What does the output say about ${word}?`
    const place = [[[index + 1, index + 1]]] as const
    return [linesCase({ ...draftOf(log, 'log-needle'), question, asks: { form: 'word', word }, lines: place }, [line])]
  }
  return []
}

function wordCountCase(log: LabelledLog, random: SeededRandom): readonly AnswerCase[] {
  const lines = log.text.split('\n')
  const words = new Set(
    random
      .shuffle(lines)
      .slice(0, 400)
      .flatMap((line) => line.match(/\b[A-Za-z]{5,20}\b/g) ?? []),
  )
  for (const literal of random.shuffle([...words]).slice(0, 100)) {
    const count = lines.filter((line) => line.includes(literal)).length
    if (count < 5 || count > 500) continue
    const question = `How many lines contain ${JSON.stringify(literal)}?`
    return [
      countCase(
        { ...draftOf(log, 'log-count'), question, asks: { form: 'count', literal }, lines: [[]] },
        literal,
        count,
      ),
    ]
  }
  return []
}

/** A question about the end of the run: the last meaningful lines. */
function endCase(log: LabelledLog): AnswerCase {
  const lines = (norm(log.text) as string).split('\n')
  const said = lines.filter((line) => line.trim().length >= 8).slice(-1)
  const last = log.text.split('\n').length
  const question = 'How did this run end? Quote its last line.'
  const draft = {
    ...draftOf(log, 'overview'),
    question,
    asks: { form: 'overview' },
    lines: [[[last - 20, last]]],
  } as const
  return linesCase(
    draft,
    said.map((line) => line.trim()),
  )
}

/** A question about two runs of one project: the failure of each. */
function compareCases(logs: readonly LabelledLog[]): readonly AnswerCase[] {
  const pairs = [...Map.groupBy(logs, ({ group }) => group).values()].flatMap(([one, other]) =>
    one === undefined || other === undefined ? [] : [[one, other] as const],
  )
  return pairs.flatMap(([one, other]) => {
    const units = [...new Set([...unitsOf(one), ...unitsOf(other)])]
    if (unitsOf(one).length === 0 || unitsOf(other).length === 0) return []
    const draft = {
      ...draftOf(one, 'compare'),
      results: [resultOf(one), resultOf(other)],
      question: 'Here are two runs. What went wrong in each of them?',
      asks: { form: 'why' },
      lines: [one.lines, other.lines],
    } as const
    return [linesCase(draft, units)]
  })
}
