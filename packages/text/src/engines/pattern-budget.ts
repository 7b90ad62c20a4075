import { PatternError } from '../platform/platform.ts'
import type { PatternProgress } from '../platform/platform.ts'

/**
 * What each million UTF-16 units of text adds to the time of a matcher, so that an ordinary pattern gets through a
 * large content while the whole stays linear in it.
 */
const MS_PER_MILLION_UNITS = 20

/** The time that one pattern may spend on matching. */
export interface PatternBudget {
  /** Account for text about to be matched and return the milliseconds left, always more than 0. Throws `timeout` when there are none. */
  begin(textLength: number): number
  /** Account for the milliseconds that matching took. */
  spend(milliseconds: number): void
  /** The error that says the time is spent, and how far it lasted in the text at hand. */
  timeout(progress: PatternProgress): PatternError
}

/** Keep account of the matching time of one pattern, over all its batches. */
export function createPatternBudget(deadlineMs: number): PatternBudget {
  let left = deadlineMs
  const timeout = (progress: PatternProgress): PatternError =>
    new PatternError('timeout', 'The pattern took too long to match.', { progress })
  return {
    begin: (textLength) => {
      if (left <= 0) throw timeout({ matched: 0, hits: new Uint32Array() })
      left += (textLength / 1e6) * MS_PER_MILLION_UNITS
      return left
    },
    spend: (milliseconds) => {
      left -= milliseconds
    },
    timeout,
  }
}
