import { createTool, type Tool } from '@mastra/core/tools'
import type { ContextOffloader } from '@spillway/core'
import { writeModelPart } from '@spillway/core/adapter'
import { assertOptions, type OffloadOptions } from './options.ts'
import { offloaderOfRun } from './run-scope.ts'

/**
 * The retrieval tool. What the model writes is not validated on the way to it, so the input may be anything.
 *
 * It returns a text, or an array of parts where media are among them.
 */
export type RetrievalTool = Tool

/**
 * Make the Mastra tool by which the model searches and reads what was offloaded, in the scope of its run.
 *
 * {@link offloadProcessor} registers it itself. Whatever the model passes, it answers: a wrong input, an unknown reference
 * or an outage is thrown as an error that says what to do next, and Mastra hands it to the model as a tool error.
 *
 * @throws TypeError where the offloader or an option is not usable.
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
  assertOptions(offloader, options)
  const offloaderOf = offloaderOfRun(offloader, options.scope)
  // In a scope of its own a run may search without a reference, and the model has to know.
  const scoped = options.scope === undefined ? offloader.forScope('thread') : offloader
  const { name, description, inputSchema } = scoped.retrievalTool
  const jsonSchema = (): Record<string, unknown> => ({ ...inputSchema })
  return createTool({
    id: name,
    description,
    inputSchema: {
      '~standard': {
        version: 1,
        vendor: 'spillway',
        // What does not fit the schema goes to the tool, too: its advice is better than that of a validator.
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: jsonSchema, output: jsonSchema },
      },
    },
    async execute(input: unknown, { requestContext, agent, abortSignal }) {
      const answer = await offloaderOf({ requestContext, agent }).retrievalTool.execute(input, { signal: abortSignal })
      const parts = answer.content.map((block) => writeModelPart(block, 'media'))
      const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      if (answer.isError) throw new Error(texts.join('\n'))
      return texts.length === parts.length ? texts.join('\n') : parts
    },
    // What is text Mastra shows as it is.
    toModelOutput: (output: unknown) => (typeof output === 'string' ? undefined : { type: 'content', value: output }),
  })
}
