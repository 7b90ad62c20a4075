import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { createMiddleware, ToolInvocationError, type AgentMiddleware, type ToolCallRequest } from 'langchain'
import type { ContextOffloader } from '@spillway/core'
import { hasReferences, nameTaken, resolvedInput, tellHiddenTool } from '@spillway/core/adapter'
import { isControlFlow, isMiddlewareError, offloadCall, type ToolCall } from './offload-call.ts'
import { resolveOptions, type OffloadMiddlewareOptions } from './options.ts'
import { retrievalTool } from './retrieval-tool.ts'

/**
 * Make the middleware that keeps large tool results out of the context of an agent made with `createAgent`.
 *
 * Large results are stored in the scope of the run's `thread_id`. Small results, and a result that ends the run, stay
 * the same objects. Put this middleware first, so that it sees changes by other middleware.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadMiddleware } from '@spillway/langchain'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { createAgent, FakeToolCallingModel } from 'langchain'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const middleware = [offloadMiddleware(offloader)]
 * const agent = createAgent({ model: new FakeToolCallingModel({}), tools: [], middleware })
 * const { messages } = await agent.invoke({ messages: 'Read the log.' }, { configurable: { thread_id: 'thread-1' } })
 * console.assert(messages.length === 2)
 * ```
 */
export function offloadMiddleware(
  offloader: ContextOffloader,
  options: OffloadMiddlewareOptions = {},
): AgentMiddleware<undefined, undefined, unknown> {
  return middlewareOf(offloader, options, [])
}

/** Results of the tools in `staying` are not offloaded. */
export function middlewareOf(
  offloader: ContextOffloader,
  options: OffloadMiddlewareOptions,
  staying: readonly string[],
): AgentMiddleware<undefined, undefined, unknown> {
  const { offloaderOf } = resolveOptions(offloader, options)
  const throws = options.toolErrors === 'throw'
  return createMiddleware({
    name: 'SpillwayOffload',
    tools: offloader.options.includeRetrievalTool ? [retrievalTool(offloader, options)] : [],
    wrapToolCall: async (request, handler) => {
      const { toolCall, runtime } = request
      const { name: toolName, id: toolCallId, args: input } = toolCall
      const call = { toolName, toolCallId, input, signal: runtime.signal }
      const run = async (): Promise<Awaited<ReturnType<typeof handler>>> => {
        if (!hasReferences(offloader, call)) return handler(request)
        const { input: args, error } = await resolvedInput(offloaderOf(runtime), call)
        // An error that a middleware throws would end the run.
        if (error !== undefined) return thrownMessage(new Error(error), toolCall)
        return handler({ ...request, toolCall: { ...toolCall, args } })
      }
      try {
        if (staying.includes(toolName)) return await run()
        const calling = request.state.messages.findLast((one) => AIMessage.isInstance(one))
        const isLast = endsRun(request, calling)
        const told = { purpose: calling?.text, callsInTurn: calling?.tool_calls?.length || undefined }
        return await offloadCall(offloaderOf(runtime), toolCall, runtime.signal, run, isLast, told)
      } catch (error) {
        // With inner middleware, LangChain lets the error end the run.
        if (throws || isControlFlow(error, runtime.signal) || isMiddlewareError(error)) throw error
        return thrownMessage(error, toolCall)
      }
    },
    wrapModelCall: async (request, handler) => {
      tellHiddenTool(offloader, request.tools)
      if (request.tools.filter(({ name }) => name === offloader.retrievalTool.name).length > 1) throw nameTaken()
      const response = await handler(request)
      await offloaderOf(request.runtime).endTurn()
      return response
    },
  })
}

/** LangChain checks only the last call of a message. */
function endsRun({ tool, toolCall }: ToolCallRequest, calling: AIMessage | undefined): boolean {
  if ((Object(tool) as { readonly returnDirect?: unknown }).returnDirect !== true) return false
  return calling?.tool_calls?.at(-1)?.id === toolCall.id
}

/** Whether this version of LangChain marks the message as an error. Such versions also mark their error classes. */
const marksErrors = 'isInstance' in ToolInvocationError

/** The message that LangChain writes for an error without middleware. */
function thrownMessage(thrown: unknown, { id = '', name }: ToolCall): ToolMessage {
  const content =
    thrown instanceof ToolInvocationError ? thrown.message : `${String(thrown)}\n Please fix your mistakes.`
  return new ToolMessage({ content, tool_call_id: id, name, ...(marksErrors ? { status: 'error' } : {}) })
}
