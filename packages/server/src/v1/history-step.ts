import { StorageError } from '@spillway/core'
import type {
  HistoryFailure,
  HistoryFormat,
  HistoryMode,
  HistoryOutcome,
  HistoryProgress,
  Summarize,
} from '@spillway/history'
import { HttpError } from '../app/http-error.ts'
import type { ContextOffloadSettings } from '../reme/offload-settings.ts'
import type { RouteContext } from '../routes/route.ts'

/** What routes of histories are made with. */
export interface HistoryServices {
  /** Asks the model for summaries. */
  readonly summarize: Summarize | undefined
  /** Defaults of `/context_offload`. */
  readonly contextOffload?: ContextOffloadSettings | undefined
}

/** Run something that makes a history smaller within a span of its own. */
export async function historyStep<Conversation>(
  { telemetry }: Pick<RouteContext, 'telemetry'>,
  { mode }: { readonly mode: HistoryMode },
  run: (onProgress: (progress: HistoryProgress) => void) => Promise<HistoryOutcome<Conversation>>,
): Promise<HistoryOutcome<Conversation>> {
  return await telemetry.step('spillway.history', { 'spillway.history.mode': mode }, async (span) => {
    const onProgress = ({ step, ...counts }: HistoryProgress): void =>
      void span.addEvent(`spillway.history.${step}`, counts)
    const outcome = await run(onProgress)
    span.setAttributes({
      'spillway.history.applied': outcome.applied.join('+'),
      'spillway.tokens.original': outcome.tokens.before,
      'spillway.tokens.replacement': outcome.tokens.after,
      'spillway.history.fits': outcome.fits,
      'spillway.history.failures': outcome.failures.length,
    })
    return outcome
  })
}

/** Read a conversation, to see that it is one. @throws HttpError `invalid-request` where it is none of its format. */
export function assertConversation<Conversation>(
  format: HistoryFormat<Conversation>,
  conversation: Conversation,
): void {
  try {
    format.read(conversation)
  } catch (error) {
    // It names the message and the field that is wrong, and shows a word of it at most.
    if (error instanceof TypeError)
      throw new HttpError('invalid-request', error.message.slice(0, 300), { cause: error })
    throw error
  }
}

/** Return the model that writes summaries. @throws HttpError `no-model` where `compress` is asked for and there is none. */
export function requireSummarize(mode: HistoryMode, summarize: Summarize | undefined): Summarize | undefined {
  if (mode === 'compress' && summarize === undefined)
    throw new HttpError(
      'no-model',
      'compress needs a model for its summaries, and this service has none: start it with --model and --model-base-url.',
    )
  return summarize
}

/** What the library calls by a name that no caller over HTTP has. */
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

/** Say why a message is not smaller with what a caller over HTTP can set, by the names of the library or of ReMe. */
export const explainObstacle = (explanation: string, names: 'library' | 'reme'): string =>
  [...OF_SERVICE, ...(names === 'reme' ? OF_REME : [])].reduce(
    (said, [library, here]) => said.replaceAll(library, here),
    explanation,
  )

/** Why something of a history stayed as it was, without what an error says, which may quote content. */
interface FailureNote {
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
