import { PatternError } from '../platform/platform.ts'
import type { PatternProgress } from '../platform/platform.ts'

/** Extra time for text, so that ordinary patterns can search large content in linear time. */
const MS_PER_MILLION_UNITS = 20

export interface PatternBudget {
  /** Add text to be matched and return the milliseconds left, always above 0. Throws `timeout` if none are left. */
  begin(textLength: number): number
  spend(milliseconds: number): void
  timeout(progress: PatternProgress): PatternError
}

export function createPatternBudget(deadlineMs: number): PatternBudget {
  let left = deadlineMs
  const timeout = (progress: PatternProgress): PatternError =>
    new PatternError('timeout', 'The pattern took too long and was stopped.', { progress })
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
