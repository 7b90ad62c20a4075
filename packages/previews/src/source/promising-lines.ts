import type { SourceLines } from './source-lines.ts'

/** Texts of so few lines have every line considered. */
const FEW_LINES = 1_536
/** Lines that are considered or left out together. */
const BLOCK_LINES = 24
/** How many times the budget the lines have that are considered, by about so many UTF-16 units a token. */
const TIMES = 3
const UNITS_PER_TOKEN = 3.4
/** Tokens that each block costs more. */
const BLOCK_TOKENS = 10

/**
 * Finds the lines of a long file that are worth being considered for a budget: blocks of lines worth most for their length,
 * so that the cost of a preview does not grow with the file. Of a short file, these are all.
 *
 * @returns Indices of lines, in order.
 */
export function promisingLines(source: SourceLines, worth: Float32Array, budgetTokens: number): number[] {
  const { count, begins, ends } = source
  if (count <= FEW_LINES) return Array.from({ length: count }, (_, line) => line)
  const blocks = Array.from({ length: Math.ceil(count / BLOCK_LINES) }, (_, block) => {
    const from = block * BLOCK_LINES
    const to = Math.min(count, from + BLOCK_LINES)
    let value = 0
    for (let line = from; line < to; line++) value += worth[line]!
    const tokens = (ends[to - 1]! - begins[from]!) / UNITS_PER_TOKEN + BLOCK_TOKENS
    // The end of the text must be known to be shown or hidden.
    return { from, to, tokens, rate: to === count ? Infinity : value / tokens }
  })
  let left = budgetTokens * TIMES
  const best: typeof blocks = []
  for (const block of blocks.toSorted((one, other) => other.rate - one.rate || one.from - other.from)) {
    if (left <= 0) break
    best.push(block)
    left -= block.tokens
  }
  return best
    .toSorted((one, other) => one.from - other.from)
    .flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index))
}
