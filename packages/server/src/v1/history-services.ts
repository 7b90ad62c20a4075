import { StorageError } from '@spillway/core'
import type { HistoryFailure, HistoryFormat, HistoryMode, HistoryOutcome, Summarize } from '@spillway/history'
import { HttpError } from '../app/http-error.ts'
import type { ContextOffloadSettings } from '../reme/offload-settings.ts'
import type { RouteContext } from '../routes/route.ts'

export interface HistoryServices {
  readonly summarize: Summarize | undefined
  readonly contextOffload?: ContextOffloadSettings | undefined
}

/** Check that the format can read a conversation. @throws HttpError `invalid-request` if it cannot. */
export function assertConversation<Conversation>(
  format: HistoryFormat<Conversation>,
  conversation: Conversation,
): void {
  try {
    format.read(conversation)
  } catch (error) {
    // The message names a message and a field, and quotes at most one word.
    if (error instanceof TypeError)
      throw new HttpError('invalid-request', error.message.slice(0, 300), { cause: error })
    throw error
  }
}

/** Return the summarizer for a request. @throws HttpError `no-model` if `compress` is requested without one. */
export function requireSummarize(
  mode: HistoryMode,
  summarize: Summarize | undefined,
  { askModel }: Pick<RouteContext, 'askModel'>,
): Summarize | undefined {
  if (mode === 'compress' && summarize === undefined)
    throw new HttpError(
      'no-model',
      'compress needs a model for its summaries, and this service has none: start it with --model and --model-base-url.',
    )
  return summarize && ((request) => askModel(() => summarize(request)))
}

/** Option names of the library, with their names in the HTTP API. */
const OF_SERVICE: readonly (readonly [string, string])[] = [
  ['the mode auto with summarize', 'the mode auto of a service with --model'],
  ['the option summarize', 'a service with --model'],
  ['Use summarize', 'Use a service with --model'],
]
const OF_REME: readonly (readonly [string, string])[] = [
  ['the mode auto', 'context_manage_mode auto'],
  ['maxToolMessageTokens', 'max_tool_message_tokens'],
  ['maxTotalTokens', 'max_total_tokens'],
  ['historyPreviewTokens', 'preview_char_length'],
  ['keepRecent', 'keep_recent_count'],
]

/** Explain an obstacle with the option names of the HTTP API or of ReMe. */
export const explainObstacle = (explanation: string, names: 'library' | 'reme'): string =>
  [...OF_SERVICE, ...(names === 'reme' ? OF_REME : [])].reduce(
    (said, [library, here]) => said.replaceAll(library, here),
    explanation,
  )

/** A failure without its error, whose message may quote content. */
interface FailureNote {
  readonly step: 'store' | 'summarize'
  readonly index: number
  readonly reason: string
}

export const failureNotes = (failures: readonly HistoryFailure[]): readonly FailureNote[] =>
  failures.map((failure) => ({
    step: failure.step,
    index: failure.index,
    reason: failure.step === 'summarize' ? failure.reason : storeReason(failure.error),
  }))

/** Throw if a history had to become smaller, but nothing was applied. */
export function assertApplied({ applied, failures }: HistoryOutcome<unknown>): void {
  const [first] = failures
  if (applied.length > 0 || first === undefined) return
  if (first.step === 'store') throw first.error
  throw new HttpError('model-failed', `The history is unchanged: its summary was rejected (${first.reason}).`, {
    retryAfter: 1,
    cause: first.error,
  })
}

const storeReason = (error: unknown): string => (StorageError.isInstance(error) ? error.code : 'internal')
