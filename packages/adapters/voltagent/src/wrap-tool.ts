import type { Tool, ToolExecuteOptions, ToolHookOnStart } from '@voltagent/core'
import type { ContextOffloader } from '@spillway/core'
import { callResolved, copyWith } from '@spillway/core/adapter'
import { defaultModelOutput, offloadShown, type ShownOutput } from './offload-shown.ts'

/** A tool without the type parameters, which differ by input and output. */
export interface UserTool extends Pick<Tool, 'name' | 'hooks'> {
  readonly parameters?: unknown
  readonly execute?: (input: unknown, options?: ToolExecuteOptions) => unknown
  readonly toModelOutput?: ToModelOutput
}

type ToModelOutput = (call: {
  readonly toolCallId: string
  readonly input: unknown
  readonly output: unknown
}) => ShownOutput | Promise<ShownOutput>

interface RunningCall {
  readonly input: unknown
  readonly options: ToolExecuteOptions
  /**
   * Whether another call, perhaps of another user, has the same input object. A schema may return one object
   * repeatedly.
   */
  sharesInput: boolean
  /** The last output with the model's view of it, which the AI SDK requests more than once. */
  shown?: { readonly of: unknown; readonly as: ShownOutput }
}

/** Calls by options and by input: `toModelOutput` gets only the input from VoltAgent. */
const calls = new WeakMap<object, RunningCall>()

/**
 * Starts a call. Hooks of tools and of agents both call this function, because a `PlanAgent` runs no hooks of tools.
 */
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

/** Returns `undefined` if several calls have this input object. */
export function findCall(input: unknown): RunningCall | undefined {
  const call = typeof input === 'object' && input !== null ? calls.get(input) : undefined
  return call?.sharesInput === true ? undefined : call
}

export const inputOfCall = (options: ToolExecuteOptions): unknown => calls.get(options)?.input

/** `toModelOutput` of wrapped tools: VoltAgent copies tools, but not their functions. */
const ours = new WeakSet<ToModelOutput>()

/**
 * Copy a tool so that the model gets references for large outputs. A wrapped tool is returned unchanged.
 *
 * `execute` stays the same function, because VoltAgent shows error stacks to the model.
 */
export function wrapTool(tool: UserTool, offloaderOf: OffloaderOf): UserTool {
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

type OffloaderOf = (options: ToolExecuteOptions) => ContextOffloader

/** Copy a tool so that it gets the content of references in its arguments. */
export function resolveInTool(tool: UserTool, offloaderOf: OffloaderOf): UserTool {
  const execute: UserTool['execute'] = (input, options = {}) => {
    const { callId: toolCallId, abortSignal: signal } = options.toolContext ?? {}
    const call = { toolName: tool.name, toolCallId, input, signal }
    const run = (given: unknown): unknown => tool.execute?.(given, options)
    return callResolved(offloaderOf(options), call, run, (given) => checked(tool, given))
  }
  return tool.execute === undefined ? tool : copyWith(tool, { execute })
}

interface Validation {
  readonly value?: unknown
  readonly issues?: readonly { readonly message: string }[]
}

interface StandardSchema {
  readonly '~standard'?: { readonly validate: (value: unknown) => Validation | Promise<Validation> }
}

/** Validate the arguments again: VoltAgent validated them before references were replaced. */
async function checked({ parameters }: UserTool, input: unknown): Promise<unknown> {
  const { '~standard': standard } = Object(parameters) as StandardSchema
  const { value, issues } = (await standard?.validate(input)) ?? { value: input }
  if (issues === undefined) return value
  throw new TypeError(`The arguments do not fit: ${issues.map(({ message }) => message).join(' ')}`)
}
