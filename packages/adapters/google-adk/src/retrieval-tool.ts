import { BaseTool, type RunAsyncToolRequest } from '@google/adk'
import type { ContentBlock, ContextOffloader } from '@spillway/core'
import { noteMedia } from './retrieved-media.ts'
import { invocationsOf, type Invocations, type OffloadOptions } from './run-scope.ts'

type Declaration = NonNullable<ReturnType<BaseTool['_getDeclaration']>>

/**
 * Make the retrieval tool in the scope of its run. {@link offloadPlugin} adds it. Agents of live sessions must have
 * this tool among their own tools.
 *
 * The tool answers every input: `{ result }`, or `{ error }` with advice. With the plugin the model also sees media.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { LlmAgent } from '@google/adk'
 * import { ContextOffloader } from '@spillway/core'
 * import { retrievalTool } from '@spillway/google-adk'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const agent = new LlmAgent({ name: 'assistant', model: 'gemini-2.5-flash', tools: [retrievalTool(offloader)] })
 * console.assert(agent.tools.length === 1)
 * ```
 */
export function retrievalTool(offloader: ContextOffloader, options: OffloadOptions = {}): BaseTool {
  return new RetrievalTool(invocationsOf(offloader, options, { usage: 'retrievalTool(offloader, options)' }))
}

export class RetrievalTool extends BaseTool {
  readonly #declaration: Declaration
  readonly #offloaderOf: Invocations['offloaderOf']

  constructor({ offloaderOf, retrievalTool: { name, description, inputSchema } }: Invocations) {
    super({ name, description })
    // Gemini requires type names in capital letters.
    const parameters: unknown = JSON.parse(JSON.stringify(inputSchema), (key, value: unknown) =>
      key === 'type' ? String(value).toUpperCase() : value,
    )
    this.#declaration = { name, description, parameters: parameters as NonNullable<Declaration['parameters']> }
    this.#offloaderOf = offloaderOf
  }

  override _getDeclaration(): Declaration {
    return { ...this.#declaration }
  }

  override async runAsync({ args, toolContext }: RunAsyncToolRequest): Promise<Record<string, unknown>> {
    const { retrievalTool } = this.#offloaderOf(toolContext.invocationContext)
    const { content, isError } = await retrievalTool.execute(args, { signal: toolContext.abortSignal })
    const values = content.map(valueOf)
    const answer = { [isError ? 'error' : 'result']: values.length === 1 ? values[0] : values }
    noteMedia(answer, content)
    return answer
  }
}

function valueOf(block: ContentBlock): unknown {
  if (block.type === 'text') return block.text
  if (block.type === 'json' || block.type === 'unknown') return block.value
  if (!('data' in block) || block.data === undefined) return block.url
  return `[${block.type}: ${block.mediaType}, ${block.data.length.toLocaleString('en-US')} bytes]`
}
