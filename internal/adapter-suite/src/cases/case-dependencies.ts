/** Cases that code outside the adapter can break. All other cases depend on the adapter's own code alone. */
import type { AdapterCase } from '../adapter-case.ts'

/** Cases that another version of the framework can break: at most 30, as they run with each older version. */
export const FRAMEWORK_CASES: readonly string[] = [
  // The form of values and parts, and where in a prompt they are.
  'results/rest-of-the-prompt',
  'results/large-json',
  'results/text-beside-large-image',
  'results/what-the-offloader-is-told',
  'small-results/json',
  'small-results/nothing',
  'small-results/parts',
  'outputs/json',
  // The form of errors, and how they are marked.
  'errors/thrown',
  'errors/thrown-string',
  'errors/huge-thrown',
  'errors/huge-returned',
  // Calls, the loop, and the tools that are offered.
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

/** Cases that another entry point of the same version can break, beside those of {@link FRAMEWORK_CASES}. */
export const ENTRY_POINT_CASES: readonly string[] = [
  'results/large-image',
  'results/image-beside-large-text',
  'results/many-blocks',
  'results/one-block-as-parts',
  'results/beside-small-results',
  'results/named-texts',
  'results/declared-types',
  'limits/turn',
  'redaction/small-results',
  'results/declined',
  'small-results/text',
  'small-results/many',
  'small-results/odd-values',
  'outputs/text',
  'outputs/small',
  'errors/thrown-object',
  'errors/thrown-nothing',
  'errors/returned',
  'errors/huge-thrown-string',
  'errors/huge-thrown-object',
  'errors/what-the-offloader-is-told',
  'calls/equal-ids-in-one-run',
  'calls/hostile-id-prototype',
  'calls/hostile-id-empty',
  'calls/as-the-model-made-them',
  'calls/no-such-tool',
  'retrieval/unknown-reference',
  'retrieval/document',
  'retrieval/never-offloaded',
  'retrieval/parallel',
  'retrieval/offered-once',
  'retrieval/not-offered',
  'streaming/small-results',
  'approval/not-for-retrieval',
  'arguments/schemas',
  'provider/beside-large-results',
  'sessions/continued',
  'sessions/awkward-names',
  'turns/across-runs',
  'outages/store',
  'outages/store-of-an-error',
  'outages/passing',
  'abort/tool-that-goes-on',
  'abort/tool-that-fails',
  'abort/retrieving',
  'replay/prompts-only-grow',
  'replay/history-from-before',
  'meter/counts-once',
  'history/turns',
  'history/retrieves',
  'history/outage',
  'history/summaries-merge',
  'history/summary-without-system-prompt',
  'history/summary-aborted',
]

/** Return what else than the adapter's own code can break a case. */
export function dependencyOf(id: string): AdapterCase['dependsOn'] {
  if (FRAMEWORK_CASES.includes(id)) return 'framework'
  return ENTRY_POINT_CASES.includes(id) ? 'entry-point' : undefined
}
