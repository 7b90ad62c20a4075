import type { ManagedStorage } from '@spillway/core'

/** One hour. Leftovers and unused entries of that age are certainly old. */
export const AN_HOUR_MS = 3_600_000
/** Number of entries at the start of a soak. */
export const SEEDED = 200
/** Number of concurrent operations of a writer. */
export const PARALLEL = 4

/** A scope of a storage. */
export type SoakScope = ReturnType<ManagedStorage['scope']>

/** Scopes of writers, named by the operations that acknowledged entries in them must survive. */
export const SCOPES = {
  /** Entries that are never removed. */
  kept: ['tenant', 'kept'],
  /** Entries that may be evicted, unless a writer has stored them since the start of the soak. */
  revived: ['tenant', 'revived'],
  /** Entries that are stored and deleted repeatedly. */
  contended: ['contended'],
} as const

/** Return a scope that one of the concurrent operations of a writer stores into and clears. */
export const clearedScope = (writer: string, index: number): readonly [string, string, string] => [
  'cleared',
  writer,
  String(index),
]

/** Task of a writer. */
export interface WriterTask {
  readonly name: string
  /** Start of the soak. Entries that were last used before may be evicted. */
  readonly startedAt: number
  /** Whether to continue if the backend is unavailable, and to end when stdin ends. */
  readonly survives: boolean
  /** Size of the largest streams. */
  readonly largeBytes: number
  /** Milliseconds after which an operation counts as hanging. */
  readonly limitMs: number
}
