import { RE2JS } from 're2js'
import { yieldToEventLoop } from '#platform'
import { LONG_LINE_LENGTH, PatternError, type PatternFlags, type PatternMatcher } from '../platform/platform.ts'
import { createPatternBudget } from './pattern-budget.ts'

const MAX_TEXT_LENGTH = 131_072
const MIN_TEXT_LENGTH = 1_024

/** Steps of one line, which cannot be interrupted: about 0.1 s. Longer lines are rejected. */
const MAX_STEPS_OF_A_LINE = 1_500_000
/** With this size, the shortest text has about as many steps as a line may have. */
const MAX_PROGRAM_SIZE = 1_500
/** Steps between two turns of the event loop, about 8 ms. A single line may take more. */
const STEPS_OF_A_SLICE = 120_000

/**
 * Match with RE2 in JavaScript in linear time, by code points. Of a long line, at least the first match is found.
 * Look-around and back-references are `unsupported`; very large programs, and very long lines, are `too-complex`.
 *
 * @param deadlineMs - Milliseconds of matching over all calls, plus 20 for each million UTF-16 units. If the clock
 * stands still while code runs, steps are counted.
 */
export function createRe2PatternMatcher(pattern: string, flags: PatternFlags, deadlineMs: number): PatternMatcher {
  const budget = createPatternBudget(deadlineMs)
  const clock = createStepClock()
  const compiled = compile(pattern, flags)
  const programSize = compiled instanceof PatternError ? 1 : Math.max(1, compiled.programSize())
  return {
    maxTextLength: Math.max(MIN_TEXT_LENGTH, Math.min(MAX_TEXT_LENGTH, Math.floor(MAX_STEPS_OF_A_LINE / programSize))),
    async match(text, from = 0, signal) {
      if (compiled instanceof PatternError) throw compiled
      signal?.throwIfAborted()
      let left = budget.begin(text.length)
      const hits: number[] = []
      let steps = 0
      clock.start()
      for (let start = 0, index = 0; start < text.length; index++) {
        const lineFeed = text.indexOf('\n', start)
        const next = lineFeed < 0 ? text.length : lineFeed + 1
        const end = lineFeed > start && text.charCodeAt(lineFeed - 1) === 13 ? lineFeed - 1 : lineFeed
        const line = text.slice(start, lineFeed < 0 ? text.length : end)
        let stepsOfLine = (line.length + 1) * programSize
        if (stepsOfLine > MAX_STEPS_OF_A_LINE && line.length > MIN_TEXT_LENGTH) {
          throw new PatternError('too-complex', 'The pattern is too large for a line as long as this.')
        }
        const matcher = compiled.matcher(line)
        let searchFrom = index === 0 ? from : 0
        for (let found = 0; searchFrom <= line.length && matcher.find(searchFrom);) {
          const isFirst = found++ === 0
          if (isFirst || matcher.end() > matcher.start()) hits.push(index, matcher.start(), matcher.end())
          // Each further match may scan the rest of the line again.
          stepsOfLine += (line.length - matcher.end()) * programSize
          if (line.length <= LONG_LINE_LENGTH || stepsOfLine > MAX_STEPS_OF_A_LINE) break
          searchFrom = Math.max(matcher.end(), matcher.start() + 1)
        }
        start = next
        steps += stepsOfLine
        if (steps < STEPS_OF_A_SLICE) continue
        const spent = clock.stop(steps)
        budget.spend(spent)
        left -= spent
        if (left <= 0) throw budget.timeout({ matched: start, hits: Uint32Array.from(hits) })
        await yieldToEventLoop()
        signal?.throwIfAborted()
        steps = 0
        clock.start()
      }
      budget.spend(clock.stop(steps))
      return Uint32Array.from(hits)
    },
  }
}

function compile(pattern: string, flags: PatternFlags): RE2JS | PatternError {
  try {
    const options = RE2JS.DOTALL | (flags.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    const regex = RE2JS.compile(RE2JS.translateRegExp(pattern), options)
    return regex.programSize() > MAX_PROGRAM_SIZE ? tooLarge() : regex
  } catch (cause) {
    // Valid in JavaScript, but not in RE2.
    const message = 'Here patterns cannot use look-around or back-references, or repeat more than 1,000 times.'
    return new PatternError('unsupported', message, { cause })
  }
}

function tooLarge(): PatternError {
  return new PatternError('too-complex', 'The pattern is too large once its counted repeats are written out.')
}

/** Upper bound for one step of RE2 in JavaScript: 12 to 60 ns were measured. */
const MS_PER_STEP = 70e-6

interface StepClock {
  start(): void
  stop(steps: number): number
}

/** Some edge runtimes stop the clock until the next I/O: steps are counted until the time has advanced. */
function createStepClock(): StepClock {
  let begin = 0
  let moves = false
  return {
    start() {
      begin = performance.now()
    },
    stop(steps) {
      const elapsed = performance.now() - begin
      moves ||= elapsed > 0
      return moves ? elapsed : steps * MS_PER_STEP
    },
  }
}
