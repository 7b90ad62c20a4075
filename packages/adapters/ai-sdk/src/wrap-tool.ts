import type { ContextOffloader } from '@spillway/core'
import { copyWith, offloadModelOutput } from '@spillway/core/adapter'
import { guardExecute, type Execute } from './guard-execute.ts'

/** The offloader that a tool was wrapped for: a field that copies of the tool do not get. */
export const OFFLOADER: unique symbol = Symbol('offloader of a wrapped tool')

/** What is read of a tool: the types of the SDK differ by version, kind, input and output. */
export interface AnyTool {
  readonly [OFFLOADER]?: ContextOffloader
  readonly type?: string
  readonly isProviderExecuted?: boolean
  readonly execute?: Execute
  readonly toModelOutput?: (options: ModelOutputOptions) => unknown
}

interface ModelOutputOptions {
  readonly toolCallId: string
  readonly input: unknown
  readonly output: unknown
}

/** A call that was executed here, and what the model was shown of its output. */
interface LiveCall {
  readonly toolCallId: string
  readonly signal: AbortSignal | undefined
  readonly shown?: { readonly of: unknown; readonly as: unknown }
}

/**
 * Copy a tool, with its prototype and accessors, so that large outputs and errors are offloaded.
 *
 * What is replaced runs on the tool itself, as its private fields need.
 */
export function wrapTool(toolName: string, tool: AnyTool, offloader: ContextOffloader): AnyTool {
  // The SDK tells toModelOutput no signal, and version 6 calls it more than once for each output of a stream. The input
  // object is what it has in common with execute, and nothing outlives it.
  const liveCalls = new WeakMap<WeakKey, LiveCall>()

  const execute: Execute = (input, options) => {
    if (isWeakKey(input)) liveCalls.set(input, { toolCallId: options.toolCallId, signal: options.abortSignal })
    return tool.execute?.(input, options)
  }
  const toModelOutput = async (options: ModelOutputOptions): Promise<unknown> => {
    const { toolCallId, input, output } = options
    const found = isWeakKey(input) ? liveCalls.get(input) : undefined
    const live = found?.toolCallId === toolCallId ? found : undefined
    if (live?.shown !== undefined && Object.is(live.shown.of, output)) return live.shown.as
    const full = tool.toModelOutput === undefined ? defaultOutput(output) : await tool.toModelOutput(options)
    // The time that a tool has may be over while others run: what it returned in time is stored all the same.
    const signal = live?.signal?.aborted === true ? undefined : live?.signal
    const { output: shown } = await offloadModelOutput(offloader, { toolName, toolCallId, input, signal }, full)
    if (live !== undefined) liveCalls.set(input as WeakKey, { ...live, shown: { of: output, as: shown } })
    return shown
  }

  const isRunHere = typeof tool.execute === 'function'
  const own = { toModelOutput, ...(isRunHere && { execute: guardExecute(offloader, toolName, execute) }) }
  return Object.defineProperty(copyWith(tool, own), OFFLOADER, { value: offloader })
}

function isWeakKey(value: unknown): value is WeakKey {
  return typeof value === 'object' && value !== null
}

/** What the SDK makes of the output of a tool without `toModelOutput`. */
function defaultOutput(output: unknown): { readonly type: 'text' | 'json'; readonly value: unknown } {
  if (typeof output === 'string') return { type: 'text', value: output }
  const json = JSON.stringify(output) as string | undefined
  return { type: 'json', value: json === undefined ? null : (JSON.parse(json) as unknown) }
}
