import type { Tool, ToolExecuteOptions, ToolHookOnStart } from '@voltagent/core'
import type { ContextOffloader } from '@spillway/core'
import { copyWith, defaultModelOutput, RunsByInput } from '@spillway/core/adapter'
import { offloadShown, type ShownOutput } from './offload-shown.ts'

/** What is read of a tool; VoltAgent's own type differs by input and output, and says less of `toModelOutput`. */
export interface UserTool extends Pick<Tool, 'name' | 'hooks'> {
  readonly toModelOutput?: ToModelOutput
}

type ToModelOutput = (call: {
  readonly toolCallId: string
  readonly input: unknown
  readonly output: unknown
}) => ShownOutput | Promise<ShownOutput>

/** What tool calls run with; hooks of tools and of agents say so, as a PlanAgent runs none of tools. */
export const runningCalls: RunsByInput<ToolExecuteOptions> = new RunsByInput()

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
  // The AI SDK asks more than once what to show of an output of a stream.
  const known = new WeakMap<ToolExecuteOptions, { readonly output: unknown; readonly shown: ShownOutput }>()

  const toModelOutput: ToModelOutput = async (call) => {
    const { toolCallId, input, output } = call
    const found = runningCalls.find(input)
    const options = found?.toolContext?.callId === toolCallId ? found : undefined
    const before = options && known.get(options)
    if (before !== undefined && Object.is(before.output, output)) return before.shown
    const full = tool.toModelOutput === undefined ? defaultModelOutput(output) : await tool.toModelOutput(call)
    if (options === undefined) return full
    const request = { toolName: tool.name, toolCallId, input, signal: options.toolContext?.abortSignal }
    const shown = await offloadShown(offloaderOf(options), request, full)
    known.set(options, { output, shown })
    return shown
  }
  const onStart: ToolHookOnStart = async (event) => {
    if (event.options !== undefined) runningCalls.start(event.args, event.options)
    await tool.hooks?.onStart?.(event)
  }

  ours.add(toModelOutput)
  return copyWith(tool, { toModelOutput, hooks: { ...tool.hooks, onStart } })
}
