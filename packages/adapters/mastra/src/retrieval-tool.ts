import { createTool, type Tool } from '@mastra/core/tools'
import type { ContextOffloader } from '@spillway/core'
import { anyInputSchema, writeModelOutput } from '@spillway/core/adapter'
import { threadRuns, type OffloadOptions } from './run-scope.ts'

/** The retrieval tool. It returns a text, or an array of parts if there are media. */
export type RetrievalTool = Tool

/**
 * Make the retrieval tool in the scope of its run. {@link offloadProcessor} adds it.
 *
 * An invalid input, an unknown reference or an outage is thrown as an error with advice, which Mastra passes to the
 * model.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { retrievalTool } from '@spillway/mastra'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const retrieve = retrievalTool(new ContextOffloader({ storage: new InMemoryStorage() }))
 * console.assert(retrieve.id === 'retrieve_offloaded_content')
 * ```
 */
export function retrievalTool(offloader: ContextOffloader, options: OffloadOptions = {}): RetrievalTool {
  const runs = threadRuns(offloader, options, { usage: 'retrievalTool(offloader, options)' })
  // With the option `scope`, several runs may share a scope.
  const { name, description, inputSchema } = (options.scope === undefined ? runs : offloader).retrievalTool
  return createTool({
    id: name,
    description,
    inputSchema: anyInputSchema(inputSchema),
    // Otherwise, OpenAI makes every parameter required.
    strict: false,
    async execute(input: unknown, { requestContext, agent, abortSignal }) {
      const { retrievalTool } = runs.offloaderOf({ requestContext, agent })
      const { content, isError } = await retrievalTool.execute(input, { signal: abortSignal })
      const { type, value } = writeModelOutput(content, { isError, form: 'media' })
      if (type === 'error-text') throw new Error(value)
      return value
    },
    // Mastra itself shows text unchanged.
    toModelOutput: (output: unknown) => (typeof output === 'string' ? undefined : { type: 'content', value: output }),
  })
}
