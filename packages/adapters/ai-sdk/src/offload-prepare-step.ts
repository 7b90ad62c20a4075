import type { ContextOffloader } from '@spillway/core'

/**
 * Make a `prepareStep` that ends a turn before each call of the model, by which storage knows what is no longer used.
 *
 * @param prepareStep - Your own, called after that with the same options; what it returns is returned.
 *
 * @example
 * ```ts
 * import { offloadPrepareStep, offloadTools } from '@spillway/ai-sdk'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { ToolLoopAgent, type LanguageModel } from 'ai'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const agentFor = (model: LanguageModel) =>
 *   new ToolLoopAgent({ model, tools: offloadTools({}, offloader), prepareStep: offloadPrepareStep(offloader) })
 * console.assert(typeof agentFor === 'function')
 * ```
 */
export function offloadPrepareStep(offloader: ContextOffloader): (options: unknown) => Promise<undefined>
export function offloadPrepareStep<OPTIONS, RESULT>(
  offloader: ContextOffloader,
  prepareStep: (options: OPTIONS) => RESULT | PromiseLike<RESULT>,
): (options: OPTIONS) => Promise<RESULT>
export function offloadPrepareStep<OPTIONS, RESULT>(
  offloader: ContextOffloader,
  prepareStep?: (options: OPTIONS) => RESULT | PromiseLike<RESULT>,
): (options: OPTIONS) => Promise<RESULT | undefined> {
  if (typeof offloader?.endTurn !== 'function') {
    throw new TypeError('offloader must be a ContextOffloader: offloadPrepareStep(offloader, prepareStep).')
  }
  return async (options) => {
    await offloader.endTurn()
    return prepareStep?.(options)
  }
}
