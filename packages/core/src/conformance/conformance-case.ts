import type { Storage } from '../storage/storage.ts'
import type { ConformanceLevel, ConformancePowers, PowerName, StorageSettings } from './harness.ts'

/** An optional method of a storage that a case needs. */
export type Capability = Exclude<keyof Storage, 'store' | 'retrieve'>

/** What a case works with. The storage has the methods, and the harness the powers, that the case requires. */
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
  /** Set on cases that need hundreds of megabytes; they run only when asked for. */
  readonly large?: boolean
  /** Reject if the promise is not kept. */
  run(context: CaseContext): Promise<void>
}
