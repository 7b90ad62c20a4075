import { countOf, estimateTokens } from '@spillway/text/internal'
import { type Draft, fitBudget, fitBudgetInTurns } from '../layout/fit-budget.ts'
import { callTokensOf, gapMarks, type WriteGap } from '../layout/gap-marks.ts'
import { findSought, type Sought } from '../layout/wanted-words.ts'
import type { PreviewOptions } from '../previewer.ts'
import { chooseLines, type ChosenLines, isBeside, ShownLines } from './choose-lines.ts'
import { ERROR, WARNING } from './line-words.ts'
import type { ScannedLine, TextScan } from './text-scan.ts'

/** Smallest score of a line's neighbors, and of all lines in its block, as a share of the line's score. */
const NEIGHBOR = 0.7
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
  [endValue, farther]: readonly [endValue: number, farther: number],
): Float64Array {
  const values = scores.map((score, index) =>
    Math.max(
      score,
      isNext(lines, index) ? NEIGHBOR * scores[index - 1]! : 0,
      isNext(lines, index + 1) ? NEIGHBOR * scores[index + 1]! : 0,
    ),
  )
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

/** Estimated tokens of the line number after a gap, and of the header. */
const NUMBER_TOKENS = 3
const HEADER_TOKENS = 7
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
  const { lines, note, scores, odd } = scan.scores()
  const lineUnits = unitsPerToken(lines)
  const own = new Float64Array(lines.map(({ number }) => scores.get(number) ?? 0))
  const texts = words.length === 0 ? [] : lines.map(({ text, end }) => `${text}\n${end}`)
  const sought = findSought(texts, words)
  const isRanked = sought !== undefined || odd.size > 0 || isTelling(scan, lines, own)
  const ends = isLog ? ([END_LINE, 0] as const) : ([END_OF_TEXT, FARTHER] as const)
  const isPlain = !isLog && sought === undefined && (isFile || scan.errors + scan.warnings === 0)
  const endsShare = isRanked ? (isPlain ? ENDS_SHARE : 0) : 1
  const headShare = options.isError === true ? 0.1 : 0.5
  const values = isRanked
    ? lineValues(lines, own, odd, sought, options.budgetTokens, ends)
    : new Float64Array(lines.length)
  const shownScores = isRanked ? own.map((score, index) => (odd.has(lines[index]!.number) ? 1 : score)) : undefined
  const shownLines = new ShownLines(lines, 0.2, shownScores, sought)
  const gapTokens = estimateTokens(gapMarks({})(1_000, 1_999)) + NUMBER_TOKENS
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
    const budget = { tokens, gapTokens, textLines: scan.lines, endsShare, headShare }
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
    let previous: ScannedLine | undefined
    let previousIndex = -1
    for (let index = 0; index < lines.length; index++) {
      if (chosen[index] === 0) continue
      const line = lines[index]!
      const from = (previous?.number ?? 0) + 1
      const shown = shownLines.show(index)
      if (previousIndex === index - 1 && isBeside(lines, index)) {
        for (let blank = from; blank < line.number; blank++) parts.push('')
        parts.push(shown)
      } else {
        parts.push(gap(gaps, previous, from, line))
        parts.push(`${line.number}| ${shown}`)
      }
      previous = line
      previousIndex = index
    }
    const last = previous?.number ?? 0
    if (previousIndex < lines.length - 1 || scan.lines - last > 2) parts.push(gap(gaps, previous, last + 1, undefined))
    return parts.join('\n')
  }

  function gap(gaps: WriteGap, previous: ScannedLine | undefined, from: number, next: ScannedLine | undefined): string {
    const to = next === undefined ? scan.lines : next.number - 1
    const isRun = previous !== undefined && previous.run > to - from + 1
    return gaps(from, to, [...hidden(previous, next), ...(isRun ? ['alike'] : [])].join(', '))
  }

  function hidden(previous: ScannedLine | undefined, next: ScannedLine | undefined): string[] {
    if (!isRanked) return []
    const { errors, warnings } = scan
    const before = previous === undefined ? 0 : previous.errorsBefore + (previous.severity === ERROR ? 1 : 0)
    const warned = previous === undefined ? 0 : previous.warningsBefore + (previous.severity === WARNING ? 1 : 0)
    const hiddenErrors = (next?.errorsBefore ?? errors) - before
    const hiddenWarnings = (next?.warningsBefore ?? warnings) - warned
    return [
      ...(hiddenErrors > 0 ? [countOf(hiddenErrors, 'error')] : []),
      ...(hiddenWarnings > 0 ? [countOf(hiddenWarnings, 'warning')] : []),
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
