/** Cases that code outside of an adapter can break. Only code of the adapter can break the cases that are missing here. */
import type { AdapterCase } from '../adapter-case.ts'

/** Cases that another version of the framework can break. At most 30, because they run with each older version. */
export const FRAMEWORK_CASES: readonly string[] = [
  // Formats of values and parts, and their position in a prompt.
  'results/rest-of-the-prompt',
  'results/large-json',
  'results/text-beside-large-image',
  'results/what-the-offloader-is-told',
  'small-results/json',
  'small-results/nothing',
  'small-results/parts',
  'outputs/json',
  // Formats of errors, and their marks.
  'errors/thrown',
  'errors/thrown-string',
  'errors/huge-thrown',
  'errors/huge-returned',
  // Calls, the loop, and the tools that are offered to the model.
  'calls/parallel',
  'retrieval/pattern',
  'retrieval/image',
  'retrieval/unknown-arguments',
  'retrieval/its-schema',
  'streaming/preliminary-results',
  'approval/approved',
  'approval/denied',
  'arguments/invalid',
  'provider/results',
  // Sessions, turns, signals, and saved histories.
  'sessions/at-once',
  'turns/one-for-each-model-call',
  'abort/signal-of-tools',
  'abort/storing',
  'abort/before',
  'replay/continued',
  'history/over-the-limit',
  'history/summary',
]

/** Cases of {@link FRAMEWORK_CASES} that break if an older version calls the hook of an entry point differently. */
export const HOOK_CASES: readonly string[] = [
  'results/large-json',
  'results/text-beside-large-image',
  'errors/huge-thrown',
  'calls/parallel',
  'retrieval/pattern',
  'retrieval/its-schema',
  'sessions/at-once',
  'turns/one-for-each-model-call',
  'abort/storing',
  'replay/continued',
  'history/over-the-limit',
]

/**
 * Cases that another entry point of the same version can break, in addition to {@link FRAMEWORK_CASES}. They catch
 * every fault in `test/faults` that any of 60 such cases caught. Omitted cases test code that all entry points share.
 */
export const ENTRY_POINT_CASES: readonly string[] = [
  'results/named-texts',
  'limits/turn',
  'redaction/small-results',
  'results/declined',
  'small-results/text',
  'small-results/many',
  'small-results/odd-values',
  'outputs/text',
  'errors/returned',
  'calls/hostile-id-prototype',
  'calls/hostile-id-empty',
  'calls/as-the-model-made-them',
  'calls/no-such-tool',
  'retrieval/never-offloaded',
  'retrieval/offered-once',
  'retrieval/not-offered',
  'provider/beside-large-results',
  'sessions/continued',
  'references/resolved',
  'references/schema',
  'sub-agents/lent-and-given-back',
  'turns/across-runs',
  'outages/passing',
  'abort/retrieving',
  'meter/counts-once',
  'history/turns',
  'history/retrieves',
  'history/outage',
  'history/summaries-merge',
  'history/summary-without-system-prompt',
  'history/summary-aborted',
]

/** Return what can break a case, apart from the adapter's own code. */
export function dependencyOf(id: string): AdapterCase['dependsOn'] {
  if (FRAMEWORK_CASES.includes(id)) return 'framework'
  return ENTRY_POINT_CASES.includes(id) ? 'entry-point' : undefined
}
