import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { assertRunOptions, offloaderOfRun, type RunOptions } from '@spillway/core/adapter'
import { generateMiddleware, type GenerateMiddleware, type z } from 'genkit'
import { inOrder } from './in-order.ts'
import { offloadCall } from './offload-call.ts'
import { offloadReplies } from './offload-replies.ts'
import { offloadResponse } from './offload-response.ts'
import { assertConfig, configSchema, type OffloadConfig } from './offload-config.ts'
import { answerRetrieval, hideRetrieval, retrievalTool } from './retrieval-tool.ts'
import { defaultScope, scopeRun, type Run, type ScopeRun } from './run-scope.ts'

/**
 * Options of {@link offloadMiddleware}.
 *
 * The scope of a run defaults to the one in its config, then to the id of the session that it is part of; without either
 * it has no segments.
 */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

/** The middleware: call it, with a config where there is one, in the `use` of a call, a prompt or an agent. */
export type OffloadMiddleware = GenerateMiddleware<z.ZodType<OffloadConfig>>

/**
 * Make the middleware that keeps large tool results out of the context of a model that Genkit calls.
 *
 * It is used as Genkit's own: `use: [offload()]` with `generate`, `generateStream`, prompts and agents, or registered with
 * `plugins: [offload.plugin()]`. Outputs and contents of tools over the offloader's limit go to storage, in the scope of
 * the run; small ones stay the very objects. It adds the retrieval tool, and ends a turn of the scope with each model
 * call. What a tool throws is thrown on, with a short message where it was over the limit; interrupts and aborts pass.
 *
 * Put it first, so that it sees what other middleware makes of results and errors.
 *
 * @throws TypeError where the offloader or an option is not usable. A run rejects with one where its config is not.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadMiddleware } from '@spillway/genkit'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { genkit, z } from 'genkit'
 *
 * const ai = genkit({})
 * const model = ai.defineModel({ name: 'reader' }, async ({ messages }) => {
 *   const toolRequest = { name: 'read_log', ref: 'call_1', input: {} }
 *   return { message: { role: 'model', content: messages.length > 1 ? [{ text: 'Done.' }] : [{ toolRequest }] } }
 * })
 * const config = { name: 'read_log', description: 'Read the log.', inputSchema: z.object({}) }
 * const readLog = ai.defineTool(config, async () => 'a line of a log\n'.repeat(5_000))
 *
 * const offload = offloadMiddleware(new ContextOffloader({ storage: new InMemoryStorage() }))
 * const use = [offload({ scope: ['user-1', 'chat-1'] })]
 * const { messages } = await ai.generate({ model, tools: [readLog], use, prompt: 'What is in the log?' })
 * const [part] = messages[2]?.content ?? []
 * console.assert(String(part?.toolResponse?.output).startsWith('[Offloaded: 1 block'))
 * ```
 */
export function offloadMiddleware(offloader: ContextOffloader, options: OffloadOptions = {}): OffloadMiddleware {
  assertRunOptions(offloader, options, { usage: 'offloadMiddleware(offloader, options)' })
  const { scope = defaultScope } = options
  const { includeRetrievalTool } = offloader.options
  const offloaderOf = offloaderOfRun(offloader, (run: Run) => scope(scopeRun(run)))
  const except = new Set(options.except)
  // In a scope the model may search without a reference.
  const scoped = offloader.options.storage.scope === undefined ? offloader : offloader.forScope('run')
  const description = 'Moves large tool results to storage, and adds a tool that searches and reads them there.'
  // Genkit calls this once for each run, so what is kept here belongs to one run alone.
  return generateMiddleware({ name: 'spillway', description, configSchema }, ({ config, ai }) => {
    assertConfig(config)
    let signal: AbortSignal | undefined
    let known: ContextOffloader | undefined
    // Only hooks are called in the context of the run.
    const current = (): ContextOffloader => (known ??= offloaderOf({ ai, config }))
    const isScoped = scope !== defaultScope || defaultScope(scopeRun({ ai, config })).length > 0
    const endInOrder = inOrder()
    return {
      tools: includeRetrievalTool ? [retrievalTool(isScoped ? scoped : offloader)] : [],
      generate: async (turn, context, next) => {
        signal = context.abortSignal
        const replied = await offloadReplies(turn, async (part, input) =>
          except.has(part.toolResponse.name) ? part : offloadResponse(current(), part, { input, signal }),
        )
        const response = await next(replied, context)
        return includeRetrievalTool ? hideRetrieval(response) : response
      },
      model: async (request, context, next) => {
        const response = await next(request, context)
        await current().endTurn()
        return response
      },
      tool: async (request, context, next) => {
        const { name: toolName, input } = request.toolRequest
        const isRetrieval = includeRetrievalTool && toolName === RETRIEVAL_TOOL_NAME
        const answer = (): ReturnType<typeof next> => answerRetrieval(current(), request, signal)
        const called = isRetrieval ? ai.run(toolName, input, answer) : next(request, context)
        await Promise.allSettled([called])
        const isLeft = isRetrieval || except.has(toolName)
        return endInOrder(isLeft ? called : offloadCall(current(), request, signal, called))
      },
    }
  })
}
