import {
  defineToolOutputGuardrail,
  ToolGuardrailFunctionOutputFactory,
  type FunctionTool,
  type ToolOutputGuardrailDefinition,
} from '@openai/agents'
import { RETRIEVAL_TOOL_NAME, type ContentBlock, type ContextOffloader } from '@spillway/core'
import {
  copyWith,
  nameTaken,
  offloadParts,
  resolvedInput,
  takesReferences,
  withMetadata,
  type Runs,
} from '@spillway/core/adapter'
import { toSmartString } from '@openai/agents/utils'
import { retrievalTool, type RetrievalTool } from './retrieval-tool.ts'
import { findRun, sessionRuns, type OffloadOptions, type ScopeRun } from './run-scope.ts'
import { isForProgram, parseJson } from './result-parts.ts'

/**
 * Add an output guardrail to each function of an agent, which replaces a large text or JSON value. Adds the retrieval
 * tool, too.
 *
 * The tools passed in do not change. Results of hosted tools, agents as tools and functions with an `outputSchema` are
 * not offloaded. Turns, sessions, and results in parts need {@link offloadRunner}.
 *
 * @throws TypeError for an invalid offloader, option or `tools`, and if `tools` has the retrieval tool already.
 *
 * @example
 * ```ts
 * import { Agent, tool } from '@openai/agents'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { offloadTools } from '@spillway/openai-agents'
 * import { z } from 'zod'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const readLog = tool({ name: 'read_log', description: 'Read it.', parameters: z.object({}), execute: () => 'a line' })
 * const agent = new Agent({ name: 'Reader', tools: offloadTools([readLog], offloader) })
 * console.assert(agent.tools.map(({ name }) => name).join() === 'read_log,retrieve_offloaded_content')
 * ```
 */
export function offloadTools<const Tools extends readonly { readonly type: string }[]>(
  tools: Tools,
  offloader: ContextOffloader,
  options: OffloadOptions = {},
): [...Tools, ...RetrievalTool[]] {
  const runs = sessionRuns(offloader, options, { usage: 'offloadTools(tools, offloader, options)' })
  const guardrail = offloadGuardrail(runs)
  if (!Array.isArray(tools)) throw new TypeError('tools must be an array of tools: offloadTools([readLog], offloader).')
  const wrapped = tools.map((tool: Partial<FunctionTool>) => {
    const { type, name = '', outputGuardrails = [] } = tool
    if (name === RETRIEVAL_TOOL_NAME) throw nameTaken()
    // An agent as a tool has `on`, and the SDK finds it by object identity. Output with a schema must match it.
    const stays = type !== 'function' || 'on' in tool || 'outputSchema' in tool
    const isCallable = type === 'function' && !('on' in tool)
    if (!isCallable && takesReferences(offloader, name))
      throw new TypeError(`resolveReferences names ${name}, which is an agent or a hosted tool. Leave it out.`)
    const invoke = takesReferences(offloader, name) && { invoke: resolvedInvoke(tool as FunctionTool, runs) }
    if (stays) return invoke === false ? tool : copyWith(tool, invoke)
    return copyWith(tool, { outputGuardrails: [...outputGuardrails, guardrail], ...invoke })
  })
  const added = offloader.options.includeRetrievalTool ? [retrievalTool(offloader, options)] : []
  return [...wrapped, ...added] as unknown as [...Tools, ...RetrievalTool[]]
}

/** Resolve references before the SDK validates arguments. An error is returned, because a thrown error ends the run. */
function resolvedInvoke(tool: FunctionTool, { offloaderOf }: Runs<ScopeRun>): FunctionTool['invoke'] {
  const invoke: FunctionTool['invoke'] = async (context, text, details) => {
    const run = findRun(context)
    const input = parseJson(text)
    const call = { toolName: tool.name, toolCallId: details?.toolCall?.callId, input, signal: run.signal }
    const resolved = await resolvedInput(offloaderOf(run), call)
    if (resolved.error !== undefined) return `Error: ${resolved.error}`
    return tool.invoke(context, resolved.input === input ? text : JSON.stringify(resolved.input), details)
  }
  resolving.add(invoke)
  return invoke
}

const resolving = new WeakSet<FunctionTool['invoke']>()

export const isResolving = (tool: object): boolean => 'invoke' in tool && resolving.has(tool.invoke as never)

function offloadGuardrail({ offloaderOf }: Runs<ScopeRun>): ToolOutputGuardrailDefinition {
  const { allow, rejectContent } = ToolGuardrailFunctionOutputFactory
  return defineToolOutputGuardrail({
    name: 'spillway_offload',
    run: async ({ context, agent: { toolUseBehavior: use }, toolCall, output }) => {
      const { name: toolName, callId: toolCallId } = toolCall
      // The result that ends the run is for the program, not for the model.
      const isFinal = typeof use === 'object' ? use.stopAtToolNames.includes(toolName) : use === 'stop_on_first_tool'
      const read = isFinal || isForProgram(toolCall) ? undefined : readOutput(output)
      if (read === undefined) return allow()
      const run = findRun(context)
      const offloader = offloaderOf(run)
      // The runner offloads all results of a turn together, because they share this budget.
      if (run.outputs !== undefined && offloader.options.maxTurnTokens < Infinity) return allow()
      const call = { toolName, toolCallId, input: parseJson(toolCall.arguments), signal: run.signal }
      const result = { parts: [read.text], toBlock: () => read.block, fromText: (text: string) => text }
      const { result: outcome, metadata } = await withMetadata(offloader, (one) =>
        offloadParts(one, { ...call, ...result }),
      )
      const text = outcome.status === 'inline' ? read.text : outcome.parts[0]
      // The model's input will contain the result in one of these forms.
      run.outputs?.add(toolCallId, { type: 'text', text })
      run.outputs?.add(toolCallId, [{ type: 'input_text', text }])
      return outcome.status === 'inline' ? allow() : rejectContent(text, { ...metadata, toolCallId })
    },
  })
}

type Fields = Readonly<Record<string, unknown>>

/** Fields in which the SDK looks for the content of images and files. */
const MEDIA_FIELD = /^(?:image|imageUrl|data|file|fileData|fileUrl|fileId)$/

/** Returns the value, and the text that the SDK makes of the value. Returns `undefined` for a result in parts. */
export function readOutput(output: unknown): { readonly text: string; readonly block: ContentBlock } | undefined {
  const { type, text: own, providerData } = Object(output) as Fields
  if (type === 'text' && typeof own === 'string' && providerData === undefined) return readOutput(own)
  const parts: readonly unknown[] = Array.isArray(output) ? output : [output]
  if (parts.length > 0 && parts.every(isPart)) return undefined
  const text = toSmartString(output)
  if (typeof output !== 'object' || output === null) return { text, block: { type: 'text', text } }
  // The SDK describes bytes in a few words. JSON would have a number for each byte.
  return { text, block: { type: 'json', value: text.includes('[byte array ') ? parseJson(text) : output } }
}

function isPart(value: unknown): boolean {
  const { type, text } = Object(value) as Fields
  if (type === 'text') return typeof text === 'string'
  return (type === 'image' || type === 'file') && Object.keys(value as object).some((name) => MEDIA_FIELD.test(name))
}
