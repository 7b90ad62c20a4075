import { RE2JS } from 're2js'
import { createPatternBudget } from './pattern-budget.ts'
import { PatternError } from './platform.ts'
import type { PatternFlags, PatternMatcher } from './platform.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

const MAX_TEXT_LENGTH = 131_072

/** Time grows with the size of the compiled program times the text: this keeps one text in the order of a second. */
const MAX_PROGRAM_SIZE = 5_000

/** Milliseconds of matching between two turns of the event loop. */
const SLICE_MS = 8

/**
 * Match with RE2 in JavaScript, in time linear in the text: for runtimes without workers that can be terminated.
 *
 * Look-around and back-references are `unsupported`, very large programs `too-complex`.
 *
 * @param deadlineMs - Milliseconds of matching, for all calls together; grows with the text, by 20 ms for each million
 * UTF-16 units.
 */
export function createRe2PatternMatcher(pattern: string, flags: PatternFlags, deadlineMs: number): PatternMatcher {
  const budget = createPatternBudget(deadlineMs)
  let regex: RE2JS | undefined
  return {
    maxTextLength: MAX_TEXT_LENGTH,
    async match(text, from = 0) {
      regex ??= compile(pattern, flags)
      let left = budget.begin(text.length)
      let begin = performance.now()
      const hits: number[] = []
      for (let start = 0, index = 0; start < text.length; index++) {
        const lineFeed = text.indexOf('\n', start)
        const next = lineFeed < 0 ? text.length : lineFeed + 1
        const end = lineFeed > start && text.charCodeAt(lineFeed - 1) === 13 ? lineFeed - 1 : lineFeed
        const line = text.slice(start, lineFeed < 0 ? text.length : end)
        const matcher = regex.matcher(line)
        const searchFrom = index === 0 ? from : 0
        if (searchFrom <= line.length && matcher.find(searchFrom)) hits.push(index, matcher.start(), matcher.end())
        start = next
        const elapsed = performance.now() - begin
        if (elapsed < SLICE_MS) continue
        budget.spend(elapsed)
        left -= elapsed
        if (left <= 0) throw budget.timeout()
        await yieldToEventLoop()
        begin = performance.now()
      }
      budget.spend(performance.now() - begin)
      return Uint32Array.from(hits)
    },
  }
}

function compile(pattern: string, flags: PatternFlags): RE2JS {
  let regex: RE2JS
  try {
    const options = RE2JS.DOTALL | (flags.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    regex = RE2JS.compile(RE2JS.translateRegExp(pattern), options)
  } catch (cause) {
    // Valid for JavaScript, which the caller has checked, and refused here.
    const message = 'Here patterns cannot use look-around or back-references, or repeat more than 1,000 times.'
    throw new PatternError('unsupported', message, { cause })
  }
  if (regex.programSize() > MAX_PROGRAM_SIZE) {
    throw new PatternError('too-complex', 'The pattern is too large once its counted repeats are written out.')
  }
  return regex
}
