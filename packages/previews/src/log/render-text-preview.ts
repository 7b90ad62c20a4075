import { countOf, estimateTokens, formatCount } from '@spillway/text/internal'
import { indentOf } from '../layout/estimate-letters.ts'
import { type Draft, fitBudget, fitBudgetInTurns } from '../layout/fit-budget.ts'
import { callTokensOf, gapMarks, type WriteGap } from '../layout/gap-marks.ts'
import { findSought, type Sought } from '../layout/wanted-words.ts'
import type { PreviewOptions } from '../previewer.ts'
import { chooseLines, type ChosenLines, isBeside, ShownLines } from './choose-lines.ts'
import { ERROR, WARNING } from './line-words.ts'
import type { ScannedLine, TextScan } from './text-scan.ts'
import { structureScores } from './text-structure.ts'

/** Smallest score of a line's neighbors, and of all lines in its block, as a share of the line's score. */
const NEIGHBOR = 0.7
/** The same share if the score is only from the form of a line. */
const BESIDE_FORM = 0.3
/** Largest number of lines in a block that is shown whole. Blocks are separated by blank lines. */
const MOST_BLOCK_LINES = 30
/** Number of tokens in the budget for each line of a block. A small preview has no space for whole blocks. */
const BLOCK_LINE_TOKENS = 20
/** Factor for a line if a line of at least equal value has the same words. */
const REPEATED = 0.75
/** Factor for each further line in a run of similar lines, and smallest product above which a line has a value. */
const RUN = 0.8
const LEAST_SHARE = 0.05
/** Smallest value of the first and last line, because they often show the command and the result. */
const END_LINE = 0.5
/** The same value for text other than logs. */
const END_OF_TEXT = 1
/** Factor of this value for each line farther from the end, and the smallest value of such lines. Not for logs. */
const FARTHER = 0.5
/** Share of the budget for both ends of text in which no line reports a problem. Not for logs. */
const ENDS_SHARE = 0.5
const LEAST_VALUE = 1e-9
/** Smallest value of an unusual line. Such lines are shown first. */
const ODD_LINE = 2
/** Value of each word in a line that the call searches for, and largest number of such words that count. */
const SOUGHT = 0.5
const MOST_SOUGHT = 3
/** Largest number of lines from a line to the less indented line above that is shown with it. */
const MOST_BETWEEN = 60
/** Matches the first word or sign of a line that is not indented. */
const FIRST_WORD = /^(?:\w+|[^\w\s]+)/
/** Smallest number of records in a text, and of lines in an average record. */
const LEAST_RECORDS = 3
/** Matches a line with a letter or a digit. Other lines, such as the marks below a piece of code, say nothing alone. */
const WORDED = /[\p{L}\p{N}]/u
/** Matches a line of Base64, for example of an attachment. */
const ENCODED = /^(?=[A-Za-z\d+/]{40,}={0,2}$)(?=[^\d]*\d)(?=[^a-z]*[a-z])[^A-Z]*[A-Z]/

/** Compute the values of lines from their scores, their neighbors, and repetitions. */
function lineValues(
  lines: readonly ScannedLine[],
  scores: Float64Array,
  odd: ReadonlySet<number>,
  sought: Sought | undefined,
  budgetTokens: number,
  [endValue, farther, beside]: readonly [endValue: number, farther: number, beside: number],
): Float64Array {
  const values = scores.map((score, index) =>
    Math.max(
      score,
      isNext(lines, index) ? beside * scores[index - 1]! : 0,
      isNext(lines, index + 1) ? beside * scores[index + 1]! : 0,
    ),
  )
  if (beside === NEIGHBOR)
    raiseBlocks(lines, scores, values, Math.min(MOST_BLOCK_LINES, budgetTokens / BLOCK_LINE_TOKENS))
  for (let from = 0, value = endValue; from < values.length && value > LEAST_VALUE; from++, value *= farther)
    for (const index of [from, values.length - 1 - from]) values[index] = Math.max(values[index]!, value)
  lowerRepeats(lines, values)
  lowerRuns(lines, values)
  for (let index = 0; index < lines.length; index++)
    if (!WORDED.test(lines[index]!.text) || ENCODED.test(lines[index]!.text)) values[index] = 0
    else if (odd.has(lines[index]!.number)) values[index] = ODD_LINE * (1 + scores[index]!)
  raiseRecordStarts(lines, values)
  if (sought === undefined) return values
  return values.map((value, index) => value + SOUGHT * Math.min(MOST_SOUGHT, sought.counts[index]!))
}

/** Raise the values of blocks, because a failure has a first line, a message, and stack frames. */
function raiseBlocks(lines: readonly ScannedLine[], scores: Float64Array, values: Float64Array, most: number): void {
  let start = 0
  for (let end = 1; end <= lines.length; end++) {
    if (isNext(lines, end) && lines[end]!.blanksBefore === 0) continue
    if (end - start <= most) {
      const least = NEIGHBOR * scores.subarray(start, end).reduce((best, score) => Math.max(best, score), 0)
      for (let index = start; index < end; index++) values[index] = Math.max(values[index]!, least)
    }
    start = end
  }
}

/** Raise the first lines of records, because they name what the lines below are about. The text starts with a record. */
function raiseRecordStarts(lines: readonly ScannedLine[], values: Float64Array): void {
  const first = FIRST_WORD.exec(lines[0]!.text)?.[0]
  if (first === undefined) return
  const isStart = ({ text }: ScannedLine): boolean => text.startsWith(first) && FIRST_WORD.exec(text)![0] === first
  const starts = [...lines.keys()].filter((index) => isStart(lines[index]!))
  if (starts.length < LEAST_RECORDS || starts.length * LEAST_RECORDS > lines.length) return
  for (const [at, start] of starts.entries()) {
    const best = values.subarray(start + 1, starts[at + 1]).reduce((most, value) => Math.max(most, value), 0)
    if (best >= END_LINE) values[start] = Math.max(values[start]!, NEIGHBOR * best)
  }
}

/**
 * Return for each line the index of the less indented line above, or -1. The line above names the failure, the test, or
 * the file.
 */
function parentsOf(lines: readonly ScannedLine[]): Int32Array {
  const indents = lines.map(({ text }) => indentOf(text))
  const open: number[] = []
  return Int32Array.from(lines, ({ number }, index) => {
    while (open.length > 0 && indents[open.at(-1)!]! >= indents[index]!) open.pop()
    const parent = open[open.push(index) - 2]
    return parent !== undefined && number - lines[parent]!.number <= MOST_BETWEEN ? parent : -1
  })
}

/** Lower the values of lines with the same words, except the line with the highest value. */
function lowerRepeats(lines: readonly ScannedLine[], values: Float64Array): void {
  const best = new Map<number, number>()
  for (let index = 0; index < lines.length; index++) {
    const known = best.get(lines[index]!.template)
    if (known === undefined || values[index]! > values[known]!) best.set(lines[index]!.template, index)
  }
  for (let index = 0; index < lines.length; index++)
    if (best.get(lines[index]!.template) !== index) values[index]! *= REPEATED
}

/** Lower the values of similar lines in a run, except the first line. The first line shows their number. */
function lowerRuns(lines: readonly ScannedLine[], values: Float64Array): void {
  let share = 1
  for (let index = 1; index < lines.length; index++) {
    share = isNext(lines, index) && lines[index]!.template === lines[index - 1]!.template ? share * RUN : 1
    values[index]! *= share < LEAST_SHARE ? 0 : share
  }
}

function isNext(lines: readonly ScannedLine[], index: number): boolean {
  const line = lines[index]
  const previous = lines[index - 1]
  return line !== undefined && previous !== undefined && line.number - previous.number === line.blanksBefore + 1
}

/** Estimated tokens of a gap with the line number after the gap, if some gaps share a mark, and of the header. */
const GAP_TOKENS = 7
const HEADER_TOKENS = 7
/** Largest number of lines in an island that shares its mark, and smallest number of islands with one mark. */
const MOST_LISTED = 3
const LEAST_LISTED = 3
/** Largest share of the budget for the call that the first gap shows. */
const CALL_SHARE = 0.25
/** Largest share of the budget for one line if other lines are hidden. */
const LINE_SHARE = 0.15
/** Largest number of tokens for one line in a small budget, but at most this share of the budget. */
const FEW_TOKENS = 40
const LARGE_SHARE = 0.4
/** Largest shown part of a line, in UTF-16 units. */
const MOST_CAP = 1_200
/** Number of lines up to which all lines are shown, shortened if necessary. */
const FEW_LINES = 4
/** Smallest score of an unusual line. */
const LEAST_SCORE = 0.1
/** Smallest score of a line that reports an error, if at most this number of lines do, for example `ℹ fail 3`. */
const ERROR_SCORE = 0.5
const FEW_ERRORS = 4

/** Facts about a text that its lines do not show. */
interface TextHints {
  /** Words that the call searches for. Lines with these words are more important. */
  readonly words?: readonly string[]
  /** Whether the text is a log. The lines at the ends of other text, such as a report, say more. */
  readonly isLog?: boolean
  /** Whether the text is a file, for example configuration. Words for failures in it report no failure. */
  readonly isFile?: boolean
}

function previewLayout(scan: TextScan, options: PreviewOptions, hints: TextHints) {
  const { words = [], isLog = false, isFile = false } = hints
  const header = `[${countOf(scan.lines, 'line')}]`
  const { lines, note, scores, odd: unlike } = scan.scores()
  const lineUnits = unitsPerToken(lines)
  const texts = words.length === 0 ? [] : lines.map(({ text, end }) => `${text}\n${end}`)
  const sought = findSought(texts, words)
  const isPlain = !isLog && sought === undefined && (isFile || scan.errors + scan.warnings === 0)
  /** Whether words in lines can report problems, and unusual lines matter. */
  const hasReports = !isPlain || !isFile
  const odd = hasReports ? unlike : new Set<number>()
  const own = isPlain ? structureScores(lines) : new Float64Array(lines.length)
  const errorScore = hasReports && scan.errors <= FEW_ERRORS ? ERROR_SCORE : 0
  for (const [index, { number, severity }] of lines.entries()) {
    if (hasReports) own[index]! += scores.get(number) ?? 0
    if (severity === ERROR) own[index] = Math.max(own[index]!, errorScore)
  }
  const isRanked = sought !== undefined || odd.size > 0 || isTelling(scan, lines, own)
  const beside = isPlain ? BESIDE_FORM : NEIGHBOR
  const ends = isLog ? ([END_LINE, 0, beside] as const) : ([END_OF_TEXT, FARTHER, beside] as const)
  const endsShare = isRanked ? (isPlain ? ENDS_SHARE : 0) : 1
  const headShare = options.isError === true ? 0.1 : 0.5
  const values = isRanked
    ? lineValues(lines, own, odd, sought, options.budgetTokens, ends)
    : new Float64Array(lines.length)
  const shownScores = isRanked ? own.map((score, index) => (odd.has(lines[index]!.number) ? 1 : score)) : undefined
  const parents = isRanked && !isPlain ? parentsOf(lines) : undefined
  const shownLines = new ShownLines(lines, 0.2, shownScores, sought)
  const tokensOfCall = callTokensOf(options)
  const isTiny = tokensOfCall > options.budgetTokens * CALL_SHARE
  /** Tokens of the call that the first gap shows. */
  const callTokens = isTiny ? 0 : tokensOfCall
  const gapOptions = isTiny ? {} : options
  const isAllKept = scan.lines - lines.length <= lines.length && lines.every((_, index) => isBeside(lines, index))

  function write(aim: number): Draft {
    shownLines.setCap(lineCap(aim))
    if (isAllKept && (lines.length <= FEW_LINES || shownLines.allCost(aim) <= aim)) return writeAll(aim)
    const tokens = aim - HEADER_TOKENS - callTokens
    const budget = { tokens, gapTokens: GAP_TOKENS, textLines: scan.lines, endsShare, headShare, parents }
    const chosen = chooseLines(shownLines, budget, values)
    return { text: chosen.includes(1) ? assemble(chosen) : header, complete: false }
  }

  function writeAll(aim: number): Draft {
    let low = lines.length <= FEW_LINES ? 8 : lineCap(aim)
    const longest = lines.reduce((most, line) => Math.max(most, line.text.length + line.end.length), 0)
    let high = Math.min(longest, aim * 8)
    while (high - low > 8) {
      const middle = Math.floor((low + high) / 2)
      shownLines.setCap(middle)
      if (shownLines.allCost(aim) <= aim) low = middle
      else high = middle
    }
    shownLines.setCap(low)
    const complete = lines.every((line) => line.hidden === 0 && line.text.length <= low)
    return { text: assemble(new Uint8Array(lines.length).fill(1)), complete }
  }

  /** Return the largest length of a line, in UTF-16 units. */
  function lineCap(aim: number): number {
    const tokens = Math.min(aim, options.budgetTokens)
    const most = Math.max(tokens * LINE_SHARE, Math.min(FEW_TOKENS, tokens * LARGE_SHARE))
    return Math.ceil(Math.min(MOST_CAP, most * lineUnits))
  }

  function assemble(chosen: ChosenLines): string {
    const parts: string[] = []
    const gaps = gapMarks(gapOptions)
    if (chosen.includes(0) || note !== '') parts.push(`[${countOf(scan.lines, 'line')}${note}]`)
    const islands = islandsOf(lines, chosen)
    let last: ScannedLine | undefined
    for (let at = 0; at < islands.length;) {
      const isStart = islands[at]!.from === 0 && isBeside(lines, 0)
      const group = islands.slice(at, at + (isStart ? 1 : listed(islands, at)))
      if (!isStart) parts.push(mark(gaps, group))
      for (const { from, to } of group)
        for (const [at, line] of lines.slice(from, to).entries()) {
          if (at > 0 || isStart) parts.push(...Array<string>(line.blanksBefore).fill(''), shownLines.show(from + at))
          else parts.push(`${line.number}| ${shownLines.show(from)}`)
          last = line
        }
      at += group.length
    }
    const end = last?.number ?? 0
    if (last !== lines.at(-1) || scan.lines - end > 2) parts.push(gaps(end + 1, scan.lines, kindsOf(last).join(', ')))
    return parts.join('\n')
  }

  /** Return the number of islands from `at` that share one mark. Gaps with problems or alike lines have own marks. */
  function listed(islands: readonly Island[], at: number): number {
    let count = 0
    for (; at + count < islands.length; count++) {
      const { from, to, previous } = islands[at + count]!
      if (to - from > MOST_LISTED || (count > 0 && kindsOf(previous, lines[from]).length > 0)) break
    }
    return count < LEAST_LISTED ? 1 : count
  }

  /** Write the mark of the gap before an island, or of all gaps before and between some islands. */
  function mark(gaps: WriteGap, islands: readonly Island[]): string {
    const { from, previous } = islands[0]!
    const kinds = kindsOf(previous, lines[from])
    const shown = islands.reduce((sum, { from, to }) => sum + lines[to - 1]!.number - lines[from]!.number + 1, 0)
    const isList = islands.length > 1
    if (isList) kinds.push(`all but these ${formatCount(shown)}`)
    const end = isList ? lines[islands.at(-1)!.to - 1]!.number : lines[from]!.number - 1
    return gaps((previous?.number ?? 0) + 1, end, kinds.join(', '))
  }

  /** Describe the hidden lines between two lines. */
  function kindsOf(previous: ScannedLine | undefined, next?: ScannedLine): string[] {
    const { errors, warnings } = scan
    const before = previous === undefined ? 0 : previous.errorsBefore + (previous.severity === ERROR ? 1 : 0)
    const warned = previous === undefined ? 0 : previous.warningsBefore + (previous.severity === WARNING ? 1 : 0)
    const hiddenErrors = isRanked && hasReports ? (next?.errorsBefore ?? errors) - before : 0
    const hiddenWarnings = isRanked && hasReports ? (next?.warningsBefore ?? warnings) - warned : 0
    const hidden = (next === undefined ? scan.lines : next.number - 1) - (previous?.number ?? 0)
    return [
      ...(hiddenErrors > 0 ? [countOf(hiddenErrors, 'error')] : []),
      ...(hiddenWarnings > 0 ? [countOf(hiddenWarnings, 'warning')] : []),
      ...(previous !== undefined && previous.run > hidden ? ['alike'] : []),
    ]
  }

  return { header, write }
}

/** Whether some lines are more important than others: they report problems, or differ from the other lines. */
function isTelling(scan: TextScan, lines: readonly ScannedLine[], scores: Float64Array): boolean {
  return (
    scan.errors + scan.warnings > 0 ||
    lines.some(({ repeats }, index) => scores[index]! >= LEAST_SCORE && repeats * 2 <= scan.lines)
  )
}

/** Adjacent lines that are shown, from the index `from` to before `to`, and the last line shown before them. */
interface Island {
  readonly from: number
  readonly to: number
  readonly previous: ScannedLine | undefined
}

function islandsOf(lines: readonly ScannedLine[], chosen: ChosenLines): Island[] {
  const islands: Island[] = []
  for (let from = chosen.indexOf(1), to = 0; from >= 0; from = chosen.indexOf(1, to)) {
    const previous = lines[to - 1]
    for (to = from + 1; chosen[to] === 1 && isBeside(lines, to); to++);
    islands.push({ from, to, previous })
  }
  return islands
}

function unitsPerToken(lines: readonly ScannedLine[]): number {
  const sample = lines
    .slice(0, 64)
    .map((line) => line.text.slice(0, 256))
    .join('\n')
  return sample.length / Math.max(1, estimateTokens(sample))
}

/**
 * Writes the first lines, the last lines, and important lines between, with line numbers and marks for gaps.
 *
 * The text never exceeds `budgetTokens`. It is empty if nothing fits. Deterministic.
 */
export function renderTextPreview(scan: TextScan, options: PreviewOptions, hints: TextHints = {}): string {
  if (isEmpty(scan, options)) return ''
  const { header, write } = previewLayout(scan, options, hints)
  return orHeader(fitBudget(write, options), header, options)
}

/** Like {@link renderTextPreview}, but yields to the event loop. */
export async function writeTextPreview(
  scan: TextScan,
  options: PreviewOptions,
  hints: TextHints = {},
): Promise<string> {
  if (isEmpty(scan, options)) return ''
  const { header, write } = previewLayout(scan, options, hints)
  return orHeader(await fitBudgetInTurns(write, options), header, options)
}

const isEmpty = ({ kept }: TextScan, { budgetTokens }: PreviewOptions): boolean =>
  !(budgetTokens > 0) || kept.length === 0

function orHeader(preview: string, header: string, { countTokens, budgetTokens }: PreviewOptions): string {
  return preview === '' && countTokens(header) <= budgetTokens ? header : preview
}
