import type { AdapterHarness } from './harness.ts'

/** One promise that an adapter keeps in its framework's own loop. */
export interface AdapterCase {
  /** The id, for example `results/large-text`. Gaps are declared with it. */
  readonly id: string
  /** The promise, in one sentence. */
  readonly title: string
  /** An ability of the adapter that the case needs. Harnesses without it skip the case. */
  readonly needs?: 'compactsHistory'
  /**
   * Code other than the adapter's own code that can break the promise. `framework`: the format in which the framework
   * represents results, errors, calls, sessions, and signals, which may differ in another version. `entry-point`: the
   * hook or loop that the adapter is used through. Absent if only the adapter's own code can break the promise.
   */
  readonly dependsOn?: 'framework' | 'entry-point'
  /** Run the case. Rejects if the promise is broken. */
  readonly run: (harness: AdapterHarness) => Promise<void>
}
