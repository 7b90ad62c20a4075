import type { JsonLimits } from '../body/parse-json-body.ts'
import type { BodyTimes } from '../body/receive-body.ts'
import type { RateLimits } from '../limits/rate-limiter.ts'
import type { WorkLimits } from '../limits/work-gate.ts'

/** Limits of a service. Times may be `Infinity`. */
export interface ServerLimits extends JsonLimits, BodyTimes, WorkLimits, RateLimits {
  /** Size limit of a JSON body, in bytes. */
  readonly maxBodyBytes: number
  /** Size limit of streamed content, in bytes. */
  readonly maxContentBytes: number
  /** Time limit of one request including summaries, in milliseconds. */
  readonly workTimeoutMs: number
  /** Limit of concurrent content streams. One caller gets at most a quarter of them. */
  readonly maxUploads: number
}

const MIB = 1_048_576

/** Default limits. */
export const DEFAULT_LIMITS: ServerLimits = {
  maxBodyBytes: 64 * MIB,
  maxContentBytes: 1_024 * MIB,
  maxUploads: 32,
  workTimeoutMs: 600_000,
  maxJsonDepth: 200,
  maxJsonValues: 1_000_000,
  bodyWindowMs: 15_000,
  minBodyBytesPerSecond: 1_024,
  bodyTimeoutMs: 120_000,
  maxConcurrent: 16,
  maxQueued: 256,
  queueTimeoutMs: 10_000,
  maxMemoryBytes: 512 * MIB,
  requestsPerSecond: 100,
  requestBurst: 200,
}

/** Apply the defaults. @throws TypeError if a limit is unknown or invalid. */
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

/** Longest delay of a timer. A timer with a longer delay would fire at once. */
const MAX_TIMER_MS = 2_147_483_647

/** Clamp a delay to the longest delay of a timer. */
export const timerMs = (milliseconds: number): number => Math.min(milliseconds, MAX_TIMER_MS)
