import { createSharedProgress, PATTERN_WORKER_SOURCE, readSharedProgress } from './node-pattern-worker.ts'
import { createWorkerPool, WorkerFailure, WorkerTimeout } from './node-worker-pool.ts'
import { createPatternBudget } from './pattern-budget.ts'
import { PatternError } from './platform.ts'
import type { PatternFlags, PatternMatcher, PatternProgress } from './platform.ts'

const MAX_TEXT_LENGTH = 1_048_576

/** A batch of an ordinary pattern takes less: a pattern that takes longer may have to wait for those that do not. */
const SHORT_MS = 100

const pool = createWorkerPool(PATTERN_WORKER_SOURCE, { shortMs: SHORT_MS })

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
    async match(text, from = 0, signal) {
      if (fallback !== undefined) return await fallback.match(text, from, signal)
      const timeoutMs = budget.begin(text.length)
      const shared = createSharedProgress()
      try {
        const message = { pattern, flags: javascriptFlags(flags), text, from, shared }
        const { hits, milliseconds } = readAnswer(await pool.run(message, timeoutMs, signal))
        budget.spend(milliseconds)
        return hits
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

interface WorkerAnswer {
  readonly hits: Uint32Array
  readonly milliseconds: number
}

/** Unpack what the worker answered. */
function readAnswer(answer: unknown): WorkerAnswer {
  const { hits, milliseconds, error } = answer as Partial<WorkerAnswer & { readonly error: string }>
  if (hits !== undefined && milliseconds !== undefined) return { hits, milliseconds }
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
