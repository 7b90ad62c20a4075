import type {
  AgentHooks,
  OnPrepareModelMessagesHookArgs,
  OnToolEndHookArgs,
  OnToolEndHookResult,
} from '@voltagent/core'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { isReplacement, readModelPart, replaceToolResults, type ModelOutput } from '@spillway/core/adapter'
import { resolveOptions, type OffloadOptions, type Settings } from './offload-options.ts'
import { defaultModelOutput, offloadShown, type ShownOutput } from './offload-shown.ts'
import { isAnswer } from './retrieval-tool.ts'
import { inputOfCall, startCall } from './wrap-tool.ts'

/** Options of {@link offloadHooks}. */
export interface OffloadHooksOptions extends OffloadOptions {
  /** Your own hooks of the agent, which run first. */
  readonly hooks?: AgentHooks | undefined
}

type ToolEvent = Pick<OnToolEndHookArgs, 'agent' | 'tool' | 'context' | 'options'>
type Result = OnToolEndHookResult | undefined

/** VoltAgent 2.2.0 lacks this hook. */
interface ErrorHook {
  onToolError?(event: ToolEvent & { args: unknown; originalError: Error }): Result | Promise<Result>
}

/**
 * Make the hooks of an agent that end a turn with each model call, and offload results that {@link offloadTools}
 * misses.
 *
 * Missed results are in past messages, or come from tools that VoltAgent adds itself, such as `delegate_task`. For
 * such tools, your program gets the replacement, too. Give these hooks to the agent, not to its operations.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadHooks } from '@spillway/voltagent'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { createHooks } from '@voltagent/core'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const own = createHooks({ onToolStart: async ({ tool }) => console.log(tool.name) })
 * const hooks = offloadHooks(offloader, { hooks: own })
 * console.assert(hooks.onStart === own.onStart)
 * ```
 */
export function offloadHooks(offloader: ContextOffloader, options: OffloadHooksOptions = {}): AgentHooks {
  const check = { usage: 'offloadHooks(offloader, options)', others: ['hooks'] }
  const settings = resolveOptions(offloader, options, check)
  const { offloaderOf } = settings
  const { hooks = {} } = options
  if (typeof hooks !== 'object' || hooks === null)
    throw new TypeError(`hooks must be an object of hooks, got ${hooks === null ? 'null' : typeof hooks}.`)
  const own = hooks as Omit<AgentHooks, keyof ErrorHook> & ErrorHook

  async function replaceOutput({ tool, context, options }: ToolEvent, output: unknown): Promise<Result> {
    // If another tool made the call, this result is offloaded as a part of the other tool's result.
    const isNested = 'toolContext' in context
    // Results of wrapped tools are offloaded in `toModelOutput`. A tool's own `toModelOutput` could not handle a
    // replacement.
    const isShownByTool = tool.toModelOutput !== undefined
    if (options === undefined || isNested || isShownByTool) return undefined
    const { callId: toolCallId = '', abortSignal: signal } = options.toolContext ?? {}
    const call = { toolName: tool.name, toolCallId, input: inputOfCall(options), signal }
    const shown = defaultModelOutput(output)
    const { output: replaced } = await offloadShown(offloaderOf(options), call, shown)
    if (replaced === shown) return undefined
    if (replaced.type === 'text') return { output: replaced.value }
    if (replaced.type === 'content') return { output: { content: replaced.value } }
    return { output: { error: true, message: replaced.value, toolCallId, toolName: tool.name } }
  }

  const composed: AgentHooks & ErrorHook = {
    ...own,
    async onToolStart(event) {
      if (event.options !== undefined) startCall(event.args, event.options)
      await own.onToolStart?.(event)
    },
    async onToolEnd(event) {
      const result = (await own.onToolEnd?.(event)) ?? undefined
      const output = outputOf(result, event.output)
      // VoltAgent validates the output of a hook, so outputs with a schema stay.
      if (event.error !== undefined || event.tool.outputSchema !== undefined || isFinal(output)) return result
      return (await replaceOutput(event, output)) ?? result
    },
    async onToolError(event) {
      const result = (await own.onToolError?.(event)) ?? undefined
      const { name, message, stack, ...others } = event.originalError
      // This value is about as large as VoltAgent's own result.
      return (await replaceOutput(event, outputOf(result, { error: true, name, message, stack, ...others }))) ?? result
    },
    async onPrepareModelMessages(event) {
      const { modelMessages = event.modelMessages } = (await own.onPrepareModelMessages?.(event)) ?? {}
      return { modelMessages: await offloadHistory(settings, { ...event, modelMessages }) }
    },
    async onStepFinish(event) {
      await offloaderOf(event.context).endTurn()
      await own.onStepFinish?.(event)
    },
  }
  return composed
}

/** Read the output from a hook's result, which may be anything. */
function outputOf(result: Result, output: unknown): unknown {
  return Object.hasOwn(Object(result) as object, 'output') ? result?.output : output
}

/** Whether an output stays: an answer of the retrieval tool, or the value with which a subagent ends the run. */
function isFinal(output: unknown): boolean {
  const isBailed = (one: unknown): boolean => (Object(one) as { readonly bailed?: unknown }).bailed === true
  return isAnswer(output) || (Array.isArray(output) && output.some(isBailed))
}

/**
 * Offload large results in past messages. Results that were offloaded before get the same replacement again.
 *
 * Messages that a program saved have the tools' outputs; VoltAgent's memory has the outputs for the model, as JSON.
 * Unchanged results stay the same objects.
 */
export async function offloadHistory(
  { offloaderOf, smallTexts }: Settings,
  { modelMessages, context }: Pick<OnPrepareModelMessagesHookArgs, 'modelMessages' | 'context'>,
): Promise<OnPrepareModelMessagesHookArgs['modelMessages']> {
  const offloader = offloaderOf(context)
  const { signal } = context.abortController
  return replaceToolResults(modelMessages, ({ toolName, toolCallId, output }, input) => {
    const saved = savedOutput(output)
    if (toolName === RETRIEVAL_TOOL_NAME) return saved ?? output
    const kept = saved !== undefined && isReplacedOutput(saved) ? saved : output
    const shown = saved ?? (output as ShownOutput)
    if (smallTexts.has(toolName, shown.value)) return kept
    return offloadShown(offloader, { toolName, toolCallId, input, signal }, shown).then((offloaded) => {
      if (offloaded.reason === 'within-limit') smallTexts.add(toolName, shown.value)
      return offloaded.output === shown ? kept : offloaded.output
    })
  })
}

function savedOutput(output: unknown): ModelOutput | undefined {
  const { type, value } = Object(output) as Partial<ShownOutput>
  return type === 'json' ? readModelOutput(value) : undefined
}

/** Read a saved value, if it is a model output. Refuses parts with URLs, so that no URL of a tool is fetched. */
export function readModelOutput(saved: unknown): ModelOutput | undefined {
  const { type, value } = Object(saved) as Partial<ShownOutput>
  const isText = (type === 'text' || type === 'error-text') && typeof value === 'string'
  const isContent = type === 'content' && Array.isArray(value) && value.every(isSafePart)
  return isText || isContent ? (saved as ModelOutput) : undefined
}

function isSafePart(part: unknown): boolean {
  const block = readModelPart(part)
  return block.type === 'text' || ('data' in block && block.data !== undefined)
}

/** Checks the whole form, because a tool itself may return a similar text. */
export function isReplacedOutput({ value }: ModelOutput): boolean {
  const [first] = typeof value === 'string' ? [{ text: value }] : value
  return first !== undefined && 'text' in first && isReplacement(first.text)
}
