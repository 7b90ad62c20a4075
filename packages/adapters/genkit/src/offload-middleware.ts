import { RETRIEVAL_TOOL_NAME, type ContentBlock, type ContextOffloader, type OffloadRequest } from '@spillway/core'
import {
  encodeBase64,
  mediaFromUrl,
  nameOfPart,
  offloadParts,
  offloadThrown,
  readMcpPart,
  readMcpResult,
  resolvedInput,
  textBlock,
  withMetadata,
  type RunOptions,
  type Runs,
} from '@spillway/core/adapter'
import {
  generateMiddleware,
  tool,
  type GenerateMiddleware,
  type GenerateMiddlewareDef,
  type GenerateResponseData,
  type Part,
  type ToolAction,
  type ToolRequestPart,
  type ToolResponsePart,
  type z,
} from 'genkit'
import { assertConfig, configSchema, type OffloadConfig } from './offload-config.ts'
import { defaultScope, scopeRun, sessionRuns, type ScopeRun } from './run-scope.ts'

/** Options of {@link offloadMiddleware}. The scope defaults to the config's, then to the session's id. */
export interface OffloadOptions extends RunOptions<ScopeRun> {}

/** Middleware that offloads results. Call it in `use`, with a config if needed. */
export type OffloadMiddleware = GenerateMiddleware<z.ZodType<OffloadConfig>>

/**
 * Make the middleware that keeps large tool results out of the context of a model that Genkit calls.
 *
 * Write `use: [offload()]`, or register it with `plugins: [offload.plugin()]`. Large outputs and errors of tools are
 * stored in the scope of the run. Small outputs stay the same objects. Put this middleware first, so that it sees
 * changes by other middleware.
 *
 * @throws TypeError for an invalid offloader or option. A run rejects with a `TypeError` if its config is invalid.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadMiddleware } from '@spillway/genkit'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { genkit } from 'genkit'
 *
 * const ai = genkit({})
 * const message = { role: 'model' as const, content: [{ text: 'Done.' }] }
 * const model = ai.defineModel({ name: 'reader' }, async () => ({ message }))
 * const offload = offloadMiddleware(new ContextOffloader({ storage: new InMemoryStorage() }))
 * const use = [offload({ scope: ['user-1', 'chat-1'] })]
 * const { text } = await ai.generate({ model, use, prompt: 'Read the log.' })
 * console.assert(text === 'Done.')
 * ```
 */
export function offloadMiddleware(offloader: ContextOffloader, options: OffloadOptions = {}): OffloadMiddleware {
  const runs = sessionRuns(offloader, options, { usage: 'offloadMiddleware(offloader, options)' })
  const { offloaderOf } = runs
  const { includeRetrievalTool } = offloader.options
  const description = 'Moves large tool results to storage, and adds a tool that searches and reads them there.'
  // Genkit calls this once for each run.
  return generateMiddleware({ name: 'spillway', description, configSchema }, ({ config, ai }) => {
    assertConfig(config)
    let signal: AbortSignal | undefined
    let known: ContextOffloader | undefined
    let callsInTurn: number | undefined
    // Only hooks run in the context of the run.
    const current = (): ContextOffloader => (known ??= offloaderOf({ ai, config }))
    const isScoped = options.scope !== undefined || defaultScope(scopeRun({ ai, config })).length > 0
    const endInOrder = inOrder()
    return {
      tools: includeRetrievalTool ? [retrievalTool(isScoped ? runs : offloader)] : [],
      generate: async (turn, context, next) => {
        signal = context.abortSignal
        const replied = await offloadReplies(turn, async (part, input) =>
          offloadResponse(current(), part, { input, signal }),
        )
        const response = await next(replied, context)
        return includeRetrievalTool ? hideRetrieval(response) : response
      },
      model: async (request, context, next) => {
        const response = await next(request, context)
        callsInTurn =
          response.message?.content.filter(({ toolRequest }) => toolRequest !== undefined).length || undefined
        await current().endTurn()
        return response
      },
      tool: async (request, context, next) => {
        const { name: toolName, ref, input } = request.toolRequest
        const isRetrieval = includeRetrievalTool && toolName === RETRIEVAL_TOOL_NAME
        const answer = (): ReturnType<typeof next> => answerRetrieval(current(), request, signal)
        const call = async (): ReturnType<typeof next> => {
          const resolved = await resolvedInput(current(), { toolName, toolCallId: ref, input, signal })
          // A thrown error would end the run.
          if (resolved.error !== undefined) return responseTo(request, { error: resolved.error })
          const toolRequest = { ...request.toolRequest, input: resolved.input }
          return next(resolved.input === input ? request : { ...request, toolRequest }, context)
        }
        const called = isRetrieval ? ai.run(toolName, input, answer) : call()
        await Promise.allSettled([called])
        return endInOrder(isRetrieval ? called : offloadCall(current(), request, { signal, callsInTurn }, called))
      },
    }
  })
}

export async function offloadCall(
  offloader: ContextOffloader,
  { toolRequest: { name, ref = name, input } }: ToolRequestPart,
  told: Pick<OffloadRequest, 'signal' | 'callsInTurn'>,
  called: Promise<ToolResponsePart | undefined>,
): Promise<ToolResponsePart | undefined> {
  let part: ToolResponsePart | undefined
  try {
    part = await called
  } catch (thrown) {
    if (isControlFlow(thrown, told.signal)) throw thrown
    const replaced = await offloadThrown(offloader, { toolName: name, toolCallId: ref, input, ...told, thrown })
    // Errors of Genkit have a second message field, which lacks the status.
    if (replaced !== thrown && replaced instanceof Error && 'originalMessage' in replaced)
      replaced.originalMessage = replaced.message
    throw replaced
  }
  // Middleware may return any value.
  return part?.toolResponse === undefined ? part : offloadResponse(offloader, part, { input, ...told })
}

/** Whether a thrown value is an interrupt or an abort, neither of which is a failure. */
function isControlFlow(thrown: unknown, signal: AbortSignal | undefined): boolean {
  const { name } = Object(thrown) as { readonly name?: unknown }
  return name === 'ToolInterruptError' || name === 'AbortError' || signal?.aborted === true
}

type Turn = Parameters<NonNullable<GenerateMiddlewareDef['generate']>>[0]

/** Offload the program's replies to interrupted tool calls. Returns the same turn if it has no replies. */
export async function offloadReplies(
  turn: Turn,
  offload: (part: ToolResponsePart, input: unknown) => Promise<ToolResponsePart>,
): Promise<Turn> {
  const { messages, resume } = turn.request
  if (resume?.respond === undefined) return turn
  const calls = messages.at(-1)?.content.map(({ toolRequest }) => toolRequest) ?? []
  const replies = resume.respond.map(async (part) => {
    const { name, ref } = part.toolResponse
    return offload(part, calls.find((call) => call?.name === name && call.ref === ref)?.input)
  })
  return { ...turn, request: { ...turn.request, resume: { ...resume, respond: await Promise.all(replies) } } }
}

/** Defines the retrieval tool only. Genkit ends a run after an invalid input, so the middleware answers calls. */
export function retrievalTool({
  retrievalTool: { name, description, inputSchema },
}: Pick<Runs<never>, 'retrievalTool'>): ToolAction {
  return tool({ name, description, inputJsonSchema: { ...(inputSchema as object) } })
}

/** An error becomes the output `{ error }`, as in Genkit's MCP plugin. */
export async function answerRetrieval(
  { retrievalTool }: ContextOffloader,
  request: ToolRequestPart,
  signal: AbortSignal | undefined,
): Promise<ToolResponsePart> {
  const { content: blocks, isError } = await retrievalTool.execute(request.toolRequest.input, { signal })
  const content = blocks.filter((block) => 'data' in block).map(writePart)
  const outputs = blocks.map(outputOf)
  const output = outputs.length === 1 ? outputs[0] : outputs
  return responseTo(request, isError ? { error: output } : output, content.length === 0 ? {} : { content })
}

const responseTo = (
  { toolRequest: { name, ref } }: ToolRequestPart,
  output: unknown,
  beside: Pick<ToolResponsePart['toolResponse'], 'content'> = {},
): ToolResponsePart => ({ toolResponse: { name, ...(ref === undefined ? {} : { ref }), output, ...beside } })

/** Some providers send only the output to the model, so the output names the media. */
function outputOf(block: ContentBlock): unknown {
  if (block.type === 'text') return block.text
  return 'value' in block ? block.value : `[${block.type}: ${block.mediaType ?? block.url}]`
}

/** Remove calls of the retrieval tool from a response: before Genkit 1.39, chats fail if they do not know the tool. */
export function hideRetrieval(response: GenerateResponseData): GenerateResponseData {
  if (response.request?.tools === undefined) return response
  const tools = response.request.tools.filter(({ name }) => name !== RETRIEVAL_TOOL_NAME)
  return { ...response, request: { ...response.request, tools } }
}

/** Settle promises in the order of calls: Genkit writes results into a message in the order in which they settle. */
export function inOrder(): <Result>(work: Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const ended = Promise.allSettled([last, work]).then(() => work)
    last = ended
    return ended
  }
}

/** The output, a part of the output, or a content part next to the output. */
interface Piece {
  readonly value: unknown
  readonly block: ContentBlock
}

export async function offloadResponse(
  offloader: ContextOffloader,
  part: ToolResponsePart,
  call: Pick<OffloadRequest, 'input' | 'signal' | 'callsInTurn'>,
): Promise<ToolResponsePart> {
  const { content = [], ...response } = part.toolResponse
  const { values, toBlock, isError, replace } = outputForm(response.output)
  const ofOutput = values.map((value): Piece => ({ value, block: toBlock(value) }))
  const { result: outcome, metadata } = await withMetadata(offloader, (one) =>
    offloadParts<Piece>(one, {
      ...call,
      toolName: response.name,
      // Some models, such as Gemini, give calls no id.
      toolCallId: response.ref ?? response.name,
      isError,
      parts: [...ofOutput, ...content.map((value) => ({ value, block: readPart(value) }))],
      toBlock: ({ block }) => block,
      fromText: (text) => ({ value: text, block: { type: 'text', text } }),
      fromBlock: (block) => ({ value: writePart(block), block }),
    }),
  )
  if (outcome.status === 'inline') return part
  const [replacement, ...kept] = outcome.parts
  const keptOutput = kept.filter((piece) => ofOutput.includes(piece)).map(({ value }) => value)
  const keptContent = kept.filter((piece) => !ofOutput.includes(piece)).map(({ value }) => value as Part)
  const output = replace(replacement.value as string, keptOutput)
  const beside = keptContent.length === 0 ? {} : { content: keptContent }
  const forProgram = metadata && { metadata: { ...part.metadata, ...metadata } }
  return { ...part, ...forProgram, toolResponse: { ...response, output, ...beside } }
}

interface OutputForm {
  readonly values: readonly unknown[]
  readonly toBlock: (value: unknown) => ContentBlock
  readonly isError: boolean
  /** Makes the output from a replacement and the values that are not replaced. */
  readonly replace: (replacement: string, kept: readonly unknown[]) => unknown
}

const DATA_URL = /^data:[^,]{1,200};base64,/i

/**
 * Find the form of an output, among the forms that Genkit's plugins use.
 *
 * `{ error }` is a failure, and `{ content }` is the result of an MCP server. A `data:` URL, alone or as `{ url }`, is
 * media. So is a single MCP part.
 */
export function outputForm(output: unknown): OutputForm {
  const { error } = Object(output) as { readonly error?: unknown }
  const isError = typeof error === 'string' && hasOnly(output, ['error'])
  const mcp = readMcpResult(output)
  if (mcp !== undefined) {
    const replace: OutputForm['replace'] = (text, kept) => ({
      ...Object(output),
      content: [{ type: 'text', text }, ...kept],
    })
    return { values: mcp.parts, toBlock: readMcpPart, isError: mcp.isError, replace }
  }
  return {
    values: output === undefined ? [] : [output],
    toBlock: (value) => (isError ? { type: 'text', text: error } : readOutput(value)),
    isError,
    // Other values stay in the output: some providers accept no text in a tool's content, others ignore the content.
    replace: (offloaded, kept) =>
      kept.length > 0 ? { offloaded, output } : isError ? { error: offloaded } : offloaded,
  }
}

function readOutput(output: unknown): ContentBlock {
  if (typeof output === 'string') return readDataUrl(output) ?? { type: 'text', text: output }
  const { url, type, resource } = Object(output) as Readonly<Record<'url' | 'type' | 'resource', unknown>>
  const isMedia = typeof url === 'string' && hasOnly(output, ['url', 'contentType'])
  const isMcpMedia = (type === 'image' || type === 'audio') && hasOnly(output, ['type', 'data', 'mimeType'])
  const isResource =
    type === 'resource' &&
    hasOnly(output, ['type', 'resource']) &&
    hasOnly(Object(resource), ['uri', 'mimeType', 'text', 'blob'])
  const medium = isMedia ? readDataUrl(url) : isMcpMedia || isResource ? readMcpPart(output) : undefined
  return medium === undefined || medium.type === 'unknown' ? { type: 'json', value: output } : medium
}

const readDataUrl = (url: string): ContentBlock | undefined => (DATA_URL.test(url) ? mediaFromUrl('', url) : undefined)

/** Whether an object has no other keys, which would be lost if the media were replaced. */
function hasOnly(value: unknown, keys: readonly string[]): boolean {
  return Object.keys(value as object).every((key) => keys.includes(key))
}

export function readPart(part: Part): ContentBlock {
  const { text, media, data, resource, metadata } = Object(part) as Part
  const name = nameOfPart(metadata)
  const { contentType = metadata?.['mimeType'], context } = Object(metadata) as Readonly<Record<string, unknown>>
  if (typeof text === 'string') return textBlock(text, { name, mediaType: contentType, context })
  if (typeof resource?.uri === 'string') return { type: 'link', url: resource.uri }
  if (data !== undefined) return { type: 'json', value: data }
  const block = typeof media?.url === 'string' ? mediaFromUrl(media.contentType ?? '', media.url, name) : undefined
  return block ?? { type: 'unknown', value: part }
}

export function writePart(block: ContentBlock): Part {
  if (block.type === 'text') return { text: block.text }
  if (!('data' in block) || block.data === undefined) return { data: block.type === 'json' ? block.value : block }
  const { mediaType: contentType, data } = block
  return { media: { url: `data:${contentType};base64,${encodeBase64(data)}`, contentType } }
}
