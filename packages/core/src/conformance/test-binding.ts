import type { PlannedCase } from './plan.ts'
import type { CaseResult } from './report.ts'

const LABELS: Readonly<Record<Exclude<PlannedCase['action'], 'run'>, string>> = {
  'not-proven': 'not proven',
  'not-applicable': 'not applicable',
  skipped: 'skipped',
}

/** Name a case for a test runner: its id, and why it does not run or is expected to fail. */
export function testName({ case: { id }, action, reason, knownGap }: PlannedCase): string {
  if (action !== 'run') return `${id} [${LABELS[action]}: ${reason ?? 'no reason given'}]`
  return knownGap === undefined ? id : `${id} [known gap: ${knownGap}]`
}

/** Throw for a test runner what fails a run: a broken promise, or a known gap that has closed. */
export function throwUnlessExpected({ id, title, status, detail, failure }: CaseResult): void {
  if (status !== 'failed' && status !== 'gap-closed') return
  const promise = status === 'failed' ? ` (promised: ${title})` : ''
  throw new Error(`${id}: ${detail ?? 'failed'}${promise}`, { cause: failure?.error })
}
