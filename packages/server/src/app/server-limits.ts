import type { JsonLimits } from '../body/parse-json-body.ts'
import type { BodyTimes } from '../body/receive-body.ts'
import type { RateLimits } from '../limits/rate-limiter.ts'
import type { WorkLimits } from '../limits/work-gate.ts'

/** What a service takes upon itself. Times may be `Infinity`. */
export interface ServerLimits extends JsonLimits, BodyTimes, WorkLimits, RateLimits {
  /** Bytes of a body of JSON. */
  readonly maxBodyBytes: number
  /** Bytes of content that is streamed to storage. */
  readonly maxContentBytes: number
  /** Milliseconds that the work of one request may take, summaries included. */
  readonly workTimeoutMs: number
  /** Streams of content that are taken at once. */
  readonly maxUploads: number
}

const MIB = 1_048_576

/** The limits that hold where nothing else is said. */
export const DEFAULT_LIMITS: ServerLimits = {
  maxBodyBytes: 64 * MIB,
  maxContentBytes: 1_024 * MIB,
  maxUploads: 32,
  workTimeoutMs: 600_000,
  maxJsonDepth: 200,
  maxJsonValues: 1_000_000,
  bodyIdleMs: 15_000,
  bodyTimeoutMs: 120_000,
  maxConcurrent: 16,
  maxQueued: 256,
  queueTimeoutMs: 10_000,
  maxMemoryBytes: 512 * MIB,
  requestsPerSecond: 100,
  requestBurst: 200,
}

/** Fill in the defaults. @throws TypeError where a limit is unknown, or no number that can be one. */
export function resolveLimits(
  limits: Partial<{ [Name in keyof ServerLimits]: number | undefined }> = {},
): ServerLimits {
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name))
      throw new TypeError(`Unknown limit ${JSON.stringify(name)}. Known: ${Object.keys(DEFAULT_LIMITS).join(', ')}.`)
    const isPossible = typeof value === 'number' && (value > 0 || (name === 'maxQueued' && value === 0))
    if (value !== undefined && !isPossible) throw new TypeError(`limits.${name} must be a number over 0, got ${value}.`)
  }
  const given = Object.entries(limits).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, name.endsWith('Ms') ? timerMs(value) : value]],
  )
  return { ...DEFAULT_LIMITS, ...(Object.fromEntries(given) as Partial<ServerLimits>) }
}

/** What timers can wait at most; more would make them fire at once. */
const MAX_TIMER_MS = 2_147_483_647

/** Return the milliseconds that a timer is given for a time that may be longer than timers know, such as `Infinity`. */
export const timerMs = (milliseconds: number): number => Math.min(milliseconds, MAX_TIMER_MS)
