import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import {
  assertOffloader,
  callResolved,
  copyWith,
  hasReferences,
  nameTaken,
  offloadModelOutput,
  offloadThrown,
  takesReferences,
} from '@spillway/core/adapter'
import { shown } from '@spillway/core/driver'
import { asSchema, jsonSchema, type FlexibleSchema, type Schema, type ToolSet } from 'ai'
import { retrievalTool, type RetrievalToolEntry } from './retrieval-tool.ts'

/** A tool set with the retrieval tool, which `includeRetrievalTool: false` omits at run time. */
export type OffloadedTools<TOOLS extends ToolSet> = TOOLS & { [RETRIEVAL_TOOL_NAME]: RetrievalToolEntry }

/**
 * Wrap tools so that the model gets previews and references for large results and errors, and add the retrieval tool.
 *
 * The program still gets the original output. The tools passed in do not change.
 *
 * @param offloader - The offloader of one session: `offloader.forScope(tenant, session)`.
 * @throws TypeError if a tool has the name of the retrieval tool, or is wrapped for another offloader.
 *
 * @example
 * ```ts
 * import { offloadTools } from '@spillway/ai-sdk'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { tool } from 'ai'
 * import { z } from 'zod'
 *
 * const readLog = tool({ inputSchema: z.object({}), execute: async () => 'a line of a log\n'.repeat(5_000) })
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const tools = offloadTools({ readLog }, offloader.forScope('tenant-1', 'session-1'))
 * console.assert(Object.keys(tools).join() === 'readLog,retrieve_offloaded_content')
 * ```
 */
export function offloadTools<TOOLS extends ToolSet>(tools: TOOLS, offloader: ContextOffloader): OffloadedTools<TOOLS> {
  if (typeof tools !== 'object' || tools === null || Array.isArray(tools))
    throw new TypeError(`tools must be an object of tools by name, got ${shown(tools)}.`)
  assertOffloader(offloader, 'offloadTools(tools, new ContextOffloader({ storage }))')
  const entries = Object.entries(tools).map(([name, tool]) => [name, offloadTool(name, tool as AnyTool, offloader)])
  const wrapped = Object.fromEntries(entries) as OffloadedTools<TOOLS>
  if (offloader.options.includeRetrievalTool) {
    Object.assign(wrapped, { [RETRIEVAL_TOOL_NAME]: retrievalTool(offloader) })
  }
  return wrapped
}

function offloadTool(name: string, tool: AnyTool, offloader: ContextOffloader): AnyTool {
  if (name === RETRIEVAL_TOOL_NAME) {
    if (tool === (retrievalTool(offloader) as object)) return tool
    throw nameTaken()
  }
  // The SDK reports an invalid tool.
  if (typeof tool !== 'object' || tool === null) return tool
  const wrappedFor = tool[OFFLOADER]
  if (wrappedFor === offloader || isProviderExecuted(tool)) return tool
  if (wrappedFor !== undefined) {
    throw new TypeError(
      `tools.${name} is wrapped for another offloader, and the retrieval tool of this offloader cannot read its references. ` +
        'Pass your own tools in each session.',
    )
  }
  return wrapTool(name, tool, offloader)
}

/** Version 6 has no flag for this: a provider tool without `execute` counts as run by the provider. */
function isProviderExecuted({ type, isProviderExecuted, execute }: AnyTool): boolean {
  return type === 'provider' && (isProviderExecuted ?? execute === undefined)
}

/** The mark of a wrapped tool. A copy of the tool does not have the mark. */
const OFFLOADER: unique symbol = Symbol('offloader of a wrapped tool')

export interface AnyTool {
  readonly [OFFLOADER]?: ContextOffloader
  readonly type?: string
  readonly isProviderExecuted?: boolean
  readonly inputSchema?: FlexibleSchema<unknown>
  readonly execute?: Execute
  readonly toModelOutput?: (options: ModelOutputOptions) => unknown
}

interface ModelOutputOptions {
  readonly toolCallId: string
  readonly input: unknown
  readonly output: unknown
}

interface LiveCall {
  readonly toolCallId: string
  readonly signal: AbortSignal | undefined
  readonly inContext: ReturnType<typeof keepContext>
  readonly shown?: { readonly of: unknown; readonly as: unknown }
}

/** The original functions are called on the original tool, because they may use its private fields. */
export function wrapTool(toolName: string, tool: AnyTool, offloader: ContextOffloader): AnyTool {
  // The SDK passes no signal to toModelOutput, and version 6 calls it more than once for each output of a stream. Only
  // the input object is the same as in execute.
  const liveCalls = new WeakMap<WeakKey, LiveCall>()

  const execute: Execute = (input, options) => {
    const { toolCallId, abortSignal: signal } = options
    if (isWeakKey(input)) liveCalls.set(input, { toolCallId, signal, inContext: keepContext() })
    const run = (given: unknown): unknown => {
      const output = tool.execute?.(given, options)
      return given === input ? output : lastOf(output)
    }
    return callResolved(offloader, { toolName, toolCallId, input, signal }, run, (given) => checked(tool, given))
  }
  const toModelOutput = async (options: ModelOutputOptions): Promise<unknown> => {
    const { toolCallId, input, output } = options
    const found = isWeakKey(input) ? liveCalls.get(input) : undefined
    const live = found?.toolCallId === toolCallId ? found : undefined
    if (live?.shown !== undefined && Object.is(live.shown.of, output)) return live.shown.as
    const full = tool.toModelOutput === undefined ? defaultOutput(output) : await tool.toModelOutput(options)
    // A tool's timeout may pass while other tools run. A result that came in time is still stored.
    const signal = live?.signal?.aborted === true ? undefined : live?.signal
    // An MCP server's error: its parts cannot be marked as an error.
    const isError = (Object(output) as { readonly isError?: unknown }).isError === true
    const offload = async (): Promise<unknown> => {
      const call = { toolName, toolCallId, input, isError, signal }
      const { output: shown } = await offloadModelOutput(offloader, call, full)
      return shown === full && Object(full).value instanceof Uint8Array ? jsonOutput(output) : shown
    }
    const shown = await (live?.inContext(offload) ?? offload())
    if (live !== undefined) liveCalls.set(input as WeakKey, { ...live, shown: { of: output, as: shown } })
    return shown
  }

  const isRunHere = typeof tool.execute === 'function'
  const own = {
    toModelOutput,
    ...(isRunHere && { execute: guardExecute(offloader, toolName, execute) }),
    ...(isRunHere &&
      takesReferences(offloader, toolName) && { inputSchema: schemaWithReferences(toolName, tool, offloader) }),
  }
  return Object.defineProperty(copyWith(tool, own), OFFLOADER, { value: offloader })
}

/** Once references are resolved, the tool's own schema validates the content. */
function schemaWithReferences(toolName: string, { inputSchema }: AnyTool, offloader: ContextOffloader): Schema {
  const own = asSchema(inputSchema)
  return jsonSchema(async () => own.jsonSchema, {
    validate: (value) =>
      own.validate === undefined || hasReferences(offloader, { toolName, input: value })
        ? { success: true, value }
        : own.validate(value),
  })
}

async function checked({ inputSchema }: AnyTool, input: unknown): Promise<unknown> {
  const result = await asSchema(inputSchema).validate?.(input)
  if (result?.success === false) throw result.error
  return result === undefined ? input : result.value
}

/** Return the last value of a stream. A call with references shows no preliminary outputs. */
async function lastOf(output: unknown): Promise<unknown> {
  if (!isAsyncIterable(output)) return output
  let last: unknown
  for await (const one of output) last = one
  return last
}

/** Returns a function that runs its argument in this call's context: spans are then children of the tool's span. */
function keepContext(): (run: () => Promise<unknown>) => Promise<unknown> {
  let isUsed = false
  const { promise, resolve } = Promise.withResolvers<() => void>()
  // A continuation runs in the context in which it was added.
  void promise.then((start) => start())
  return async (run) => {
    if (isUsed) return run()
    isUsed = true
    return new Promise((done) => resolve(() => done(run())))
  }
}

const isWeakKey = (value: unknown): value is WeakKey => typeof value === 'object' && value !== null

/** Returns the output as the SDK shows it for a tool without `toModelOutput`. Bytes stay bytes, and can become a file. */
function defaultOutput(output: unknown): { readonly type: 'text' | 'json'; readonly value: unknown } {
  if (typeof output === 'string') return { type: 'text', value: output }
  return output instanceof Uint8Array ? { type: 'json', value: output } : jsonOutput(output)
}

function jsonOutput(output: unknown): { readonly type: 'json'; readonly value: unknown } {
  const json = JSON.stringify(output) as string | undefined
  return { type: 'json', value: json === undefined ? null : (JSON.parse(json) as unknown) }
}

export type Execute = (input: unknown, options: ExecuteOptions) => unknown

interface ExecuteOptions {
  readonly toolCallId: string
  readonly abortSignal?: AbortSignal | undefined
}

/** Storing is asynchronous, so a synchronous error becomes a rejected promise. */
export function guardExecute(
  offloader: Pick<ContextOffloader, 'offload'>,
  toolName: string,
  execute: Execute,
): Execute {
  return (input, options) => {
    const fail = async (thrown: unknown): Promise<never> => {
      const { toolCallId, abortSignal: signal } = options
      throw await offloadThrown(offloader, { toolName, toolCallId, input, signal, thrown })
    }
    let result: unknown
    try {
      result = execute(input, options)
    } catch (error) {
      return fail(error)
    }
    if (isAsyncIterable(result)) return guardIterable(result, fail)
    // The `then` of a query builder may accept no missing callback, and may return nothing.
    return isPromiseLike(result) ? Promise.resolve(result).catch(fail) : result
  }
}

async function* guardIterable(
  results: AsyncIterable<unknown>,
  fail: (thrown: unknown) => Promise<never>,
): AsyncGenerator {
  try {
    yield* results
  } catch (error) {
    await fail(error)
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator] === 'function'
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}
