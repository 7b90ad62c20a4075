import type { ScannedLine } from './text-scan.ts'

/** A share of the score of a line that the lines beside it, and all lines of its block, have at least. */
const NEIGHBOR = 0.7
/** Longer blocks, of lines without a blank one between them, are no unit that is shown whole. */
const MOST_BLOCK_LINES = 30
/** Tokens of a preview for each line that a block may have: a small preview has no room for blocks. */
const BLOCK_LINE_TOKENS = 20
/** What a line is still worth if a line with the same words is worth as much. */
const REPEATED = 0.75
/** What each next line of a run of lines that are alike is worth of the one before, until the rest is worth nothing. */
const RUN = 0.8
const LEAST_SHARE = 0.05

/** What the first and the last line are worth at least: they say what was run, and how it ended. */
const END_LINE = 0.5

/** What a line that is unlike all others is worth: it is shown before everything else. */
const ODD_LINE = 2

/** How much each kept line is worth showing: its score, what it has from the lines beside it, less for what is said twice. */
export function lineValues(
  lines: readonly ScannedLine[],
  scores: Float64Array,
  odd: ReadonlySet<number>,
  budgetTokens: number,
): Float64Array {
  const values = scores.map((score, index) =>
    Math.max(
      score,
      isNext(lines, index) ? NEIGHBOR * scores[index - 1]! : 0,
      isNext(lines, index + 1) ? NEIGHBOR * scores[index + 1]! : 0,
    ),
  )
  raiseBlocks(lines, scores, values, Math.min(MOST_BLOCK_LINES, budgetTokens / BLOCK_LINE_TOKENS))
  for (const end of [0, values.length - 1]) values[end] = Math.max(values[end]!, END_LINE)
  lowerRepeats(lines, values)
  lowerRuns(lines, values)
  for (const [index, { number }] of lines.entries())
    if (odd.has(number)) values[index] = ODD_LINE * (1 + scores[index]!)
  return values
}

/** What a failure says stands in a block: its head, its message, and its frames. */
function raiseBlocks(
  lines: readonly ScannedLine[],
  scores: Float64Array,
  values: Float64Array,
  mostLines: number,
): void {
  let start = 0
  for (let end = 1; end <= lines.length; end++) {
    if (isNext(lines, end) && lines[end]!.blanksBefore === 0) continue
    if (end - start <= mostLines) {
      const least = NEIGHBOR * scores.subarray(start, end).reduce((best, score) => Math.max(best, score), 0)
      for (let index = start; index < end; index++) values[index] = Math.max(values[index]!, least)
    }
    start = end
  }
}

/** Of lines with the same words, the one worth most stays so. */
function lowerRepeats(lines: readonly ScannedLine[], values: Float64Array): void {
  const best = new Map<number, number>()
  for (const [index, { template }] of lines.entries()) {
    const known = best.get(template)
    if (known === undefined || values[index]! > values[known]!) best.set(template, index)
  }
  for (const [index, { template }] of lines.entries()) {
    if (best.get(template) !== index) values[index]! *= REPEATED
  }
}

/** The first of many lines that are alike says how many there are. */
function lowerRuns(lines: readonly ScannedLine[], values: Float64Array): void {
  let share = 1
  for (let index = 1; index < lines.length; index++) {
    share = isNext(lines, index) && lines[index]!.template === lines[index - 1]!.template ? share * RUN : 1
    values[index]! *= share < LEAST_SHARE ? 0 : share
  }
}

/** Whether nothing but blank lines stands between a line and the one kept before it. */
function isNext(lines: readonly ScannedLine[], index: number): boolean {
  const line = lines[index]
  const previous = lines[index - 1]
  return line !== undefined && previous !== undefined && line.number - previous.number === line.blanksBefore + 1
}
