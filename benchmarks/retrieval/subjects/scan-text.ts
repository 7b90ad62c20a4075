import { CONTEXT_LINES, MAX_CHARS, type Answer } from './subject.ts'

/** Number of shown characters of a longer line. */
const LONG_LINE = 4_000

/**
 * Count the lines in a whole text that an expression matches, and show the first ones with their context.
 *
 * This is a lower bound, not a product: `\s` and `[^x]` match line ends, and a hostile pattern has no time limit.
 */
export function scanText(text: string, expression: RegExp, firstNumber: (() => number) | undefined = () => 1): Answer {
  let matches = 0
  let shown = ''
  let shownTo = 0
  let number: number | undefined
  expression.lastIndex = 0
  while (expression.lastIndex <= text.length && expression.test(text)) {
    const end = expression.lastIndex
    const lineStart = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1
    const lineFeed = text.indexOf('\n', end)
    const lineEnd = lineFeed < 0 ? text.length : lineFeed
    matches++
    if (shown.length < MAX_CHARS && lineStart >= shownTo) {
      const from = Math.max(shownTo, linesBack(text, lineStart))
      const to = linesOn(text, lineEnd)
      number = (number ?? firstNumber()) + countLineFeeds(text, shownTo, from)
      const window =
        to - from <= LONG_LINE ? text.slice(from, to) : text.slice(Math.max(from, end - LONG_LINE / 2), end + LONG_LINE)
      for (const line of window.split('\n')) shown += `${number++}| ${line}\n`
      shownTo = to + 1
    }
    if (lineEnd >= text.length) break
    expression.lastIndex = lineEnd + 1
  }
  return { matches, text: shown.slice(0, MAX_CHARS) }
}

function linesBack(text: string, lineStart: number): number {
  let start = lineStart
  for (let count = 0; count < CONTEXT_LINES && start > 0; count++)
    start = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1
  return start
}

function linesOn(text: string, lineEnd: number): number {
  let end = lineEnd
  for (let count = 0; count < CONTEXT_LINES && end < text.length; count++) {
    const next = text.indexOf('\n', end + 1)
    end = next < 0 ? text.length : next
  }
  return end
}

function countLineFeeds(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++
  return count
}
