import { BoundedMap } from '@spillway/core/driver'
import { HttpError } from '../app/http-error.ts'

/** Rate limits of each caller. */
export interface RateLimits {
  /** The average rate. `Infinity` for no limit. */
  readonly requestsPerSecond: number
  /** The number of requests that may arrive at once. */
  readonly requestBurst: number
}

const MAX_CALLERS = 10_000

/**
 * Return a function that counts a request of a caller, and limits each caller with a token bucket.
 *
 * The function throws an HttpError `rate-limited` with the time until the next request is allowed.
 */
export function rateLimiter(
  limits: RateLimits,
  clock: () => number = () => performance.now(),
): (caller: string) => void {
  const buckets = new BoundedMap<string, { tokens: number; at: number }>(MAX_CALLERS)
  return (caller) => {
    const { requestsPerSecond, requestBurst } = limits
    if (requestsPerSecond === Infinity) return
    const now = clock()
    const bucket = buckets.get(caller) ?? { tokens: requestBurst, at: now }
    bucket.tokens = Math.min(requestBurst, bucket.tokens + ((now - bucket.at) / 1_000) * requestsPerSecond)
    bucket.at = now
    buckets.set(caller, bucket)
    if (bucket.tokens < 1) {
      const retryAfter = (1 - bucket.tokens) / requestsPerSecond
      throw new HttpError('rate-limited', 'Too many requests. Try again later.', { retryAfter })
    }
    bucket.tokens -= 1
  }
}
