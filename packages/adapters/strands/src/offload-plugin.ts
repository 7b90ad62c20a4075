import {
  contentTypeForExtension,
  extensionForContentType,
  type ContentBlock,
  type ContextOffloader,
  type MediaBlock,
  type OffloadRequest,
} from '@spillway/core'
import {
  mediaFromData,
  mediaFromUrl,
  offloadParts,
  resolvedInput,
  runsOf,
  type RunOptions,
  type Runs,
} from '@spillway/core/adapter'
import {
  AfterModelCallEvent,
  AfterToolCallEvent,
  BeforeToolCallEvent,
  DocumentBlock,
  ImageBlock,
  JsonBlock,
  TextBlock,
  Tool,
  ToolResultBlock,
  VideoBlock,
  type HookableEvent,
  type HookableEventConstructor,
  type HookCallback,
  type InvocationState,
  type LocalAgent,
  type Plugin,
  type ToolContext,
  type ToolResultContent,
  type ToolSpec,
  type ToolStreamGenerator,
} from '@strands-agents/sdk'

/** Strands reads the answer of a structured run from the result of this tool. */
const STRUCTURED_OUTPUT_TOOL = 'strands_structured_output'

const NEEDS_NEWER = 'this version of Strands cannot resolve references in arguments.'

/** Order of our hooks: hooks of the default order run first, so that their changes are stored. */
const LAST = { order: 100 }

/** Options of {@link offloadPlugin}. The scope defaults to the ids of the session and the agent. */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

/**
 * Make the plugin that keeps large tool results out of the context of agents, from a `ContextOffloader` of core.
 *
 * Large results and errors are stored. Small results stay the same objects. Results of canceled calls, delegated agents
 * and structured runs are not offloaded.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { offloadPlugin } from '@spillway/strands'
 * import { Agent } from '@strands-agents/sdk'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const agent = new Agent({ plugins: [offloadPlugin(offloader)] })
 * await agent.initialize()
 * console.assert(agent.toolRegistry.get('retrieve_offloaded_content') !== undefined)
 * ```
 */
export function offloadPlugin(offloader: ContextOffloader, options: OffloadOptions = {}): Required<Plugin> {
  const usage = 'offloadPlugin(offloader, options)'
  const runs = runsOf(offloader, options, { usage, read: (run: ScopeRun) => run, scope: agentScope })
  const { offloaderOf } = runs
  const tools = offloader.options.includeRetrievalTool ? [new RetrievalTool(runs)] : []
  return {
    name: 'spillway:context-offloader',
    getTools: () => tools,
    initAgent(agent) {
      // The types of older versions have no parameter for the order.
      const addHook = <Event extends HookableEvent>(
        ...hook: [type: HookableEventConstructor<Event>, callback: HookCallback<Event>]
      ): unknown => Reflect.apply(agent.addHook, agent, [...hook, LAST])
      // After all hooks, only these events show whether a call is canceled.
      const begun = new Map<string, { readonly event: BeforeToolCallEvent; readonly input: unknown }>()
      let callsInTurn: number | undefined
      addHook(BeforeToolCallEvent, async (event) => {
        const { toolUse } = event
        const { name: toolName, toolUseId: toolCallId, input } = toolUse
        begun.set(toolCallId, { event, input })
        if (event.cancel !== false) return
        const call = { toolName, toolCallId, input, signal: agent.cancelSignal }
        const resolved = await resolvedInput<typeof input>(offloaderOf(event), call)
        if (resolved.error !== undefined) event.cancel = resolved.error
        else if (resolved.input !== input && 'selectedTool' in event)
          Object.assign(event, { toolUse: { ...toolUse, input: resolved.input } })
        // Strands 1.0 lacks the field `selectedTool`, and ignores changed arguments.
        else if (resolved.input !== input) event.cancel = `${toolName} was not called: ${NEEDS_NEWER}`
      })
      addHook(AfterToolCallEvent, async (event) => {
        const { name, toolUseId } = event.toolUse
        const { event: before, input = event.toolUse.input } = begun.get(toolUseId) ?? {}
        const isCancelled = Boolean(before?.cancel)
        begun.delete(toolUseId)
        if (name === STRUCTURED_OUTPUT_TOOL || isTakenElsewhere(event)) return
        event.result = await offloadResult(offloaderOf(event), event, { input, isCancelled, callsInTurn })
      })
      addHook(AfterModelCallEvent, async (event) => {
        if (event.stopData === undefined || event.retry === true) return
        callsInTurn = event.stopData.message.content.filter(({ type }) => type === 'toolUseBlock').length || undefined
        await offloaderOf(event).endTurn()
      })
    },
  }
}

/** Whether no model sees the result, because the call is repeated or its result is the agent's answer. */
function isTakenElsewhere({ agent, retry, tool }: AfterToolCallEvent): boolean {
  const { delegate } = Object(tool) as { readonly delegate?: unknown }
  return delegate === true || (retry === true && !agent.cancelSignal.aborted)
}

async function offloadResult(
  offloader: ContextOffloader,
  { agent, toolUse, result }: AfterToolCallEvent,
  told: Pick<OffloadRequest, 'input' | 'isCancelled' | 'callsInTurn'>,
): Promise<ToolResultBlock> {
  const { toolUseId, status, content, error } = result
  // Tools of other classes may return any value.
  if (!Array.isArray(content)) return result
  const outcome = await offloadParts<ToolResultContent>(offloader, {
    toolName: toolUse.name,
    toolCallId: toolUse.toolUseId,
    isError: status === 'error',
    ...told,
    // Strands keeps the result of a call that ends after the run was canceled, and shows it in the next run.
    signal: agent.cancelSignal.aborted ? undefined : agent.cancelSignal,
    parts: content,
    toBlock: contentToBlock,
    fromText: (text) => new TextBlock(text),
    fromBlock: (block) => blockToContent(block, toolUse.toolUseId),
  })
  if (outcome.status === 'inline') return result
  return new ToolResultBlock({ toolUseId, status, content: [...outcome.parts], ...(error && { error }) })
}

class RetrievalTool extends Tool {
  readonly name: string
  readonly description: string
  readonly toolSpec: ToolSpec
  readonly #offloaderOf: Runs<ScopeRun>['offloaderOf']

  constructor({ offloaderOf, retrievalTool: { name, description, inputSchema } }: Runs<ScopeRun>) {
    super()
    this.name = name
    this.description = description
    this.toolSpec = { name, description, inputSchema: inputSchema as object }
    this.#offloaderOf = offloaderOf
  }

  async *stream(context: ToolContext): ToolStreamGenerator {
    // Tools are generators. This tool yields nothing before its answer.
    yield* []
    const { agent, toolUse } = context
    const { input, toolUseId } = toolUse
    // Before 1.14 tools have only the agent's signal.
    const { cancelSignal: signal = agent.cancelSignal } = context as { readonly cancelSignal?: AbortSignal }
    const { content, isError } = await this.#offloaderOf(context).retrievalTool.execute(input, { signal })
    const status = isError ? 'error' : 'success'
    return new ToolResultBlock({ toolUseId, status, content: content.map((block) => blockToContent(block, toolUseId)) })
  }
}

/** The run that the option `scope` gets. */
export interface ScopeRun {
  readonly agent: LocalAgent
  /** The caller's `invocationState`, such as a tenant; empty by default. */
  readonly invocationState: InvocationState
}

/** Marks a generated session id. Without a session manager, the id of Strands has only eight digits, and may repeat. */
const SESSION: unique symbol = Symbol('session of an agent')

interface AgentFields {
  [SESSION]?: string
  readonly sessionManager?: { readonly sessionId?: string; readonly _sessionId?: string }
}

/** Returns the ids under which session managers save an agent. */
export function agentScope({ agent }: ScopeRun): readonly string[] {
  const fields: LocalAgent & AgentFields = agent
  const { sessionManager: manager } = fields
  // Before 1.15 the id is only in a private field, which published versions keep.
  const session = manager?.sessionId ?? manager?._sessionId ?? (fields[SESSION] ??= crypto.randomUUID())
  return [session, agent.id]
}

export function contentToBlock(content: ToolResultContent): ContentBlock {
  return readContent(content) ?? { type: 'unknown', value: content }
}

function readContent(content: ToolResultContent): ContentBlock | undefined {
  switch (content.type) {
    case 'textBlock':
      // Tools of other classes may return any value.
      return typeof content.text === 'string' ? { type: 'text', text: content.text } : undefined
    case 'jsonBlock':
      return { type: 'json', value: withoutWrapper(content.json) }
    case 'imageBlock':
    case 'videoBlock':
    case 'documentBlock':
      return readMedia(content, content.source)
    default:
      return undefined
  }
}

/** Unwraps an array, which Strands wraps in an object for providers. JSON paths then begin at the array. */
function withoutWrapper(json: unknown): unknown {
  const { $value: value } = Object(json) as { readonly $value?: unknown }
  return Array.isArray(value) && Object.keys(Object(json) as object).length === 1 ? value : json
}

interface Source {
  readonly bytes?: unknown
  readonly text?: unknown
  readonly content?: readonly { readonly text: string }[]
  readonly url?: unknown
  readonly location?: { readonly uri?: unknown }
}

function readMedia(media: { type: string; format?: string; name?: string }, source: Source): ContentBlock | undefined {
  const { type, format = 'unknown', name } = media
  const mediaType = contentTypeForExtension(format) ?? `${type.slice(0, -'Block'.length)}/${format}`
  const {
    bytes,
    content,
    text = content?.map((part) => part.text).join('\n'),
    location,
    url = location?.uri,
  } = Object(source) as Source
  if (typeof url === 'string') return mediaFromUrl(mediaType, url, name)
  return mediaFromData(mediaType, typeof text === 'string' ? new TextEncoder().encode(text) : bytes, name)
}

/** Media formats that Strands knows. For another format, a provider would refuse the whole request. */
const FORMATS = {
  image: /^(?:png|jpeg|gif|webp)$/,
  video: /^(?:mkv|mov|mp4|webm|flv|mpeg|wmv|3gp)$/,
  document: /^(?:pdf|csv|docx?|xlsx?|html|txt|md|json|xml)$/,
  audio: /^$/,
} as const

/**
 * Content becomes a text if Strands has no form for it.
 *
 * @param toolUseId - The name of documents, because a provider refuses a conversation with two equal names.
 */
export function blockToContent(block: ContentBlock, toolUseId: string): ToolResultContent {
  switch (block.type) {
    case 'text':
      return new TextBlock(block.text)
    case 'json':
    case 'unknown':
      return valueContent(block.value)
    case 'link':
      return new TextBlock(block.url)
    default:
      return block.data === undefined ? new TextBlock(block.url) : mediaContent(block, block.data, toolUseId)
  }
}

/** The result as Strands writes it: an array in an object, a primitive as text. */
function valueContent(value: unknown): ToolResultContent {
  const json = Array.isArray(value) ? { $value: value } : value
  if (typeof json !== 'object' || json === null) return new TextBlock(JSON.stringify(value) ?? 'null')
  return new JsonBlock({ json: json as JsonBlock['json'] })
}

function mediaContent({ type, mediaType }: MediaBlock, bytes: Uint8Array, toolUseId: string): ToolResultContent {
  const extension = extensionForContentType(mediaType).slice(1).replace('jpg', 'jpeg')
  if (!FORMATS[type].test(extension)) return new TextBlock(`[${type}: ${mediaType}, ${bytes.length} bytes: not shown]`)
  // `FORMATS` contains the extension.
  const media = { format: extension as never, source: { bytes } }
  if (type === 'image') return new ImageBlock(media)
  if (type === 'video') return new VideoBlock(media)
  // Amazon Bedrock refuses most other characters.
  return new DocumentBlock({ ...media, name: toolUseId.replaceAll(/[^a-z0-9-]+/gi, '-').slice(0, 200) })
}
