import { createSharedProgress, PATTERN_WORKER_SOURCE, readSharedProgress } from './node-pattern-worker.ts'
import type { WorkerAnswer, WorkerQuestion } from './node-pattern-worker.ts'
import { createWorkerPool, WorkerFailure, WorkerTimeout } from './node-worker-pool.ts'
import { createPatternBudget } from './pattern-budget.ts'
import { PatternError } from '../platform/platform.ts'
import type { PatternFlags, PatternMatcher, PatternProgress } from '../platform/platform.ts'

const MAX_TEXT_LENGTH = 1_048_576

/** A batch of an ordinary pattern takes less: a pattern that takes longer may have to wait for those that do not. */
const SHORT_MS = 250

const pool = createWorkerPool(PATTERN_WORKER_SOURCE, { shortMs: SHORT_MS, saysReady: true })

/**
 * Match with the JavaScript engine of Node.js, in a worker that is terminated once the pattern has spent its time.
 *
 * Where no worker can be started (`--permission` without `--allow-worker`), RE2 in JavaScript takes its place.
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
    async match(text, from = 0, signal) {
      if (fallback !== undefined) return await fallback.match(text, from, signal)
      const timeoutMs = budget.begin(text.length)
      const shared = createSharedProgress(text.length)
      try {
        const question = { pattern, flags: javascriptFlags(flags), text, from, shared }
        const answer = (await pool.run(question satisfies WorkerQuestion, timeoutMs, signal)) as WorkerAnswer
        budget.spend(answer.milliseconds ?? 0)
        return hitsOf(answer)
      } catch (error) {
        if (error instanceof WorkerTimeout) {
          budget.spend(timeoutMs)
          throw budget.timeout(progressIn(text, shared))
        }
        if (error instanceof WorkerFailure && error.started) {
          throw new PatternError('too-complex', 'The pattern takes too much memory.', { cause: error })
        }
        if (error instanceof WorkerFailure) {
          const { createRe2PatternMatcher } = await import('./re2-pattern-matcher.ts')
          fallback = createRe2PatternMatcher(pattern, flags, deadlineMs)
          return await fallback.match(text, from, signal)
        }
        throw error
      }
    },
  }
}

/** The worker matches line by line: within a line, a dot stands for any character, also for a lone CR. */
function javascriptFlags({ ignoreCase, unicode }: PatternFlags): string {
  return `s${ignoreCase ? 'i' : ''}${unicode ? 'u' : ''}`
}

/** Unpack what the worker answered. */
function hitsOf({ hits, error }: WorkerAnswer): Uint32Array {
  if (hits !== undefined) return hits
  throw new PatternError('too-complex', `The regular expression engine gave up (${error ?? 'no reason given'}).`)
}

function progressIn(text: string, shared: Int32Array): PatternProgress {
  const { lines, hits } = readSharedProgress(shared)
  let matched = 0
  for (let line = 0; line < lines; line++) {
    const lineFeed = text.indexOf('\n', matched)
    matched = lineFeed < 0 ? text.length : lineFeed + 1
  }
  return { matched, hits }
}
