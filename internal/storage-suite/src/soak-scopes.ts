import type { ManagedStorage } from '@spillway/core'

/** An hour, by which things that are left over or unused are surely old. */
export const AN_HOUR_MS = 3_600_000
/** Number of entries before a soak begins. */
export const SEEDED = 200
/** Number of operations that a writer runs at the same time. */
export const PARALLEL = 4

/** A scope of its own, as the storage gives it. */
export type SoakScope = ReturnType<ManagedStorage['scope']>

/** Names of scopes by the operations that writers do in them, which acknowledged entries there must survive. */
export const SCOPES = {
  /** Entries that are never removed. */
  kept: ['tenant', 'kept'],
  /** Entries that may be evicted unless a writer has stored them since the soak began. */
  revived: ['tenant', 'revived'],
  /** Entries that come and go. */
  contended: ['contended'],
} as const

/** The scope that one of the things a writer does at the same time stores into and clears. */
export const clearedScope = (writer: string, index: number): readonly [string, string, string] => [
  'cleared',
  writer,
  String(index),
]

/** Task of a writer. */
export interface WriterTask {
  readonly name: string
  /** When the soak began: what was used last before may be evicted. */
  readonly startedAt: number
  /** Continue if the backend is unavailable, and end when stdin does. */
  readonly survives: boolean
  /** The size of the largest streams. */
  readonly largeBytes: number
  /** Milliseconds after which an operation counts as hanging. */
  readonly limitMs: number
}
