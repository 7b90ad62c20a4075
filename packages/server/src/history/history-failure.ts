import { StorageError } from '@spillway/core'
import type { HistoryFailure, HistoryOutcome } from '@spillway/history'
import { HttpError } from '../app/http-error.ts'

/** Why something of a history stayed as it was, without what an error says, which may quote content. */
export interface FailureNote {
  readonly step: 'store' | 'summarize'
  readonly index: number
  readonly reason: string
}

/** Say of failures which they were. */
export const failureNotes = (failures: readonly HistoryFailure[]): readonly FailureNote[] =>
  failures.map((failure) => ({
    step: failure.step,
    index: failure.index,
    reason: failure.step === 'summarize' ? failure.reason : storeReason(failure.error),
  }))

/** Throw what a request fails with whose history could not be made smaller at all, though it should be. */
export function assertApplied({ applied, failures }: HistoryOutcome<unknown>): void {
  const [first] = failures
  if (applied.length > 0 || first === undefined) return
  if (first.step === 'store') throw first.error
  throw new HttpError('model-failed', `The history stays as it is: its summary was not used (${first.reason}).`, {
    retryAfter: 1,
    cause: first.error,
  })
}

const storeReason = (error: unknown): string => (StorageError.isInstance(error) ? error.code : 'internal')
