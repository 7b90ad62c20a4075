import type { ServerLimits } from '@spillway/server'
import type { Command } from 'commander'
import { parseBytes, parseDuration, parsePositive, parseLimit } from '../option-parsers.ts'

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

export function addLimitOptions(command: Command): Command {
  return command
    .option('--max-body <bytes>', 'largest request of JSON (default: 64MB)', parseBytes)
    .option('--max-content <bytes>', 'largest content that is streamed to the store (default: 1GB)', parseBytes)
    .option(
      '--max-memory <bytes>',
      'estimated memory of all requests and answers, at most (default: 512MB)',
      parseBytes,
    )
    .option('--max-spool <bytes>', 'disk space of request bodies while they arrive, at most (default: 8GB)', parseBytes)
    .option('--max-concurrent <count>', 'requests that are worked on at once, at most (default: 16)', parsePositive)
    .option(
      '--max-queued <count>',
      'requests that wait for their turn, at most; others get 503 (default: 256)',
      parsePositive,
    )
    .option(
      '--rate <count>',
      'requests per second of one token or address, at most; none for no limit (default: 100)',
      parseLimit,
    )
    .option('--body-timeout <time>', 'how long the body of a request may take to arrive (default: 2m)', parseDuration)
    .option(
      '--grace <time>',
      'how long requests may still take once the service is stopped (default: 10s)',
      parseDuration,
    )
}

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
