import type { ContextOffloader } from '@spillway/core'
import { assertRunOptions } from '@spillway/core/adapter'
import { compactorOfRun, type RunHistoryOptions } from '@spillway/history'
import { generateMiddleware, type GenerateMiddleware, type MessageData, type z } from 'genkit'
import { assertConfig, configSchema, type OffloadConfig } from '../offload-config.ts'
import type { OffloadOptions } from '../offload-middleware.ts'
import { defaultScope, scopeRun, type Run } from '../run-scope.ts'
import { genkitMessages } from './genkit-messages.ts'

/** Options of {@link historyMiddleware}. */
export interface HistoryMiddlewareOptions extends RunHistoryOptions<MessageData[]>, Pick<OffloadOptions, 'scope'> {}

/** The middleware: call it with the config of `offloadMiddleware` in `use`. */
export type HistoryMiddleware = GenerateMiddleware<z.ZodType<OffloadConfig>>

/**
 * Make the middleware that keeps the model's messages within a limit: older tool results become references, and older
 * messages a summary if `summarize` is given.
 *
 * Messages of responses and sessions stay whole, and so does a history that could not be stored or summarized. Put it
 * last, so that it sees messages as the model gets them.
 *
 * @throws TypeError for an invalid offloader or option. A run rejects with one for an invalid config.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadMiddleware } from '@spillway/genkit'
 * import { historyMiddleware, summarizeWith } from '@spillway/genkit/history'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { genkit } from 'genkit'
 *
 * const ai = genkit({})
 * const model = ai.defineModel({ name: 'reader' }, async () => ({ message: { role: 'model', content: [{ text: 'Done.' }] } }))
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const offload = offloadMiddleware(offloader)
 * const history = historyMiddleware(offloader, { maxTotalTokens: 100_000, summarize: summarizeWith(ai, { model }) })
 * const chat = { scope: ['user-1', 'chat-1'] }
 * const { text } = await ai.generate({ model, use: [offload(chat), history(chat)], prompt: 'What is in the log?' })
 * console.assert(text === 'Done.')
 * ```
 */
export function historyMiddleware(
  offloader: ContextOffloader,
  options: HistoryMiddlewareOptions = {},
): HistoryMiddleware {
  const { scope = defaultScope, ...limits } = Object(options) as HistoryMiddlewareOptions
  const own = typeof options === 'object' && options !== null ? { scope } : options
  assertRunOptions(offloader, own, { usage: 'historyMiddleware(offloader, options)' })
  const format = genkitMessages()
  const compactorOf = compactorOfRun(offloader, (run: Run) => scope(scopeRun(run)), { ...limits, format })
  const description = 'Moves older tool results to storage, and sums up older messages, where a history is too long.'
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
