import type { ContextOffloader } from '@spillway/core'
import type { AgentMiddleware } from 'langchain'
import { middlewareOf } from '../offload-middleware.ts'
import type { OffloadMiddlewareOptions } from '../options.ts'

/**
 * Tools whose answers are already pages. If they were offloaded, the model would read the same pages again and again.
 */
const FILE_TOOLS = ['ls', 'read_file', 'write_file', 'edit_file', 'delete', 'glob', 'grep']

/**
 * Make the `offloadMiddleware` for `createDeepAgent`: results of the agent's file tools stay, and errors are thrown on.
 *
 * Subagents have their own middleware: pass it to each.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { deepAgentMiddleware } from '@spillway/langchain/deepagents'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { createDeepAgent } from 'deepagents'
 * import { FakeToolCallingModel } from 'langchain'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const middleware = [deepAgentMiddleware(offloader)]
 * const agent = createDeepAgent({ model: new FakeToolCallingModel({}), middleware })
 * console.assert(typeof agent.invoke === 'function')
 * ```
 */
export function deepAgentMiddleware(
  offloader: ContextOffloader,
  options: OffloadMiddlewareOptions = {},
): AgentMiddleware<undefined, undefined, unknown> {
  return middlewareOf(offloader, { toolErrors: 'throw', ...options }, FILE_TOOLS)
}
