import { createTool, type Tool, type ToolExecuteOptions, type ToolSchema } from '@voltagent/core'
import type { ContextOffloader } from '@spillway/core'
import { anyInputSchema, writeModelOutput, type ModelOutput } from '@spillway/core/adapter'
import { resolveOptions, type OffloadOptions } from './offload-options.ts'

/** An output for the model, as JSON. */
export type RetrievalOutput = ModelOutput

const answers = new WeakSet<object>()

/** Answers of the retrieval tool are never offloaded. */
export const isAnswer = (output: unknown): boolean => answers.has(Object(output) as object)

/**
 * Make the tool `retrieve_offloaded_content` in the scope of its operation. {@link offloadTools} adds it.
 *
 * An invalid call gets an answer of the type `error-text` with advice.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { retrievalTool, type RetrievalOutput } from '@spillway/voltagent'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const retrieve = retrievalTool(new ContextOffloader({ storage: new InMemoryStorage() }))
 * const answer = (await retrieve.execute?.({ reference: 'made_up' }, { conversationId: 'a' })) as RetrievalOutput
 * console.assert(answer.type === 'error-text')
 * ```
 */
export function retrievalTool(offloader: ContextOffloader, options: OffloadOptions = {}): Tool {
  const settings = resolveOptions(offloader, options, { usage: 'retrievalTool(offloader, options)' })
  // With the option `scope`, several operations may share a scope.
  const { name, description, inputSchema } = (options.scope === undefined ? settings : offloader).retrievalTool
  return createTool({
    name,
    description,
    // VoltAgent's type allows only Zod.
    parameters: anyInputSchema(inputSchema) as unknown as ToolSchema,
    async execute(input: unknown, operation?: ToolExecuteOptions): Promise<RetrievalOutput> {
      const signal = operation?.toolContext?.abortSignal
      const { content, isError } = await settings.offloaderOf(operation).retrievalTool.execute(input, { signal })
      const answer = writeModelOutput(content, { isError, form: 'file-data' })
      answers.add(answer)
      return answer
    },
    toModelOutput: ({ output }) => output as ReturnType<NonNullable<Tool['toModelOutput']>>,
  })
}
