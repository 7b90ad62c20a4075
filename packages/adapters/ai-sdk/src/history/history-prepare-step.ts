import type { ContextOffloader } from '@spillway/core'
import { assertOffloader } from '@spillway/core/adapter'
import { aiSdkMessages, HistoryCompactor, type RunHistoryOptions } from '@spillway/history'
import type { ModelMessage, PrepareStepFunction, SystemModelMessage, Tool, ToolSet } from 'ai'

/** Arguments of a `prepareStep`. */
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
  /** Cancels a summary together with the run. The SDK passes no signal to `prepareStep`. */
  readonly abortSignal?: AbortSignal | undefined
}

const USAGE = 'historyPrepareStep(offloader, options, prepareStep)'

/**
 * Make a `prepareStep` that replaces older large results by references, and older messages by a summary if `summarize`
 * is given.
 *
 * Make one function for each session, because it remembers its changes. If storing or summarizing fails, the messages
 * do not change.
 *
 * @param session - The offloader of a session, or its compactor.
 * @param prepareStep - A `prepareStep` to call first, for example `offloadPrepareStep`.
 * @throws TypeError for an invalid argument.
 *
 * @example
 * ```ts
 * import { historyPrepareStep } from '@spillway/ai-sdk/history'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const session = new ContextOffloader({ storage: new InMemoryStorage() }).forScope('session-1')
 * const prepareStep = historyPrepareStep(session, { maxTotalTokens: 100_000 }) // new ToolLoopAgent({ …, prepareStep })
 * console.assert(typeof prepareStep === 'function')
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
    throw new TypeError(`Pass the history's options to the compactor, except abortSignal: ${USAGE}.`)
  if (prepareStep !== undefined && typeof prepareStep !== 'function')
    throw new TypeError(`prepareStep must be a function, got ${typeof prepareStep}: ${USAGE}.`)
  return async (step: HistoryStep): Promise<HistoryStepResult | undefined> => {
    const own = (await prepareStep?.(step as never)) as HistoryStepResult | null | undefined
    const prompt = own?.instructions ?? own?.system ?? step.instructions
    const before = joinPrompt(prompt, own?.messages ?? step.messages)
    const { messages: after } = await compactor.compact(before, { signal })
    if (after === before) return own ?? undefined
    const isVersion7 = 'instructions' in step
    // Version 6 does not pass the system prompt, but accepts a system message before the other messages.
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

/** A system prompt in any form of the SDK. */
export type SystemPrompt = string | SystemModelMessage | SystemModelMessage[]

export function joinPrompt(prompt: SystemPrompt | undefined, messages: readonly ModelMessage[]): ModelMessage[] {
  return [...systemMessages(prompt), ...messages]
}

/** Undo {@link joinPrompt}. The system prompt keeps its form. If its text is unchanged, the same object is returned. */
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
