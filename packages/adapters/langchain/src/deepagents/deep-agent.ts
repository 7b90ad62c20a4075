import type { ContextOffloader } from '@spillway/core'
import type { AgentMiddleware } from 'langchain'
import { middlewareOf } from '../offload-middleware.ts'
import { resolveOptions, type OffloadMiddlewareOptions, type OffloadOptions } from '../options.ts'
import { StorageBackend, type StorageBackendOptions } from './storage-backend.ts'

/** Tools whose answers are already pages. If a page were offloaded, the model would read it again and again. */
const FILE_TOOLS = ['ls', 'read_file', 'write_file', 'edit_file', 'delete', 'glob', 'grep']

/** Options of {@link deepAgentBackend}. */
export interface DeepAgentBackendOptions extends StorageBackendOptions, Pick<OffloadOptions, 'scope'> {}

/**
 * Make the `offloadMiddleware` for `createDeepAgent`. It does not offload results of the agent's file tools, and
 * rethrows errors.
 *
 * Subagents have their own middleware: pass this middleware to each of them.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { deepAgentBackend, deepAgentMiddleware } from '@spillway/langchain/deepagents'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { createDeepAgent } from 'deepagents'
 * import { FakeToolCallingModel } from 'langchain'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }) })
 * const middleware = [deepAgentMiddleware(offloader)]
 * const backend = deepAgentBackend(offloader)
 * const agent = createDeepAgent({ model: new FakeToolCallingModel({}), middleware, backend })
 * console.assert(typeof agent.invoke === 'function')
 * ```
 */
export function deepAgentMiddleware(
  offloader: ContextOffloader,
  options: OffloadMiddlewareOptions = {},
): AgentMiddleware<undefined, undefined, unknown> {
  return middlewareOf(offloader, { toolErrors: 'throw', ...options }, FILE_TOOLS)
}

/**
 * Make the file system of an agent, for `backend` of `createDeepAgent`: a {@link StorageBackend} in the scope of each
 * run.
 *
 * Pass the same `scope` as to {@link deepAgentMiddleware}.
 *
 * @throws TypeError for an invalid offloader, storage or option.
 */
export function deepAgentBackend(
  offloader: ContextOffloader,
  { scope, resultFolder }: DeepAgentBackendOptions = {},
): StorageBackend {
  const { offloaderOf } = resolveOptions(offloader, { scope })
  // A storage that cannot list is refused here, not in the first run.
  void new StorageBackend(offloader.options.storage, { resultFolder })
  return new StorageBackend(() => offloaderOf(undefined).options.storage, { resultFolder })
}
