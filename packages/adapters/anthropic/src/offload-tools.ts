import type Anthropic from '@anthropic-ai/sdk'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { assertOffloader, callResolved, nameTaken, takesReferences } from '@spillway/core/adapter'
import { retrievalTool, type RetrievalTool } from './retrieval-tool.ts'
import { offloadCall, type ToolUse } from './offload-call.ts'

type RunnerTool = Anthropic.Beta.Messages.BetaToolRunnerParams['tools'][number]

/**
 * Wrap tools for a tool runner so that the model gets previews and references for large results and errors, and add the
 * retrieval tool.
 *
 * The tools passed in do not change. Without the runner's context, `run` returns the original result.
 *
 * @param offloader - The offloader of one session: `offloader.forScope(tenant, session)`.
 * @throws TypeError for an invalid argument, and if `tools` has the retrieval tool already.
 *
 * @example
 * ```ts
 * import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
 * import { offloadTools } from '@spillway/anthropic'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const run = () => 'a line of a log\n'.repeat(5_000)
 * const readLog = betaTool({ name: 'read_log', description: 'Read the log.', inputSchema: { type: 'object' }, run })
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const tools = offloadTools([readLog], offloader.forScope('tenant-1', 'session-1'))
 * console.assert(tools.length === 2)
 * ```
 */
export function offloadTools<const Tools extends readonly RunnerTool[]>(
  tools: Tools,
  offloader: ContextOffloader,
): [...Tools, ...RetrievalTool[]] {
  assertOffloader(offloader, 'offloadTools(tools, new ContextOffloader({ storage }))')
  if (!Array.isArray(tools)) throw new TypeError(`tools must be an array of tools, got ${typeof tools}.`)
  const wrapped = tools.map((tool: unknown) => {
    const { name, run } = Object(tool) as Partial<AnyTool>
    if (name === RETRIEVAL_TOOL_NAME) throw nameTaken()
    return typeof run === 'function' ? wrapTool(tool as AnyTool, offloader) : tool
  })
  const added = offloader.options.includeRetrievalTool ? [retrievalTool(offloader)] : []
  return [...wrapped, ...added] as unknown as [...Tools, ...RetrievalTool[]]
}

export interface AnyTool {
  readonly name?: string
  readonly run: (...parameters: readonly unknown[]) => unknown
  readonly parse?: (input: unknown) => unknown
}

/** Older versions pass the call as `toolUseBlock`. */
type RunContext = { readonly [Key in 'toolUse' | 'toolUseBlock']?: ToolUse } & { readonly signal?: AbortSignal | null }

export function wrapTool(tool: AnyTool, offloader: ContextOffloader): AnyTool {
  const takes = tool.name !== undefined && takesReferences(offloader, tool.name)
  const run = async (...parameters: readonly unknown[]): Promise<unknown> => {
    // A toolset gets the context first, a tool its input.
    const context = Object(parameters[tool.name === undefined ? 0 : 1]) as RunContext
    const { toolUseBlock, toolUse = toolUseBlock, signal } = context
    if (toolUse === undefined) return tool.run(...parameters)
    const { name: toolName, id: toolCallId } = toolUse
    const [input, ...rest] = parameters
    const call = { toolName, toolCallId, input, signal: signal ?? undefined }
    const runParsed = (given: unknown): unknown =>
      tool.run(tool.parse === undefined ? given : tool.parse(given), ...rest)
    return offloadCall(offloader, toolUse, signal, () =>
      takes ? callResolved(offloader, call, runParsed) : tool.run(...parameters),
    )
  }
  // The schema checks the input after references are resolved, so this `parse` returns the input unchanged.
  const own = Object.getOwnPropertyDescriptors({ ...tool, run, ...(takes && { parse: (input: unknown) => input }) })
  const copy = Object.create(Object.getPrototypeOf(tool) as object | null, own) as AnyTool
  // Methods run on the tool itself, because they may use its private fields.
  return new Proxy(copy, {
    get(_copy, key) {
      if (Object.hasOwn(copy, key)) return Reflect.get(copy, key)
      const value: unknown = Reflect.get(tool, key)
      return typeof value === 'function' ? (value.bind(tool) as unknown) : value
    },
  })
}
