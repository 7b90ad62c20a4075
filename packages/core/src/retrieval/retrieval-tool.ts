import type { ContentBlock, CountTokens } from '@spillway/text/internal'
import { assertStorage, type Storage } from '../storage/storage.ts'
import { formatRetrievalCall, type RetrievalCall } from './retrieval-call.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import type { RetrievalErrorCode } from './retrieval-error.ts'
import type { RetrievalEvent } from './retrieval-event.ts'
import { retrievalDescription, retrievalInputSchema, type RetrievalInputSchema } from './retrieval-schema.ts'
import { RETRIEVAL_TOOL_NAME } from './retrieval-tool-name.ts'

export { RETRIEVAL_TOOL_NAME }

const DEFAULT_MAX_MEDIA_BYTES = 5 * 1_048_576
const DEFAULT_DEADLINE_MS = 2_000
const DEFAULT_BLOCK_BYTES = 1_048_576

/** Options of {@link createRetrievalTool}. */
export interface RetrievalToolOptions {
  /** Where offloaded content is; a scope's view of it where there are scopes. */
  readonly storage: Storage
  /** Whether `storage` is the view of one scope. Without a scope, nothing is listed and a search needs a reference. */
  readonly scoped: boolean
  /** Tokens of one text answer, at most; `Infinity` for no limit. */
  readonly maxRetrievalTokens: number
  readonly countTokens: CountTokens
  /** Bytes of an image, sound, video or document that is returned whole, at most. Defaults to 5 MiB. */
  readonly maxMediaBytes?: number | undefined
  /** Milliseconds that the pattern of one call may spend on matching, apart from 20 ms per million characters. Defaults to 2,000. */
  readonly deadlineMs?: number | undefined
  /** Bytes read from storage at a time. Defaults to 1 MiB. */
  readonly blockBytes?: number | undefined
  /** Write the calls that answers suggest. Defaults to the tool's name and the input as JSON. */
  readonly formatCall?: ((call: RetrievalCall) => string) | undefined
  /** Called after every call, answered or failed. */
  readonly onRetrieve?: ((event: RetrievalEvent) => void) | undefined
}

/** What the retrieval tool answers. A failure is an answer too: its text says what to do next. */
export type RetrievalResult =
  | { readonly isError: false; readonly content: readonly ContentBlock[] }
  | { readonly isError: true; readonly content: readonly ContentBlock[]; readonly code: RetrievalErrorCode }

/** The tool that gives an agent what was offloaded, free of any framework. */
export interface RetrievalTool {
  readonly name: typeof RETRIEVAL_TOOL_NAME
  readonly description: string
  /** The input as a JSON Schema. */
  readonly inputSchema: RetrievalInputSchema
  /** Answer a call. Whatever the model wrote, and whatever storage does, it resolves. */
  execute(input: unknown, options?: { readonly signal?: AbortSignal | undefined }): Promise<RetrievalResult>
}

/**
 * Make the tool `retrieve_offloaded_content`, by which an agent searches and reads what was offloaded.
 *
 * Throws a `TypeError` that names the option where one is not usable.
 *
 * @example
 * ```ts
 * import { createRetrievalTool, type Storage } from '@spillway/core'
 *
 * const log = new TextEncoder().encode('started\nuser admin logged in\nstopped\n')
 * const storage: Storage = {
 *   store: async () => 'log_1',
 *   retrieve: async () => ({ content: log, contentType: 'text/plain' }),
 * }
 * const countTokens = (text: string) => Math.ceil(text.length / 4)
 * const tool = createRetrievalTool({ storage, scoped: false, maxRetrievalTokens: 500, countTokens })
 *
 * const { content } = await tool.execute({ reference: 'log_1', pattern: 'admin', context_lines: 0 })
 * console.assert(content[0]?.type === 'text' && content[0].text === '[1 match for /admin/]\n\n> 2| user admin logged in')
 * ```
 */
export function createRetrievalTool(options: RetrievalToolOptions): RetrievalTool {
  const settings = resolveOptions(options)
  const searchesScope = settings.scoped && settings.storage.list !== undefined
  return {
    name: RETRIEVAL_TOOL_NAME,
    description: retrievalDescription(searchesScope),
    inputSchema: retrievalInputSchema(searchesScope),
    async execute(input, { signal } = {}) {
      // Search and what else only an answer needs is loaded with the first call.
      const { retrieve } = await import('./retrieve.ts')
      const { result, event } = await retrieve(input, { ...settings, signal })
      options.onRetrieve?.(event)
      return result
    },
  }
}

function resolveOptions(options: RetrievalToolOptions): Omit<RetrievalContext, 'signal'> {
  assertStorage(options.storage)
  const { storage, scoped, maxRetrievalTokens, countTokens } = options
  if (typeof scoped !== 'boolean') throw new TypeError(`scoped must be true or false, got ${String(scoped)}.`)
  if (typeof countTokens !== 'function')
    throw new TypeError(`countTokens must be a function, got ${typeof countTokens}.`)
  if (typeof maxRetrievalTokens !== 'number' || !(maxRetrievalTokens > 0)) {
    throw new TypeError(
      `maxRetrievalTokens must be a positive number of tokens or Infinity, got ${maxRetrievalTokens}.`,
    )
  }
  return {
    storage,
    scoped,
    maxTokens: maxRetrievalTokens,
    countTokens,
    formatCall: options.formatCall ?? ((call) => formatRetrievalCall(call)),
    maxMediaBytes: positive('maxMediaBytes', options.maxMediaBytes ?? DEFAULT_MAX_MEDIA_BYTES),
    deadlineMs: positive('deadlineMs', options.deadlineMs ?? DEFAULT_DEADLINE_MS),
    blockBytes: Math.ceil(positive('blockBytes', options.blockBytes ?? DEFAULT_BLOCK_BYTES)),
  }
}

function positive(name: string, value: number): number {
  if (typeof value === 'number' && value > 0) return value
  throw new TypeError(`${name} must be a positive number, got ${value}.`)
}
