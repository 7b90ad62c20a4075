import { ToolMessage } from '@langchain/core/messages'
import * as langchain from 'langchain'

/**
 * Make the middleware that gives errors of tools to the model. LangChain does this itself only without other middleware
 * around tool calls, and only newer versions have a middleware for it.
 */
export function toolErrors(): langchain.AgentMiddleware {
  const { createMiddleware, toolErrorMiddleware } = langchain as Partial<typeof langchain>
  if (toolErrorMiddleware !== undefined) return toolErrorMiddleware({ onError: messageOf })
  if (createMiddleware === undefined) throw new TypeError('This is no version of LangChain that has middleware.')
  return createMiddleware({
    name: 'ToolErrors',
    wrapToolCall: async (request, handler) => {
      try {
        return await handler(request)
      } catch (error) {
        if ((Object(error) as { is_bubble_up?: unknown }).is_bubble_up === true) throw error
        const { id = '', name } = request.toolCall
        return new ToolMessage({ content: messageOf(error), tool_call_id: id, name, status: 'error' })
      }
    },
  })
}

/**
 * Errors of arguments contain stack lines. Version 1.0 marks errors of middleware in the message, and later versions
 * wrap them.
 */
function messageOf(error: unknown): string {
  const { toolError, cause, constructor, ...own } = Object(error) as Errors
  const brand = own['~brand'] ?? (constructor as { '~brand'?: unknown } | undefined)?.['~brand']
  if (brand === 'MiddlewareError' && cause !== undefined) return messageOf(cause)
  if (toolError !== undefined) return `Error: ${toolError.message}`
  if (error instanceof Error) {
    const message = error.message.replaceAll(/Error in middleware "\w+": /g, '')
    return message === '' ? error.name : `${error.name}: ${message}`
  }
  return typeof error === 'string' ? error : (JSON.stringify(error) ?? 'undefined')
}

/** Fields of LangChain's errors besides the message. */
interface Errors {
  readonly toolError?: Error
  readonly cause?: unknown
  readonly '~brand'?: unknown
}
