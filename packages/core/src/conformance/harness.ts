import type { Storage } from '../storage/storage.ts'
import type { KillScript } from './kill-script.ts'

/** Level of promises: `two-method` for only `store` and `retrieve`, `full` for all promises of a Spillway backend. */
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
  /** Advance the time, in milliseconds. */
  advance(milliseconds: number): void
}

/**
 * Abilities that only the backend's author can implement. Each power enables some cases. Without the power, these are
 * reported as not proven. Implement all powers that are possible for the backend.
 */
export interface ConformancePowers {
  /**
   * Open one more instance over the same data, with the same settings and clock. The earlier instance may still be
   * open. If the instance has `close`, the suite closes it.
   */
  readonly reopen?: () => Promise<Storage>
  /** Make every operation of the backend fail, as if it were down. Returns a function that ends the outage. */
  readonly outage?: () => Promise<() => Promise<void>>
  /** Count the physical records (files, rows, keys, objects; not folders, not tombstones) that the backend holds. */
  readonly residue?: () => Promise<number>
  /**
   * Put content of another application next to the storage, for example in a file near its directory or a key outside
   * its prefix. Returns references with which an attacker could try to reach that content.
   */
  readonly plant?: (content: Uint8Array) => Promise<readonly string[]>
  /** The clock that the storage was created with. */
  readonly clock?: ConformanceClock
  /**
   * Run a script (see `runKillScript`) in a new writer, a process if possible, and kill it halfway through the last
   * entry. Returns the references that were acknowledged before the kill.
   */
  readonly kill?: (script: KillScript) => Promise<readonly string[]>
  /** Remove at least the last byte of an entry of the unscoped storage, without using the storage itself. */
  readonly damage?: (reference: string) => Promise<void>
  /** Run a command in a shell and return its output. */
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
  /** The promises of the storage. Defaults to `full`; required for a storage without `list` and `scope`. */
  readonly level?: ConformanceLevel
  /** The settings that `create` can apply. Defaults to none. */
  readonly settings?: readonly (keyof StorageSettings)[]
  /**
   * Create an empty storage that shares nothing with others, with the given settings and no other limits. Called for
   * every case. Creating is not tested, so it should throw if it fails.
   */
  create(settings: StorageSettings): Promise<HarnessInstance>
  /** Promises that the backend is known to break: case id → reason. The run fails once such a case passes. */
  readonly knownGaps?: Readonly<Record<string, string>>
  /** Reasons for missing powers, for the report: power → reason. */
  readonly missingPowers?: Readonly<Partial<Record<PowerName, string>>>
  /** Settings that the storage does not take: setting → reason. Cases that need such a setting do not apply. */
  readonly missingSettings?: Readonly<Partial<Record<keyof StorageSettings, string>>>
  /** Milliseconds that a case may take. Defaults to 30,000. */
  readonly timeoutMs?: number
  /** Number of entries that the backend lists or removes in one request at most. Defaults to 1,000. */
  readonly pageSize?: number
}

/** An optional method of a storage that a case needs. */
export type Capability = Exclude<keyof Storage, 'store' | 'retrieve'>

/** Argument of a case. The storage has the methods, and the harness the powers, that the case requires. */
export interface CaseContext {
  readonly storage: Required<Storage>
  readonly powers: Required<ConformancePowers>
  /** Create one more storage, isolated from the first. */
  another(): Promise<Required<Storage>>
  /** Return a number from 0 (included) to 1 (excluded). Runs with the same seed get the same sequence. */
  random(): number
  /** Whether to run more random inputs, which takes longer. */
  readonly thorough: boolean
  /** Number of entries in a page of the backend, see {@link ConformanceHarness.pageSize}. */
  readonly pageSize: number
}

/** One promise and its check, as data that any test runner can run. */
export interface ConformanceCase {
  /** Stable id for known gaps and reports, in the form `area/what-is-promised`. */
  readonly id: string
  /** The promise in a sentence. */
  readonly title: string
  /** The lowest level that makes the promise. Defaults to `full`. */
  readonly level?: ConformanceLevel
  /** Methods and powers that the check needs. */
  readonly requires?: readonly (Capability | PowerName)[]
  /** Settings with which the storage is created. */
  readonly settings?: StorageSettings
  /** Set for cases that need the driver of a storage. Only storages of `createStorage` have a driver. */
  readonly needsDriver?: boolean
  /** Set for cases that need hundreds of megabytes. Such cases run only if requested. */
  readonly large?: boolean
  /** Reject if the storage breaks the promise. */
  run(context: CaseContext): Promise<void>
}
