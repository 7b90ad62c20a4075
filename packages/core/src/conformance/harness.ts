import type { Storage } from '../storage/storage.ts'
import type { KillScript } from './kill-script.ts'

/**
 * Extent of a storage's promises: `two-method` is only `store` and `retrieve`, with references of any form; `full` is
 * everything that a Spillway backend promises.
 */
export type ConformanceLevel = 'two-method' | 'full'

/** Settings that a case may ask for, with the meaning they have in `ManagedStorageOptions`. */
export interface StorageSettings {
  readonly evictAfterTurns?: number
  readonly ttlMs?: number
  readonly maxBytes?: number
}

/** Clock of the storage under test. */
export interface ConformanceClock {
  /** The time in milliseconds since the epoch. */
  now(): number
  /** Let time pass, in milliseconds. */
  advance(milliseconds: number): void
}

/**
 * Abilities that only the backend's author can implement. Each power unlocks cases, which are reported as not proven
 * without it. Give all that the backend can have.
 */
export interface ConformancePowers {
  /**
   * Open one more instance over the same data, with the same settings and clock. The earlier one may still be open. The
   * suite closes it if it has `close`.
   */
  readonly reopen?: () => Promise<Storage>
  /** Make every operation of the backend fail, as if it were down. Returns a function that ends the outage. */
  readonly outage?: () => Promise<() => Promise<void>>
  /** Count the physical records (files, rows, keys, objects; not folders, not tombstones) that the backend holds. */
  readonly residue?: () => Promise<number>
  /**
   * Put foreign content next to the storage, for example in a file beside its directory or a key outside its prefix.
   * Returns references that an attacker could try to reach it with.
   */
  readonly plant?: (content: Uint8Array) => Promise<readonly string[]>
  /** The clock that the storage was created with. */
  readonly clock?: ConformanceClock
  /**
   * Run a script (see `runKillScript`) in a new writer, a process if possible, and kill it halfway through the last entry.
   * Returns the references acknowledged before.
   */
  readonly kill?: (script: KillScript) => Promise<readonly string[]>
  /** Remove at least the last byte of an entry of the unscoped storage without using the storage. */
  readonly damage?: (reference: string) => Promise<void>
  /** Run a command in a shell and return what it prints. */
  readonly shell?: (command: string) => Promise<Uint8Array>
  /** Maximum number of evicted entries that the backend remembers for one scope. */
  readonly maxTombstones?: number
}

/** The name of a power. */
export type PowerName = keyof ConformancePowers

/** A storage to run one case on. */
export interface HarnessInstance {
  readonly storage: Storage
  readonly powers?: ConformancePowers
  /** Release and remove everything that belongs to this instance. */
  readonly dispose?: () => Promise<void> | void
}

/** Access of the suite to a backend. */
export interface ConformanceHarness {
  /** Name of the backend in reports. */
  readonly name: string
  /** Promises of the storage. Defaults to `full`; required for a storage that has neither `list` nor `scope`. */
  readonly level?: ConformanceLevel
  /** The settings that `create` can apply. Defaults to none. */
  readonly settings?: readonly (keyof StorageSettings)[]
  /**
   * Create a fresh storage that shares nothing with any other, with the given settings and no other limits. It is
   * called for every case; creating is not under test, so it should fail loudly.
   */
  create(settings: StorageSettings): Promise<HarnessInstance>
  /** Promises that the backend is known not to keep: case id → reason. A gap that has closed fails the run. */
  readonly knownGaps?: Readonly<Record<string, string>>
  /** Reasons for missing powers, for the report: power → reason. */
  readonly missingPowers?: Readonly<Partial<Record<PowerName, string>>>
  /**
   * Reasons for settings that the storage does not take, for example an age that its server applies: setting → reason.
   * Cases that need the setting do not apply.
   */
  readonly missingSettings?: Readonly<Partial<Record<keyof StorageSettings, string>>>
  /** Milliseconds that a case may take. Defaults to 30,000. */
  readonly timeoutMs?: number
}

/** An optional method of a storage that a case needs. */
export type Capability = Exclude<keyof Storage, 'store' | 'retrieve'>

/** Argument of a case. The storage has the methods, and the harness the powers, that the case requires. */
export interface CaseContext {
  readonly storage: Required<Storage>
  readonly powers: Required<ConformancePowers>
  /** Create one more storage, isolated from the first. */
  another(): Promise<Required<Storage>>
  /** Return a number from 0 (included) to 1 (excluded); the sequence is the same in every run of the same seed. */
  random(): number
  /** Whether to run long random series in full. */
  readonly thorough: boolean
}

/** One promise, and how to check it: data, so that any test runner can run it. */
export interface ConformanceCase {
  /** Stable: `area/what-is-promised`. Known gaps and reports name it. */
  readonly id: string
  /** The promise in a sentence. */
  readonly title: string
  /** The lowest level that promises it. Defaults to `full`. */
  readonly level?: ConformanceLevel
  /** Methods and powers without which it cannot be checked. */
  readonly requires?: readonly (Capability | PowerName)[]
  /** Settings with which the storage has to be created. */
  readonly settings?: StorageSettings
  /** Set on cases that need the driver of a storage, so that it must be one that `createStorage` made. */
  readonly needsDriver?: boolean
  /** Set on cases that need hundreds of megabytes; they run only when asked for. */
  readonly large?: boolean
  /** Reject if the promise is not kept. */
  run(context: CaseContext): Promise<void>
}
