import type { Summarize } from '@spillway/history'
import { ModelError } from '../model/chat-summarizer.ts'
import type { RequestLog } from './request-log.ts'

/** Make a summariser whose failures whoever runs the service can read about: callers are not told them. */
export const loggedSummarizer =
  (summarize: Summarize, log: Pick<RequestLog, 'modelFailed'>): Summarize =>
  async (request) => {
    try {
      return await summarize(request)
    } catch (error) {
      // Of other errors nobody knows what they quote.
      if (error instanceof ModelError) log.modelFailed(error.message)
      throw error
    }
  }
