import { createTool, type Tool } from '@mastra/core/tools'
import type { ContextOffloader } from '@spillway/core'
import { anyInputSchema, writeModelOutput } from '@spillway/core/adapter'
import { scopedOffloader, type OffloadOptions } from './run-scope.ts'

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
  const offloaderOf = scopedOffloader(offloader, options, 'retrievalTool(offloader, options)')
  // In its own scope a run may search without a reference, and the model must know.
  const scoped = options.scope === undefined ? offloader.forScope('thread') : offloader
  const { name, description, inputSchema } = scoped.retrievalTool
  return createTool({
    id: name,
    description,
    inputSchema: anyInputSchema(inputSchema),
    async execute(input: unknown, { requestContext, agent, abortSignal }) {
      const answer = await offloaderOf({ requestContext, agent }).retrievalTool.execute(input, { signal: abortSignal })
      const { type, value } = writeModelOutput(answer.content, { isError: answer.isError, form: 'media' })
      if (type === 'error-text') throw new Error(value)
      return value
    },
    // Mastra shows text unchanged.
    toModelOutput: (output: unknown) => (typeof output === 'string' ? undefined : { type: 'content', value: output }),
  })
}
