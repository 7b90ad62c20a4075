import type { AdapterHarness } from './harness.ts'

/** One promise that an adapter keeps in its framework's own loop. */
export interface AdapterCase {
  /** Such as `results/large-text`; gaps are declared by it. */
  readonly id: string
  /** What is promised, in one sentence. */
  readonly title: string
  /** What a harness must do for it; the case is left out for others. */
  readonly needs?: 'compactsHistory'
  /** Run it; it rejects where the promise is broken. */
  readonly run: (harness: AdapterHarness) => Promise<void>
}
