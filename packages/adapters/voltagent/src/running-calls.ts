import type { ToolExecuteOptions } from '@voltagent/core'

/** What a tool call runs with, by its input: that is all that `toModelOutput` is told of the call, besides its id. */
const running = new WeakMap<object, ToolExecuteOptions | 'several'>()
const inputs = new WeakMap<ToolExecuteOptions, unknown>()

/** Remember what a tool call runs with, when it starts. Remembering it again changes nothing. */
export function rememberCall(input: unknown, options: ToolExecuteOptions | undefined): void {
  if (options === undefined) return
  inputs.set(options, input)
  if (typeof input !== 'object' || input === null) return
  const before = running.get(input)
  // A schema may give several calls one object: whose output it is, and in whose scope, cannot be told then.
  if (before !== options) running.set(input, before === undefined ? options : 'several')
}

/** Return what a call runs with, or `undefined` where its input does not tell. */
export function optionsOfCall(input: unknown, toolCallId: string): ToolExecuteOptions | undefined {
  const options = typeof input === 'object' && input !== null ? running.get(input) : undefined
  return options !== 'several' && options?.toolContext?.callId === toolCallId ? options : undefined
}

/** Return the input of the call that runs with these options. */
export function inputOfCall(options: ToolExecuteOptions): unknown {
  return inputs.get(options)
}
