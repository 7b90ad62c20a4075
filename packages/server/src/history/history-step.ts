import type { HistoryFormat, HistoryMode, HistoryOutcome, HistoryProgress, Summarize } from '@spillway/history'
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
