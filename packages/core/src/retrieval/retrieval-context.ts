import type { Storage } from '../storage/storage.ts'
import type { AnswerLimit } from './fit-answer.ts'
import type { RetrievalCall } from './retrieval-call.ts'

/** What every retrieval works with. */
export interface RetrievalContext extends AnswerLimit {
  readonly storage: Storage
  /** Whether `storage` is a view of one scope, so that what it lists may be shown. */
  readonly scoped: boolean
  readonly maxMediaBytes: number
  readonly deadlineMs: number
  /** Write a call that the answer suggests. */
  readonly formatCall: (call: RetrievalCall) => string
  readonly blockBytes: number
  readonly signal: AbortSignal | undefined
}
