import type { ContextOffloader } from '@spillway/core'
import { assertOffloader, writeModelOutput, type ModelOutput } from '@spillway/core/adapter'
import { jsonSchema, type Schema, type ToolResultPart } from 'ai'

/** An output for the model, as JSON. */
export type RetrievalOutput = ModelOutput

/** An entry of a tool set: a `Tool<unknown, RetrievalOutput>` in every version. */
export interface RetrievalToolEntry {
  description: string
  /** The schema for the model. The SDK does not validate inputs with it. */
  inputSchema: Schema
  /** Keeps OpenAI from making every parameter required. */
  strict: false
  /** Answer a call. For an invalid input, an unknown reference or an outage, the answer has the type `error-text`. */
  execute: (input: unknown, options: { abortSignal?: AbortSignal | undefined }) => Promise<RetrievalOutput>
  toModelOutput: (options: { output: RetrievalOutput }) => ToolResultPart['output']
}

const TOOL: unique symbol = Symbol('retrieval tool of the AI SDK')

interface Session extends ContextOffloader {
  [TOOL]?: RetrievalToolEntry
}

/**
 * Return the tool `retrieve_offloaded_content` of an offloader, always the same object.
 *
 * @example
 * ```ts
 * import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
 * import { retrievalTool } from '@spillway/ai-sdk'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const tools = { [RETRIEVAL_TOOL_NAME]: retrievalTool(offloader) }
 * const answer = await tools[RETRIEVAL_TOOL_NAME].execute({ reference: 'made_up' }, {})
 * console.assert(answer.type === 'error-text')
 * ```
 */
export function retrievalTool(offloader: ContextOffloader): RetrievalToolEntry {
  assertOffloader(offloader, 'retrievalTool(new ContextOffloader({ storage }))')
  const session: Session = offloader
  return (session[TOOL] ??= makeTool(offloader))
}

function makeTool({ retrievalTool: { description, inputSchema, execute } }: ContextOffloader): RetrievalToolEntry {
  return {
    description,
    // The SDK's type of a JSON Schema has mutable arrays. Without a validator, every input reaches execute.
    inputSchema: jsonSchema(inputSchema as unknown as Parameters<typeof jsonSchema>[0]),
    strict: false,
    async execute(input, options) {
      const { content, isError } = await execute(input, { signal: options.abortSignal })
      // Only version 7 passes `context` to tools. It would emit a warning for each media part in the form of version 6.
      return writeModelOutput(content, { isError, form: 'context' in options ? 'file' : 'file-data' })
    },
    // The answer has the form of the installed version, which no type can name.
    toModelOutput: ({ output }: { readonly output: unknown }) => output as ToolResultPart['output'],
  }
}
