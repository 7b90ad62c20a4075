import type { ServerLimits } from '@spillway/server'
import type { Command } from 'commander'
import { parseBytes, parseDuration, parsePositive, parseRate } from '../option-parsers.ts'

/** Options that say what a service takes upon itself. */
export interface LimitOptions {
  readonly maxBody?: number
  readonly maxContent?: number
  readonly maxConcurrent?: number
  readonly maxQueued?: number
  readonly maxMemory?: number
  readonly maxSpool?: number
  readonly rate?: number
  readonly bodyTimeout?: number
  readonly grace?: number
}

/** Give a command the limits of a service. */
export function addLimitOptions(command: Command): Command {
  return command
    .option('--max-body <bytes>', 'of one request of JSON (default: 64MB)', parseBytes)
    .option('--max-content <bytes>', 'of content that is streamed to the store (default: 1GB)', parseBytes)
    .option('--max-memory <bytes>', 'that requests and answers may take, by estimate (default: 512MB)', parseBytes)
    .option('--max-spool <bytes>', 'of request bodies on disk while they arrive (default: 8GB)', parseBytes)
    .option('--max-concurrent <count>', 'requests that are worked on at once (default: 16)', parsePositive)
    .option('--max-queued <count>', 'requests that wait for that; others get 503 (default: 256)', parsePositive)
    .option('--rate <count>', 'requests in a second of one token or address, or none (default: 100)', parseRate)
    .option('--body-timeout <time>', 'in which a body must have come, such as 2m (default: 2m)', parseDuration)
    .option('--grace <time>', 'for what is under way when it is stopped, such as 30s (default: 10s)', parseDuration)
}

/** The limits as the service takes them. */
export function limitsOf(options: LimitOptions): Partial<{ [Name in keyof ServerLimits]: number | undefined }> {
  const { maxBody, maxContent, maxConcurrent, maxQueued, maxMemory, rate, bodyTimeout } = options
  return {
    maxBodyBytes: maxBody,
    maxContentBytes: maxContent,
    maxConcurrent,
    maxQueued,
    maxMemoryBytes: maxMemory,
    requestsPerSecond: rate,
    requestBurst: rate === undefined ? undefined : Math.max(1, 2 * rate),
    bodyTimeoutMs: bodyTimeout,
  }
}
