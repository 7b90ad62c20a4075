import { PATTERN_WORKER_SOURCE } from './node-pattern-worker.ts'
import { createWorkerPool, WorkerFailure, WorkerTimeout } from './node-worker-pool.ts'
import { createPatternBudget } from './pattern-budget.ts'
import { PatternError } from './platform.ts'
import type { PatternFlags, PatternMatcher } from './platform.ts'

const MAX_TEXT_LENGTH = 1_048_576

const pool = createWorkerPool(PATTERN_WORKER_SOURCE)

/**
 * Match with the JavaScript engine of Node.js, in a worker that is terminated once the pattern has spent its time.
 *
 * Where no worker can be started (`--permission` without `--allow-worker`), RE2 takes its place.
 *
 * @param pattern - A valid regular expression.
 * @param deadlineMs - Milliseconds of matching, for all calls together; grows with the text, by 20 ms for each million
 * UTF-16 units.
 */
export function createPatternMatcher(pattern: string, flags: PatternFlags, deadlineMs: number): PatternMatcher {
  const budget = createPatternBudget(deadlineMs)
  let fallback: PatternMatcher | undefined
  return {
    maxTextLength: MAX_TEXT_LENGTH,
    async match(text, from = 0) {
      if (fallback !== undefined) return await fallback.match(text, from)
      const timeoutMs = budget.begin(text.length)
      try {
        // The worker matches line by line: within a line, a dot stands for any character, also for a lone CR.
        const message = { pattern, flags: flags.ignoreCase ? 'is' : 's', text, from }
        const { answer, milliseconds } = await pool.run(message, timeoutMs)
        budget.spend(milliseconds)
        return hitsOf(answer)
      } catch (error) {
        if (error instanceof WorkerTimeout) {
          budget.spend(timeoutMs)
          throw budget.timeout()
        }
        if (error instanceof WorkerFailure && error.started) {
          throw new PatternError('too-complex', 'The pattern takes too much memory.', { cause: error })
        }
        if (error instanceof WorkerFailure) {
          const { createRe2PatternMatcher } = await import('./re2-pattern-matcher.ts')
          fallback = createRe2PatternMatcher(pattern, flags, deadlineMs)
          return await fallback.match(text, from)
        }
        throw error
      }
    },
  }
}

/** Unpack what the worker answered. */
function hitsOf(answer: unknown): Uint32Array {
  const { hits, error } = answer as { readonly hits?: Uint32Array; readonly error?: string }
  if (hits !== undefined) return hits
  throw new PatternError('too-complex', `The regular expression engine gave up (${error ?? 'no reason given'}).`)
}
