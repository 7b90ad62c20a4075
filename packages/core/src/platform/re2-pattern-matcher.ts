import { RE2JS } from 're2js'
import { createPatternBudget } from './pattern-budget.ts'
import { PatternError } from './platform.ts'
import type { PatternFlags, PatternMatcher } from './platform.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

/** UTF-16 units of a text, at most and at least. */
const MAX_TEXT_LENGTH = 131_072
const MIN_TEXT_LENGTH = 4_096

/**
 * One line cannot be interrupted, and costs up to the size of the compiled program times its length: some 70 ns each.
 * Texts are as long as keeps this under a third of a second; a longer line is refused beyond a second.
 */
const STEPS_OF_A_TEXT = 4_000_000
const MAX_STEPS_OF_A_LINE = 16_000_000

/** With this the shortest text has about as many steps as a text may have. */
const MAX_PROGRAM_SIZE = 1_500

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
  const compiled = compile(pattern, flags)
  const programSize = compiled instanceof PatternError ? 1 : compiled.programSize()
  return {
    maxTextLength: Math.max(MIN_TEXT_LENGTH, Math.min(MAX_TEXT_LENGTH, Math.floor(STEPS_OF_A_TEXT / programSize))),
    async match(text, from = 0) {
      if (compiled instanceof PatternError) throw compiled
      let left = budget.begin(text.length)
      let begin = performance.now()
      const hits: number[] = []
      for (let start = 0, index = 0; start < text.length; index++) {
        const lineFeed = text.indexOf('\n', start)
        const next = lineFeed < 0 ? text.length : lineFeed + 1
        const end = lineFeed > start && text.charCodeAt(lineFeed - 1) === 13 ? lineFeed - 1 : lineFeed
        const line = text.slice(start, lineFeed < 0 ? text.length : end)
        if (line.length * programSize > MAX_STEPS_OF_A_LINE) throw tooLarge()
        const matcher = compiled.matcher(line)
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

/** Compile a pattern, or return why that is not possible. */
function compile(pattern: string, flags: PatternFlags): RE2JS | PatternError {
  try {
    const options = RE2JS.DOTALL | (flags.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    const regex = RE2JS.compile(RE2JS.translateRegExp(pattern), options)
    return regex.programSize() > MAX_PROGRAM_SIZE ? tooLarge() : regex
  } catch (cause) {
    // Valid for JavaScript, which the caller has checked, and refused here.
    const message = 'Here patterns cannot use look-around or back-references, or repeat more than 1,000 times.'
    return new PatternError('unsupported', message, { cause })
  }
}

function tooLarge(): PatternError {
  return new PatternError('too-complex', 'The pattern is too large once its counted repeats are written out.')
}
