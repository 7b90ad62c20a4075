import type { ContextOffloader } from '@spillway/core'
import { assertOffloader } from '@spillway/core/adapter'
import type { PrepareStepFunction, Tool, ToolSet } from 'ai'

/**
 * Make a `prepareStep` that ends a turn before each model call, so that storage can evict unused content.
 *
 * @param prepareStep - A `prepareStep` of your own, which is called afterwards. For a loop with a `runtimeContext`,
 *   declare it as `PrepareStepFunction<typeof tools, MyContext>`.
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
export function offloadPrepareStep<TOOLS extends ToolSet & Record<string, Tool>>(
  offloader: ContextOffloader,
  prepareStep: PrepareStepFunction<TOOLS>,
): PrepareStepFunction<TOOLS>
export function offloadPrepareStep<STEP extends (options: never) => unknown>(
  offloader: ContextOffloader,
  prepareStep: STEP,
): (...options: Parameters<STEP>) => Promise<Awaited<ReturnType<STEP>>>
export function offloadPrepareStep(
  offloader: ContextOffloader,
  prepareStep?: (options: never) => unknown,
): (options: never) => unknown {
  assertOffloader(offloader, 'offloadPrepareStep(offloader, prepareStep)')
  return async (options: never) => {
    await offloader.endTurn()
    return prepareStep?.(options)
  }
}
