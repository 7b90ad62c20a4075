import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { maxResultTokensOf } from '@spillway/core/adapter'
import { fieldsOf, type Fields } from './message.ts'

/** Key of the number of characters that Claude Code keeps of a result. */
const RESULT_SIZE_META_KEY = 'anthropic/maxResultSizeChars'
/** Claude Code accepts no larger number. */
const MAX_RESULT_CHARACTERS = 500_000
/** Results up to this number of tokens are within the default limits of hosts. */
const HOST_LIMIT_TOKENS = 10_000
/** Words have 4 to 5 characters per token, and an answer has some text around its content. */
const CHARACTERS_PER_TOKEN = 6

/** Choose the tool's name. The name gets a prefix if the server has a tool with this name. */
export function chooseToolName(taken: ReadonlySet<unknown>): string {
  for (let count = 1; ; count++) {
    const prefix = count === 1 ? '' : count === 2 ? 'spillway_' : `spillway_${count - 1}_`
    if (!taken.has(`${prefix}${RETRIEVAL_TOOL_NAME}`)) return `${prefix}${RETRIEVAL_TOOL_NAME}`
  }
}

export function listRetrievalTool({ options, retrievalTool }: ContextOffloader, name: string): Fields {
  const { description, inputSchema } = retrievalTool
  return {
    name,
    title: 'Search offloaded tool results',
    description,
    inputSchema,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    _meta: { [RESULT_SIZE_META_KEY]: charactersOf(options.maxRetrievalTokens) },
  }
}

/**
 * Return a server's tool without its output schema, so that clients accept a preview. The same object is returned if
 * its results are not offloaded.
 *
 * If the tool's limit is above the hosts' limit, `_meta` contains it.
 */
export function listServerTool(offloader: ContextOffloader, tool: unknown): unknown {
  const { outputSchema, ...others } = fieldsOf(tool)
  const maxResultTokens = maxResultTokensOf(offloader, String(others['name']))
  if (maxResultTokens === Infinity) return tool
  const meta = fieldsOf(others['_meta'])
  const needsHint = maxResultTokens > HOST_LIMIT_TOKENS && meta[RESULT_SIZE_META_KEY] === undefined
  if (outputSchema === undefined && !needsHint) return tool
  if (!needsHint) return others
  return { ...others, _meta: { ...meta, [RESULT_SIZE_META_KEY]: charactersOf(maxResultTokens) } }
}

const charactersOf = (tokens: number): number => Math.min(tokens * CHARACTERS_PER_TOKEN, MAX_RESULT_CHARACTERS)
