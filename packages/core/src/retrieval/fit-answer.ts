import { type CountTokens, longerThan } from '@spillway/text/internal'

/** How many tokens an answer may have. */
export interface AnswerLimit {
  /** `Infinity` for no limit. */
  readonly maxTokens: number
  readonly countTokens: CountTokens
}

/** UTF-16 units that may have to be looked at to fill an answer: few tokens are longer than this on the average. */
const UNITS_PER_TOKEN = 12

/** More than this is never kept for one answer, also where there is no limit: a string has its own. */
const MAX_UNITS = 64 * 1_048_576

/** UTF-16 units to keep for an answer, so that what does not fit is found without keeping all of it. */
export function unitsFor(limit: AnswerLimit): number {
  return Math.min(MAX_UNITS, Math.max(2_000, limit.maxTokens * UNITS_PER_TOKEN))
}

/** Tell whether a text is within the limit. */
export function fits(text: string, limit: AnswerLimit): boolean {
  return !longerThan(text, limit.maxTokens, limit.countTokens)
}

/**
 * Find a large `count`, from 0 to `most`, whose text is within the limit, and return that text, or `undefined` where
 * not even the text of `least` is.
 */
export function fitCount(
  write: (count: number) => string,
  least: number,
  most: number,
  limit: AnswerLimit,
): { readonly count: number; readonly text: string } | undefined {
  let best: { readonly count: number; readonly text: string } | undefined
  let low = least
  let high = most
  while (low <= high) {
    // The whole first: it is the usual case.
    const count = best === undefined && high === most ? most : Math.floor((low + high) / 2)
    const text = write(count)
    if (fits(text, limit)) {
      best = { count, text }
      low = count + 1
    } else {
      high = count - 1
    }
  }
  return best
}

/** Return a text that is within the limit, or as much of its beginning as is: the last resort, for limits of a few tokens. */
export function cutToFit(text: string, limit: AnswerLimit): string {
  return fitCount((count) => text.slice(0, count).toWellFormed(), 0, text.length, limit)?.text ?? ''
}
