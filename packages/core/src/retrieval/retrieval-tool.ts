import type { ContentBlock } from '@spillway/text/internal/types'
import { PatternError } from '@spillway/text/internal/platform'
import type { CountTokens } from '@spillway/text/internal/tokens'
import { assertStorage } from '../storage/assert-storage.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { Storage } from '../storage/storage.ts'
import { answerFull } from './answer-full.ts'
import type { FullAnswer } from './answer-full.ts'
import { answerBytes, answerHead, answerRange } from './answer-lines.ts'
import { answerPattern } from './answer-pattern.ts'
import { answerScope } from './answer-scope.ts'
import { DEFAULT_BLOCK_BYTES } from '../content/content-source.ts'
import { answerQuery } from './query/answer-query.ts'
import { answerTable } from './table/answer-table.ts'
import { explainStorageError } from './failure-message.ts'
import { cutToFit } from './fit-answer.ts'
import { formatRetrievalCall } from './retrieval-call.ts'
import type { RetrievalCall } from './retrieval-call.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import { RetrievalError } from './retrieval-error.ts'
import type { RetrievalErrorCode } from './retrieval-error.ts'
import type { RetrievalEvent, RetrievalMode } from './retrieval-event.ts'
import { parseRetrievalInput } from './retrieval-input.ts'
import type { RetrievalRequest } from './retrieval-input.ts'
import { callInText, textBeside } from './text-beside.ts'
import { retrievalDescription, retrievalInputSchema } from './retrieval-schema.ts'
import type { RetrievalInputSchema } from './retrieval-schema.ts'
import { RETRIEVAL_TOOL_NAME } from './retrieval-tool-name.ts'

export { RETRIEVAL_TOOL_NAME }

const DEFAULT_MAX_MEDIA_BYTES = 5 * 1_048_576
const DEFAULT_DEADLINE_MS = 2_000

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
      const context: RetrievalContext = { ...settings, signal }
      const { result, event } = await retrieve(input, context)
      options.onRetrieve?.(event)
      return result
    },
  }
}

async function retrieve(
  input: unknown,
  context: RetrievalContext,
): Promise<{ readonly result: RetrievalResult; readonly event: RetrievalEvent }> {
  let request: RetrievalRequest | undefined
  try {
    request = parseRetrievalInput(input)
    const { reference } = request
    const mode = modeOf(request)
    const { block, text } = await answer(request, context)
    const event = { type: 'retrieval', mode, reference, tokens: context.countTokens(text), isError: false } as const
    return { result: { isError: false, content: [block] }, event }
  } catch (error) {
    const { code, message } = await explain(error, request, context)
    const text = cutToFit(`Error: ${message}`, context)
    const event = {
      type: 'retrieval',
      mode: request === undefined ? 'invalid' : modeOf(request),
      reference: request?.reference,
      tokens: context.countTokens(text),
      isError: true,
      code,
    } as const
    return { result: { isError: true, content: [{ type: 'text', text }], code }, event }
  }
}

async function answer(request: RetrievalRequest, context: RetrievalContext): Promise<FullAnswer> {
  if (request.mode === 'full') return await answerFull(request.reference, context)
  const text = cutToFit(await answerText(request, context), context)
  return { block: { type: 'text', text }, text }
}

function modeOf(request: RetrievalRequest): RetrievalMode {
  const { mode, reference } = request
  if (mode === 'pattern' && request.countOnly) return 'count'
  return reference === undefined && (mode === 'pattern' || mode === 'query') ? `scope-${mode}` : mode
}

async function answerText(
  request: Exclude<RetrievalRequest, { mode: 'full' }>,
  context: RetrievalContext,
): Promise<string> {
  switch (request.mode) {
    case 'range':
      return await answerRange(request.reference, request.range, context)
    case 'bytes':
      return await answerBytes(request, context)
    case 'head':
      return await answerHead(request, context)
    case 'json-path':
      // The library for paths, and that for their regular expressions, are loaded where a path is asked for.
      return await (await import('./json-path/answer-json-path.ts')).answerJsonPath(request, context)
    case 'query':
      return await answerQuery(request, context)
    case 'table':
      return await answerTable(request, context)
    case 'pattern': {
      const { reference } = request
      return reference === undefined
        ? await answerScope(request, context)
        : await answerPattern({ ...request, reference }, context)
    }
  }
}

/** Turn what storage, the pattern or the input is to blame for into an answer; rethrow the rest. */
async function explain(
  error: unknown,
  request: RetrievalRequest | undefined,
  context: RetrievalContext,
): Promise<{ readonly code: RetrievalErrorCode; readonly message: string }> {
  const reference = request?.reference
  if (error instanceof RetrievalError) {
    const { code, call } = error
    const message = call === undefined ? error.message : `${error.message} ${context.formatCall(call)}`
    const text =
      (code === 'not-text' || code === 'too-large') && request?.mode !== 'json-path' && reference !== undefined
        ? await textBeside(reference, context)
        : undefined
    if (text !== undefined) {
      const instead = context.formatCall(callInText(request, text))
      return { code, message: `This content is binary, and its text is stored beside it. To use that: ${instead}` }
    }
    return { code, message }
  }
  if (StorageError.isInstance(error)) {
    return { code: error.code, message: await explainStorageError(error, reference, context) }
  }
  if (error instanceof PatternError && error.code === 'timeout') {
    const message =
      'The pattern took too long to match and was stopped. Simplify it (no nested or overlapping repeats, such as ' +
      '(a+)+ or .*.*), search for a keyword, or narrow the line_range.'
    return { code: 'pattern-timeout', message }
  }
  if (error instanceof PatternError) {
    return { code: 'pattern-refused', message: `${error.message} Simplify the pattern, or search for a keyword.` }
  }
  throw error
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
