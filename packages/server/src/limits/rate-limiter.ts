import { BoundedMap } from '@spillway/core/driver'
import { HttpError } from '../app/http-error.ts'

/** How often one caller may call. */
export interface RateLimits {
  /** Requests in a second, in the long run; `Infinity` for no limit. */
  readonly requestsPerSecond: number
  /** Requests that may come at once. */
  readonly requestBurst: number
}

interface Bucket {
  tokens: number
  at: number
}

/** Callers that are remembered; one that is forgotten may call as if it were new. */
const MAX_CALLERS = 10_000

/** Lets each caller call so often, by a bucket that fills with time and pays for requests. */
export class RateLimiter {
  readonly #limits: RateLimits
  readonly #buckets = new BoundedMap<string, Bucket>(MAX_CALLERS)
  readonly #now: () => number

  /** @param now - Milliseconds of a clock that only goes on. */
  constructor(limits: RateLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  /** Pay for a request. @throws HttpError `rate-limited` where the caller cannot, with when it will be able to. */
  take(caller: string): void {
    const { requestsPerSecond, requestBurst } = this.#limits
    if (requestsPerSecond === Infinity) return
    const now = this.#now()
    const bucket = this.#buckets.get(caller) ?? { tokens: requestBurst, at: now }
    bucket.tokens = Math.min(requestBurst, bucket.tokens + ((now - bucket.at) / 1_000) * requestsPerSecond)
    bucket.at = now
    this.#buckets.set(caller, bucket)
    if (bucket.tokens < 1) {
      const retryAfter = (1 - bucket.tokens) / requestsPerSecond
      throw new HttpError('rate-limited', 'Too many requests. Try again later.', { retryAfter })
    }
    bucket.tokens -= 1
  }
}
