import type { ContextOffloader } from '@spillway/core'
import { assertOffloader } from '@spillway/core/adapter'
import { aiSdkMessages, HistoryCompactor, type RunHistoryOptions } from '@spillway/history'
import type { ModelMessage, PrepareStepFunction, SystemModelMessage, Tool, ToolSet } from 'ai'

/** The arguments of a `prepareStep` that are read. */
export interface HistoryStep {
  readonly messages: ModelMessage[]
  /** The system prompt. Version 6 does not pass it. */
  readonly instructions?: SystemPrompt | undefined
}

/** The result of a `prepareStep`, with `instructions` in version 7 and `system` in version 6. */
export interface HistoryStepResult {
  messages?: ModelMessage[]
  instructions?: SystemPrompt
  system?: SystemPrompt
}

/** Options of {@link historyPrepareStep}. */
export interface HistoryStepOptions extends RunHistoryOptions<ModelMessage[]> {
  /** The signal that ends the run. The SDK passes none to `prepareStep`, and a summary should end with the run. */
  readonly abortSignal?: AbortSignal | undefined
}

const USAGE = 'historyPrepareStep(offloader, options, prepareStep)'

/**
 * Make a `prepareStep` that keeps the history small: over its limit, older large results become references, and with
 * `summarize` older messages a summary at the end of the system prompt.
 *
 * It remembers what it did, so that prompts between two passes only grow: make it once for each session, or pass a
 * `HistoryCompactor` that you keep. If storing or summarizing fails, the messages stay.
 *
 * @param session - The offloader of one session, whose retrieval tool the agent has; or a compactor over one.
 * @param prepareStep - Your own, called before; its result is passed on with smaller messages and system prompt. It may
 *   be that of `offloadPrepareStep`.
 * @throws TypeError for an invalid argument.
 *
 * @example
 * ```ts
 * import { offloadPrepareStep, offloadTools } from '@spillway/ai-sdk'
 * import { historyPrepareStep, summarizeWith } from '@spillway/ai-sdk/history'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { ToolLoopAgent, type LanguageModel } from 'ai'
 *
 * const session = new ContextOffloader({ storage: new InMemoryStorage() }).forScope('session-1')
 * const agentFor = (model: LanguageModel) => {
 *   const history = historyPrepareStep(session, { maxTotalTokens: 100_000, summarize: summarizeWith(model) })
 *   return new ToolLoopAgent({ model, tools: offloadTools({}, session), prepareStep: offloadPrepareStep(session, history) })
 * }
 * console.assert(typeof agentFor === 'function')
 * ```
 */
export function historyPrepareStep(
  session: ContextOffloader | HistoryCompactor<ModelMessage[]>,
  options?: HistoryStepOptions,
): (step: HistoryStep) => Promise<HistoryStepResult | undefined>
export function historyPrepareStep<TOOLS extends ToolSet & Record<string, Tool>>(
  session: ContextOffloader | HistoryCompactor<ModelMessage[]>,
  options: HistoryStepOptions,
  prepareStep: PrepareStepFunction<TOOLS>,
): PrepareStepFunction<TOOLS>
export function historyPrepareStep<STEP extends (step: never) => unknown>(
  session: ContextOffloader | HistoryCompactor<ModelMessage[]>,
  options: HistoryStepOptions,
  prepareStep: STEP,
): (...step: Parameters<STEP>) => Promise<Awaited<ReturnType<STEP>> & (HistoryStepResult | undefined)>
export function historyPrepareStep(
  session: ContextOffloader | HistoryCompactor<ModelMessage[]>,
  { abortSignal: signal, ...history }: HistoryStepOptions = {},
  prepareStep?: (step: never) => unknown,
): (step: never) => unknown {
  const compactor = session instanceof HistoryCompactor ? session : compactorOf(session, history)
  if (compactor === session && Object.keys(history).length > 0)
    throw new TypeError(`The options of the history belong to the compactor, but for abortSignal: ${USAGE}.`)
  if (prepareStep !== undefined && typeof prepareStep !== 'function')
    throw new TypeError(`prepareStep must be a function, got ${typeof prepareStep}: ${USAGE}.`)
  return async (step: HistoryStep): Promise<HistoryStepResult | undefined> => {
    const own = (await prepareStep?.(step as never)) as HistoryStepResult | null | undefined
    const prompt = own?.instructions ?? own?.system ?? step.instructions
    const before = joinPrompt(prompt, own?.messages ?? step.messages)
    const { messages: after } = await compactor.compact(before, { signal })
    if (after === before) return own ?? undefined
    const isVersion7 = 'instructions' in step
    // Version 6 does not pass the system prompt, but accepts a system message before the others.
    if (!isVersion7 && prompt === undefined) return { ...own, messages: after }
    const smaller = splitPrompt(prompt, before, after)
    if (smaller.prompt === undefined || smaller.prompt === prompt) return { ...own, messages: smaller.messages }
    return { ...own, [isVersion7 ? 'instructions' : 'system']: smaller.prompt, messages: smaller.messages }
  }
}

function compactorOf(
  offloader: ContextOffloader,
  options: RunHistoryOptions<ModelMessage[]>,
): HistoryCompactor<ModelMessage[]> {
  assertOffloader(offloader, USAGE)
  return new HistoryCompactor({ ...options, offloader, format: aiSdkMessages<ModelMessage>() })
}

/** A system prompt, in any form that the SDK accepts. */
export type SystemPrompt = string | SystemModelMessage | SystemModelMessage[]

/** The prompt as one list of messages, the system prompt first. */
export function joinPrompt(prompt: SystemPrompt | undefined, messages: readonly ModelMessage[]): ModelMessage[] {
  return [...systemMessages(prompt), ...messages]
}

/**
 * Undo {@link joinPrompt} for a smaller list. The system prompt keeps its form, and is the very same if it has not
 * changed; a system message that was added becomes one.
 */
export function splitPrompt(
  prompt: SystemPrompt | undefined,
  before: readonly ModelMessage[],
  after: readonly ModelMessage[],
): { readonly prompt: SystemPrompt | undefined; readonly messages: ModelMessage[] } {
  const count = systemMessages(prompt).length
  const isMade = count === 0 && countSystem(after) > countSystem(before)
  const end = isMade ? 1 : count
  const systems = after.slice(0, end) as SystemModelMessage[]
  const messages = after.slice(end)
  const [first] = systems
  if (first === undefined || systems.every((message, index) => message === before[index])) return { prompt, messages }
  if (Array.isArray(prompt)) return { prompt: systems, messages }
  return { prompt: typeof prompt === 'object' ? first : first.content, messages }
}

function systemMessages(prompt: SystemPrompt | undefined): readonly SystemModelMessage[] {
  if (prompt === undefined) return []
  if (typeof prompt === 'string') return [{ role: 'system', content: prompt }]
  return Array.isArray(prompt) ? prompt : [prompt]
}

function countSystem(messages: readonly ModelMessage[]): number {
  const end = messages.findIndex(({ role }) => role !== 'system')
  return end < 0 ? messages.length : end
}
