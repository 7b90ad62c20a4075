import type { HistoryMode, Summarize } from '@spillway/history'
import { HttpError } from '../app/http-error.ts'

/** Return the model that writes summaries. @throws HttpError `no-model` where `compress` is asked for and there is none. */
export function requireSummarize(mode: HistoryMode, summarize: Summarize | undefined): Summarize | undefined {
  if (mode === 'compress' && summarize === undefined)
    throw new HttpError(
      'no-model',
      'compress needs a model for its summaries, and this service has none: start it with --model and --model-base-url.',
    )
  return summarize
}
