import { BasePlugin, NodeTool, type BaseTool, type Context, type Event, type LlmRequest } from '@google/adk'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import {
  callResolved,
  nameTaken,
  OFFLOADED_KEY,
  offloadAsRecord,
  takesReferences,
  withMetadata,
  type OffloadedMetadata,
} from '@spillway/core/adapter'
import { RetrievalTool } from './retrieval-tool.ts'
import { attachMedia, showMedia } from './retrieved-media.ts'
import { invocationsOf, type Invocations, type OffloadOptions } from './run-scope.ts'

/**
 * Make the plugin that keeps large tool results out of the context of all agents of a `Runner`.
 *
 * Large results are stored in the scope of the app, user and session. Results that the program waits for are not
 * offloaded: calls to be approved, credentials, and long-running tools. Put this plugin last: in ADK, the first plugin
 * that returns a result ends the chain, so later plugins do not see the result.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { InMemoryRunner, LlmAgent } from '@google/adk'
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadPlugin } from '@spillway/google-adk'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const agent = new LlmAgent({ name: 'assistant', model: 'gemini-2.5-flash' })
 * const runner = new InMemoryRunner({ appName: 'app', agent, plugins: [offloadPlugin(offloader)] })
 * console.assert(runner.pluginManager.getPlugin('spillway_offload') !== undefined)
 * ```
 */
export function offloadPlugin(offloader: ContextOffloader, options: OffloadOptions = {}): BasePlugin {
  return new OffloadPlugin(offloader, options)
}

type Given<Hook extends keyof BasePlugin> = BasePlugin[Hook] extends (given: infer Given) => unknown ? Given : never

class OffloadPlugin extends BasePlugin {
  readonly #offloaderOf: Invocations['offloaderOf']
  readonly #retrieval: BaseTool | undefined
  /** Metadata of replaced results, for their events. */
  readonly #metadata = new WeakMap<object, OffloadedMetadata>()
  /** Replaced errors, which ADK passes to the plugin again as results. */
  readonly #replacedErrors = new WeakSet<object>()

  constructor(offloader: ContextOffloader, options: OffloadOptions) {
    super('spillway_offload')
    const invocations = invocationsOf(offloader, options, { usage: 'offloadPlugin(offloader, options)' })
    this.#offloaderOf = invocations.offloaderOf
    this.#retrieval = offloader.options.includeRetrievalTool ? new RetrievalTool(invocations) : undefined
  }

  /** A user's message may have results of tools that the program ran itself, or of long-running tools. */
  override async onUserMessageCallback({ invocationContext, userMessage }: Given<'onUserMessageCallback'>) {
    // A run may have no message. Without an agent, the nodes of a workflow may wait for the message.
    const { agent, abortSignal: signal } = invocationContext
    const given = agent === undefined ? [] : ((userMessage as typeof userMessage | undefined)?.parts ?? [])
    const parts = given.map(async (part) => {
      const { name = '', id, response: value } = part.functionResponse ?? {}
      if (name.startsWith('adk_')) return part
      const call = { toolName: name, toolCallId: stableId(id, name), signal }
      const response = await offloadAsRecord(this.#offloaderOf(invocationContext), { ...call, value })
      return response === undefined
        ? part
        : { ...part, functionResponse: Object.assign({}, part.functionResponse, { response }) }
    })
    const replaced = await Promise.all(parts)
    return replaced.every((part, index) => part === given[index]) ? undefined : { ...userMessage, parts: replaced }
  }

  override async beforeModelCallback({ callbackContext, llmRequest }: Given<'beforeModelCallback'>) {
    showMedia(llmRequest)
    const retrieval = this.#retrieval
    const taken = llmRequest.toolsDict[RETRIEVAL_TOOL_NAME]
    if (retrieval !== undefined && taken !== undefined && !(taken instanceof RetrievalTool)) throw nameTaken()
    if (retrieval !== undefined && taken === undefined && takesFunctions(llmRequest))
      await retrieval.processLlmRequest({ toolContext: callbackContext, llmRequest })
    await this.#offloaderOf(callbackContext.invocationContext).endTurn()
    return undefined
  }

  override async beforeToolCallback({ tool, toolContext }: Given<'beforeToolCallback'>) {
    const offloader = this.#offloaderOf(toolContext.invocationContext)
    if (takesReferences(offloader, tool.name)) resolveInCall(tool, toolContext, offloader)
    return undefined
  }

  override async afterToolCallback({ tool, toolArgs, toolContext, result }: Given<'afterToolCallback'>) {
    if (this.#replacedErrors.has(result) || isAwaited(tool, toolContext)) return undefined
    return await this.#offload(result, tool, toolArgs, toolContext)
  }

  override async onToolErrorCallback({ tool, toolArgs, toolContext, error }: Given<'onToolErrorCallback'>) {
    const replaced = await this.#offload({ error: error.message }, tool, toolArgs, toolContext)
    if (replaced !== undefined) this.#replacedErrors.add(replaced)
    return replaced
  }

  /** This function must not wait, because a workflow makes the next model call without waiting for it. */
  override async onEventCallback({ invocationContext, event }: Given<'onEventCallback'>) {
    for (const { functionResponse } of event.content?.parts ?? []) {
      const metadata = this.#metadata.get(functionResponse?.response ?? event)
      if (metadata === undefined) continue
      const { [OFFLOADED_KEY]: others } = event.customMetadata ?? {}
      const all = { ...Object(others), [functionResponse?.id ?? '']: metadata[OFFLOADED_KEY] } as unknown
      event.customMetadata = { ...event.customMetadata, [OFFLOADED_KEY]: all }
    }
    // A live session accepts no media in an answer.
    if (invocationContext.liveRequestQueue === undefined) attachMedia(event)
    return undefined
  }

  async #offload(value: unknown, tool: BaseTool, input: unknown, context: Context) {
    if (isNodeCall(context)) return undefined
    const toolCallId = stableId(context.functionCallId, tool.name)
    const { events } = context.invocationContext.session
    const callsInTurn = events.map(countCalls).findLast((calls) => calls > 0)
    const call = { toolName: tool.name, toolCallId, input, callsInTurn, signal: context.abortSignal }
    const { result, metadata } = await withMetadata(this.#offloaderOf(context.invocationContext), (one) =>
      offloadAsRecord(one, { ...call, value }),
    )
    if (result !== undefined && metadata !== undefined) this.#metadata.set(result, metadata)
    return result
  }
}

const resolvingTools = new WeakSet<BaseTool>()
const offloaderOfCall = new WeakMap<Context, ContextOffloader>()

/** The tool resolves the references itself, because ADK calls it with the arguments of the event. */
function resolveInCall(tool: BaseTool, context: Context, offloader: ContextOffloader): void {
  offloaderOfCall.set(context, offloader)
  if (resolvingTools.has(tool)) return
  resolvingTools.add(tool)
  const runAsync = tool.runAsync.bind(tool)
  tool.runAsync = async ({ args: input, toolContext }) => {
    const caller = offloaderOfCall.get(toolContext)
    if (caller === undefined) return runAsync({ args: input, toolContext })
    const { functionCallId: toolCallId, abortSignal: signal } = toolContext
    const call = { toolName: tool.name, toolCallId, input, signal }
    return callResolved(caller, call, (args) => runAsync({ args, toolContext }))
  }
}

const countCalls = ({ content }: Event): number =>
  content?.parts?.filter(({ functionCall }) => functionCall !== undefined).length ?? 0

/** ADK generates random ids for calls without an id. With random ids, equal calls would get different references. */
const stableId = (id = '', toolName: string): string => (id.startsWith('adk-') ? toolName : id)

/** Whether a workflow node made the call and passes the result to nodes. The id of such a call has a path and a run. */
function isNodeCall({ functionCallId = '', invocationContext: { agent, nodeToolDepth } }: Context): boolean {
  return agent === undefined || (nodeToolDepth > 0 && functionCallId.includes(':'))
}

/** Whether the program needs the original result, to show it or to continue the call. */
function isAwaited(tool: BaseTool, { actions }: Context): boolean {
  // A workflow node as a tool is long-running only until it returns.
  if ((tool.isLongRunning && !(tool instanceof NodeTool)) || actions.skipSummarization === true) return true
  return Object.keys({ ...actions.requestedAuthConfigs, ...actions.requestedToolConfirmations }).length > 0
}

/** Whether the model accepts functions. Some models reject functions: always, or beside a schema or provider tools. */
function takesFunctions({ config, contents }: LlmRequest): boolean {
  const tools = config?.tools ?? []
  if (tools.some((tool) => 'functionDeclarations' in tool)) return true
  if (tools.length > 0 || config?.responseMimeType !== undefined) return false
  const parts = contents.flatMap((content) => content.parts ?? [])
  if (parts.some(({ functionResponse }) => functionResponse !== undefined)) return true
  // ADK shows results of other agents as text. Models that make media accept no functions.
  return config?.responseModalities === undefined && parts.some(({ text }) => text?.includes(RETRIEVAL_TOOL_NAME))
}
