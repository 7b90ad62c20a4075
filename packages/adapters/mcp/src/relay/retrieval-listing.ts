import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { fieldsOf, type Fields } from './message.ts'

/** Under this key of a tool's `_meta`, Claude Code reads how many characters of its results it keeps. */
const RESULT_SIZE_META_KEY = 'anthropic/maxResultSizeChars'
/** More than this it does not accept. */
const MAX_RESULT_CHARACTERS = 500_000
/** Results of so many tokens are within the limits that hosts have by default. */
const HOST_LIMIT_TOKENS = 10_000
/** Plain words have 4 to 5 characters per token, and the frame of an answer comes with them. */
const CHARACTERS_PER_TOKEN = 6

/** Choose the name of the retrieval tool beside tools of other names: its own, or with a prefix where that is taken. */
export function chooseToolName(taken: ReadonlySet<unknown>): string {
  for (let count = 1; ; count++) {
    const prefix = count === 1 ? '' : count === 2 ? 'spillway_' : `spillway_${count - 1}_`
    if (!taken.has(`${prefix}${RETRIEVAL_TOOL_NAME}`)) return `${prefix}${RETRIEVAL_TOOL_NAME}`
  }
}

/** Tell whether {@link chooseToolName} can choose a name. */
export const mayBeRetrievalTool = (name: string): boolean =>
  name.endsWith(RETRIEVAL_TOOL_NAME) &&
  /^(?:spillway_(?:[1-9]\d*_)?)?$/.test(name.slice(0, -RETRIEVAL_TOOL_NAME.length))

/** Define the retrieval tool as `tools/list` shows it. */
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
 * Define a tool of the server so that clients which check results accept a preview in the place of one: without an output
 * schema. Where the limit is above those of hosts, hosts are told.
 */
export function listServerTool({ options }: ContextOffloader, tool: unknown): unknown {
  const { outputSchema, ...others } = fieldsOf(tool)
  const meta = fieldsOf(others['_meta'])
  const needsHint = options.maxResultTokens > HOST_LIMIT_TOKENS && meta[RESULT_SIZE_META_KEY] === undefined
  if (outputSchema === undefined && !needsHint) return tool
  if (!needsHint) return others
  return { ...others, _meta: { ...meta, [RESULT_SIZE_META_KEY]: charactersOf(options.maxResultTokens) } }
}

const charactersOf = (tokens: number): number => Math.min(tokens * CHARACTERS_PER_TOKEN, MAX_RESULT_CHARACTERS)
