import type { Tool, ToolExecuteOptions, ToolHookOnStart } from '@voltagent/core'
import type { ContextOffloader } from '@spillway/core'
import { copyWith } from '@spillway/core/adapter'
import { defaultModelOutput, offloadShown, type ShownOutput } from './offload-shown.ts'

/** What is read of a tool; VoltAgent's own type differs by input and output, and says less of `toModelOutput`. */
export interface UserTool extends Pick<Tool, 'name' | 'hooks'> {
  readonly toModelOutput?: ToModelOutput
}

type ToModelOutput = (call: {
  readonly toolCallId: string
  readonly input: unknown
  readonly output: unknown
}) => ShownOutput | Promise<ShownOutput>

/** A tool call that was started here. */
interface RunningCall {
  readonly input: unknown
  readonly options: ToolExecuteOptions
  /** Whether another call has the very same input, as a schema may make it: it may be the call of another user. */
  sharesInput: boolean
  /** The last output, and what the model was shown of it: the AI SDK asks more than once for an output of a stream. */
  shown?: { readonly of: unknown; readonly as: ShownOutput }
}

/** Calls by their options and by their input: VoltAgent tells `toModelOutput` the input alone. */
const calls = new WeakMap<object, RunningCall>()

/** Remember a call. Hooks of tools and of agents do, as a `PlanAgent` runs no hooks of tools; the second has no effect. */
export function startCall(input: unknown, options: ToolExecuteOptions): void {
  let call = calls.get(options)
  if (call === undefined || call.input !== input) {
    call = { input, options, sharesInput: false }
    calls.set(options, call)
  }
  if (typeof input !== 'object' || input === null) return
  const before = calls.get(input)
  if (before === undefined) calls.set(input, call)
  else if (before.options !== options) before.sharesInput = true
}

/** Find the one call with this very input, an object; `undefined` if there is none, or several have it. */
export function findCall(input: unknown): RunningCall | undefined {
  const call = typeof input === 'object' && input !== null ? calls.get(input) : undefined
  return call?.sharesInput === true ? undefined : call
}

/** The input of the call with these options; `undefined` for a call that was not started. */
export const inputOfCall = (options: ToolExecuteOptions): unknown => calls.get(options)?.input

/** What wrapped tools have for `toModelOutput`: VoltAgent copies tools, and functions stay. */
const ours = new WeakSet<ToModelOutput>()

/**
 * Copy a tool, with its prototype and accessors, so that the model is shown references in place of large outputs. What is
 * wrapped already comes back as it is.
 *
 * What it runs stays the very function, as VoltAgent shows the model the stacks of errors.
 */
export function wrapTool(tool: UserTool, offloaderOf: (options: ToolExecuteOptions) => ContextOffloader): UserTool {
  if (tool.toModelOutput !== undefined && ours.has(tool.toModelOutput)) return tool
  const toModelOutput: ToModelOutput = async (call) => {
    const { toolCallId, input, output } = call
    const found = findCall(input)
    const running = found?.options.toolContext?.callId === toolCallId ? found : undefined
    if (running?.shown !== undefined && Object.is(running.shown.of, output)) return running.shown.as
    const full = tool.toModelOutput === undefined ? defaultModelOutput(output) : await tool.toModelOutput(call)
    if (running === undefined) return full
    const request = { toolName: tool.name, toolCallId, input, signal: running.options.toolContext?.abortSignal }
    const { output: shown } = await offloadShown(offloaderOf(running.options), request, full)
    running.shown = { of: output, as: shown }
    return shown
  }
  const onStart: ToolHookOnStart = async (event) => {
    if (event.options !== undefined) startCall(event.args, event.options)
    await tool.hooks?.onStart?.(event)
  }

  ours.add(toModelOutput)
  return copyWith(tool, { toModelOutput, hooks: { ...tool.hooks, onStart } })
}
