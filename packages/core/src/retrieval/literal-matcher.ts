import { yieldToEventLoop } from '#platform'
import { createPatternBudget } from '../platform/pattern-budget.ts'
import type { PatternFlags, PatternMatcher } from '../platform/platform.ts'

/** A longer text is searched in the worker: the cost of a hostile one grows with its length times that of the content. */
const MAX_LITERAL_LENGTH = 64

const MAX_TEXT_LENGTH = 262_144

/** Milliseconds of matching between two turns of the event loop. */
const SLICE_MS = 8

const METACHARACTERS = /[\\^$.*+?()[\]{}|]/g

/** Tell whether a pattern stands for itself, and is short enough to be searched in place. */
export function isPlainLiteral(pattern: string): boolean {
  return pattern.length <= MAX_LITERAL_LENGTH && !/[\\^$.*+?()[\]{}|\r\n]/.test(pattern)
}

/** Write a text as a regular expression that matches just that. */
export function escapePattern(text: string): string {
  return text.replace(METACHARACTERS, '\\$&')
}

/** Search a short literal in place, without a worker, in slices that leave the event loop free. */
export function createLiteralMatcher(literal: string, flags: PatternFlags, deadlineMs: number): PatternMatcher {
  const regex = new RegExp(escapePattern(literal), flags.ignoreCase ? 'gi' : 'g')
  const budget = createPatternBudget(deadlineMs)
  let sinceYield = 0
  return {
    maxTextLength: MAX_TEXT_LENGTH,
    async match(text, from = 0) {
      budget.begin(text.length)
      const begin = performance.now()
      const hits = matchAll(regex, text, from)
      const elapsed = performance.now() - begin
      budget.spend(elapsed)
      sinceYield += elapsed
      if (sinceYield > SLICE_MS) {
        sinceYield = 0
        await yieldToEventLoop()
      }
      return hits
    },
  }
}

/** A literal without line ends never spans lines, so the whole text is searched at once. */
function matchAll(regex: RegExp, text: string, from: number): Uint32Array {
  const hits: number[] = []
  let index = 0
  let start = 0
  regex.lastIndex = from
  for (let match = regex.exec(text); match !== null; match = regex.exec(text)) {
    let end = text.indexOf('\n', start)
    while (end >= 0 && end < match.index) {
      index++
      start = end + 1
      end = text.indexOf('\n', start)
    }
    hits.push(index, match.index - start, match.index - start + match[0].length)
    if (end < 0) break
    index++
    start = end + 1
    regex.lastIndex = start
  }
  return Uint32Array.from(hits)
}
