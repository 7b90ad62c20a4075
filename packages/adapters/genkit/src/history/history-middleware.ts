import type { ContextOffloader } from '@spillway/core'
import { compactorOfRun, type RunHistoryOptions } from '@spillway/history'
import { generateMiddleware, type GenerateMiddleware, type MessageData, type z } from 'genkit'
import { assertConfig, configSchema, type OffloadConfig } from '../offload-config.ts'
import type { OffloadOptions } from '../offload-middleware.ts'
import { sessionRuns } from '../run-scope.ts'
import { genkitMessages } from './genkit-messages.ts'

/** Options of {@link historyMiddleware}. */
export interface HistoryMiddlewareOptions extends RunHistoryOptions<MessageData[]>, Pick<OffloadOptions, 'scope'> {}

/** Middleware that limits a history. Call it in `use`, with the config of `offloadMiddleware`. */
export type HistoryMiddleware = GenerateMiddleware<z.ZodType<OffloadConfig>>

/**
 * Make the middleware that keeps the model's messages within a limit: older tool results become references, and older
 * messages a summary if `summarize` is given.
 *
 * Messages of responses and sessions do not change. If storing or summarizing fails, no message changes. Put this
 * middleware last, so that it sees messages as the model gets them.
 *
 * @throws TypeError for an invalid offloader or option. A run rejects with a `TypeError` if its config is invalid.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadMiddleware } from '@spillway/genkit'
 * import { historyMiddleware } from '@spillway/genkit/history'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const offload = offloadMiddleware(offloader)
 * const history = historyMiddleware(offloader, { maxTotalTokens: 100_000 })
 * const chat = { scope: ['user-1', 'chat-1'] }
 * const use = [offload(chat), history(chat)] // ai.generate({ model, use, prompt })
 * console.assert(use.length === 2)
 * ```
 */
export function historyMiddleware(
  offloader: ContextOffloader,
  options: HistoryMiddlewareOptions = {},
): HistoryMiddleware {
  const check = { usage: 'historyMiddleware(offloader, options)', others: 'any' } as const
  const { segmentsOf } = sessionRuns(offloader, options, check)
  const { scope: _scope, ...limits } = options
  const compactorOf = compactorOfRun(offloader, segmentsOf, { ...limits, format: genkitMessages() })
  const description = 'Moves older tool results to storage, and summarizes older messages, if a history is too long.'
  return generateMiddleware({ name: 'spillway-history', description, configSchema }, ({ config, ai }) => {
    assertConfig(config)
    return {
      model: async (request, context, next) => {
        const { abortSignal: signal } = context
        const { messages } = await compactorOf({ ai, config }).compact(request.messages, { signal })
        return await next(messages === request.messages ? request : { ...request, messages }, context)
      },
    }
  })
}
