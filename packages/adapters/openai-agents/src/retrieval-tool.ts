import { RunContext, tool, type FunctionTool } from '@openai/agents'
import type { ContextOffloader, RetrievalInputSchema } from '@spillway/core'
import { toolOutput } from './result-parts.ts'
import { findRun, sessionRuns, type OffloadOptions } from './run-scope.ts'

/** The retrieval tool, for an agent of any context. */
export type RetrievalTool = Omit<FunctionTool, 'customDataExtractor'>

/**
 * Make the retrieval tool in the scope of its run. {@link offloadTools} adds it. The tool answers an invalid call with
 * advice.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { RunContext } from '@openai/agents'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { retrievalTool } from '@spillway/openai-agents'
 *
 * const retrieve = retrievalTool(new ContextOffloader({ storage: new InMemoryStorage() }))
 * const answer = await retrieve.invoke(new RunContext(), '{"reference":"made_up"}')
 * console.assert(String(answer).startsWith('Error: '))
 * ```
 */
export function retrievalTool(offloader: ContextOffloader, options: OffloadOptions = {}): RetrievalTool {
  const runs = sessionRuns(offloader, options, { usage: 'retrievalTool(offloader, options)' })
  // With the option `scope`, several runs may share a scope.
  const { name, description, inputSchema } = (options.scope === undefined ? runs : offloader).retrievalTool
  return tool({
    name,
    description,
    // The SDK's type names the properties of the schema.
    parameters: strictSchema(inputSchema) as never,
    execute: async (input: unknown, context: RunContext = new RunContext(), details) => {
      const run = findRun(context)
      // Older versions do not pass the signal to tools.
      const { signal = run.signal } = Object(details) as { readonly signal?: AbortSignal }
      const { content } = await runs.offloaderOf(run).retrievalTool.execute(input, { signal })
      return toolOutput(content)
    },
  })
}

type Property = RetrievalInputSchema['properties'][string]

/** Convert a schema for OpenAI's strict mode: closed objects, all properties required, optional ones may be `null`. */
function strictSchema({ properties, required = [] }: RetrievalInputSchema): object {
  const strict = Object.entries(properties).map(([name, property]) => [
    name,
    required.includes(name) ? property : orNull(property),
  ])
  return closed(Object.fromEntries(strict))
}

function orNull({ type, description, ...rest }: Property): Property {
  if (type === 'object') return { description, anyOf: [closed(rest['properties'] as object), { type: 'null' }] }
  return { type: [type, 'null'], description, ...rest }
}

const closed = (properties: object): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
