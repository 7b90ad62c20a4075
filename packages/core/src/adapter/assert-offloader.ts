import type { ContextOffloader } from '../offload/context-offloader.ts'

/**
 * Refuse what is no offloader, such as the storage or the options of one.
 *
 * @param usage - Where it belongs, as the message shows it: `offloadTools(tools, offloader)`.
 * @throws TypeError where it is none.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { assertOffloader } from '@spillway/core/adapter'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const storage = new InMemoryStorage()
 * assertOffloader(new ContextOffloader({ storage }), 'offloadTools(tools, offloader)')
 * let message = ''
 * try {
 *   assertOffloader(storage, 'offloadTools(tools, offloader)')
 * } catch (error) {
 *   message = (error as TypeError).message
 * }
 * console.assert(message.startsWith('offloader must be a ContextOffloader'))
 * ```
 */
export function assertOffloader(offloader: unknown, usage: string): asserts offloader is ContextOffloader {
  const { offload, forScope } = Object(offloader) as Partial<ContextOffloader>
  if (typeof offload === 'function' && typeof forScope === 'function') return
  throw new TypeError(
    `offloader must be a ContextOffloader, got ${typeof offloader}: ${usage}. Make one: new ContextOffloader({ storage }).`,
  )
}
