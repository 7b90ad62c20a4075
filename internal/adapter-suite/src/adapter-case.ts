import type { AdapterHarness } from './harness.ts'

/** One promise that an adapter keeps in its framework's own loop. */
export interface AdapterCase {
  /** Such as `results/large-text`; gaps are declared by it. */
  readonly id: string
  /** The promise, in one sentence. */
  readonly title: string
  /** Ability that the harness needs; other harnesses skip the case. */
  readonly needs?: 'compactsHistory'
  /**
   * Code beside the adapter's own that can break the promise. `framework` is how the framework represents and hands over
   * results, errors, calls, sessions, and signals, which another version may change. `entry-point` is the hook or loop that
   * the adapter is used through. Absent if only the adapter's own code can break it.
   */
  readonly dependsOn?: 'framework' | 'entry-point'
  /** Run the case. Rejects if the promise is broken. */
  readonly run: (harness: AdapterHarness) => Promise<void>
}
