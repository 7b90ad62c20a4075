import { isBytes, type ContentBlock } from '@spillway/text/internal'
import { assertChunks, assertContentType, assertKnownOptions, shown } from '../storage/storage-input.ts'

/** A tool result to offload. */
export interface OffloadRequest {
  readonly toolName: string
  /** Id of the tool call. Equal ids with different content get different references. */
  readonly toolCallId: string
  /** Arguments of the call. The arguments help to choose a preview and are never stored. */
  readonly input?: unknown
  /**
   * Text of the user or the model before the call. Only the last 4,096 characters are used. Previews prefer lines that
   * contain rare words of this text. The text is never stored, and must be the same when a conversation is replayed.
   */
  readonly purpose?: string | undefined
  readonly content: readonly ContentBlock[]
  /** Whether the tool failed. Previews of errors keep the last lines. */
  readonly isError?: boolean | undefined
  /**
   * Number of tool calls in the message, including this call. With `maxTurnTokens`, each result gets an equal share of
   * the budget. If all results of the message come together, pass them to `offloadAll` instead.
   */
  readonly callsInTurn?: number | undefined
  /** Whether the call was canceled. The result of a canceled call is left in the context. */
  readonly isCancelled?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** A stream of tool output to offload. */
export interface OffloadStreamRequest extends Pick<
  OffloadRequest,
  'toolName' | 'toolCallId' | 'input' | 'purpose' | 'signal'
> {
  readonly chunks: AsyncIterable<Uint8Array>
  /** MIME type. Defaults to detection by the first bytes. A binary type becomes `text/plain` if the bytes are text. */
  readonly contentType?: string | undefined
  /** Return whether the tool failed. Called after the end of the stream. */
  readonly isError?: (() => boolean) | undefined
  /**
   * Read all chunks, store them, and return the reference, for example of an open entry. Called if the stream is over
   * the limit. Defaults to the storage's own `storeStream`.
   */
  readonly store?: ((chunks: AsyncIterable<Uint8Array>, contentType: string) => Promise<string>) | undefined
}

/** A stored block of a tool result. */
export interface OffloadedBlock {
  readonly reference: string
  /** Type of the block. Joined blocks of text or JSON, and the text of a document, have the type `text`. */
  readonly type: ContentBlock['type']
  readonly contentType: string
  /** Number of stored bytes. */
  readonly size: number
  /** Name of the block, if the tool gives one. */
  readonly name?: string
}

/**
 * Reason for leaving a result in the context.
 *
 * - `within-limit`: the result does not exceed `maxResultTokens`.
 * - `exempt`: the tool has `offload: false`, and the result does not exceed `maxInlineTokens`.
 * - `retrieval-result`: the result is an answer of the retrieval tool.
 * - `read-back`: another tool read stored content of this scope, and the result does not exceed `maxRetrievalTokens`.
 * - `cancelled`: the call was canceled.
 * - `off`, `shadow`: the offloader has this `mode`.
 * - `declined`: `shouldOffload` returned `false`.
 * - `not-storable`: the large blocks are links, media with a URL, or blocks of an unknown type.
 * - `not-smaller`: the replacement would not have fewer tokens.
 * - `failed`: the result could not be stored, and does not exceed `maxInlineTokens`. `error` has the cause.
 */
export type InlineReason =
  | 'within-limit'
  | 'exempt'
  | 'retrieval-result'
  | 'read-back'
  | 'cancelled'
  | 'off'
  | 'shadow'
  | 'declined'
  | 'not-storable'
  | 'not-smaller'
  | 'failed'

/** Outcome of offloading a tool result. Put `content` into the context. */
export type Outcome =
  | {
      readonly status: 'inline'
      readonly reason: InlineReason
      /** The original blocks. */
      readonly content: readonly ContentBlock[]
      readonly tokens: { readonly original: number }
      /** Set if the reason is `failed`. */
      readonly error?: unknown
    }
  | {
      /** The result could not be stored or was read back, and exceeds `maxInlineTokens` or `maxRetrievalTokens`. */
      readonly status: 'cut'
      readonly reason: 'failed' | 'read-back'
      readonly stored: readonly []
      /** A text block with previews, whose end says how much is missing. The kept blocks follow. */
      readonly content: readonly ContentBlock[]
      readonly tokens: { readonly original: number; readonly replacement: number }
      /** Set if the reason is `failed`. */
      readonly error?: unknown
    }
  | {
      /** The result is left in the context, without the text that `redact` removed. */
      readonly status: 'redacted'
      readonly reason: InlineReason
      readonly stored: readonly []
      /** One block for each block of the request. Unchanged blocks are the same objects. */
      readonly content: readonly ContentBlock[]
      readonly tokens: { readonly original: number; readonly replacement: number }
      readonly error?: unknown
    }
  | {
      /** `redact` failed, so no part of the result is shown or stored. */
      readonly status: 'withheld'
      readonly reason: 'redaction-failed'
      readonly stored: readonly []
      /** A text block that says that the result is withheld. */
      readonly content: readonly ContentBlock[]
      readonly tokens: { readonly original: number; readonly replacement: number }
      readonly error: unknown
    }
  | {
      readonly status: 'offloaded'
      /** Set if the result did not exceed its own limit, but did not fit `maxTurnTokens`. */
      readonly reason?: 'turn-budget'
      /** The replacement as a text block, then blocks that previewers added, then the blocks that were kept. */
      readonly content: readonly ContentBlock[]
      readonly stored: readonly OffloadedBlock[]
      readonly tokens: { readonly original: number; readonly replacement: number }
    }

const CALL_FIELDS = ['toolName', 'toolCallId', 'input', 'purpose', 'isError', 'signal']
const FIELDS = [...CALL_FIELDS, 'content', 'callsInTurn', 'isCancelled']
const STREAM_FIELDS = [...CALL_FIELDS, 'chunks', 'contentType', 'store']

export function assertOffloadRequest(request: unknown): asserts request is OffloadRequest {
  assertKnownOptions(request, FIELDS, 'offload()')
  assertCall(request as Fields)
  const { content, callsInTurn } = request as Fields
  if (callsInTurn !== undefined && !(typeof callsInTurn === 'number' && callsInTurn >= 1))
    throw new TypeError(`callsInTurn must be a number of tool calls, 1 or more, got ${shown(callsInTurn)}.`)
  if (!Array.isArray(content))
    throw new TypeError(`content must be an array of blocks such as { type: 'text', text }, got ${typeof content}.`)
  assertBlocks(content)
}

export function assertBlocks(content: readonly unknown[]): asserts content is readonly ContentBlock[] {
  for (const [index, block] of content.entries()) assertBlock(block, `content[${index}]`)
}

export function assertOffloadStreamRequest(request: unknown): asserts request is OffloadStreamRequest {
  assertKnownOptions(request, STREAM_FIELDS, 'offloadStream()')
  assertCall(request as Fields)
  const { chunks, contentType, isError, store } = request as Fields
  assertChunks(chunks)
  if (contentType !== undefined) assertContentType(contentType)
  for (const [name, value] of Object.entries({ isError, store }))
    if (value !== undefined && typeof value !== 'function')
      throw new TypeError(`${name} must be a function, got ${shown(value)}.`)
}

type Fields = Readonly<Record<string, unknown>>

function assertCall({ toolName, toolCallId, purpose, signal }: Fields): void {
  if (typeof toolName !== 'string') throw new TypeError(`toolName must be a string, got ${shown(toolName)}.`)
  if (typeof toolCallId !== 'string') throw new TypeError(`toolCallId must be a string, got ${shown(toolCallId)}.`)
  if (purpose !== undefined && typeof purpose !== 'string')
    throw new TypeError(`purpose must be a string, or left out, got ${shown(purpose)}.`)
  if (signal !== undefined && typeof (signal as AbortSignal | null)?.addEventListener !== 'function')
    throw new TypeError('signal must be an AbortSignal, or left out.')
}

function assertBlock(block: unknown, name: string): void {
  const { type, text, data, url, mediaType, ...fields } = Object(block) as Record<string, unknown>
  for (const field of type === 'unknown' ? [] : ['name', 'context'])
    if (fields[field] !== undefined && typeof fields[field] !== 'string')
      throw new TypeError(`${name}.${field} must be a string, got ${shown(fields[field])}.`)
  switch (type) {
    case 'text':
      if (typeof text !== 'string') throw new TypeError(`${name}.text must be a string, got ${shown(text)}.`)
      if (mediaType !== undefined && typeof mediaType !== 'string')
        throw new TypeError(`${name}.mediaType must be a MIME type such as 'text/html', got ${shown(mediaType)}.`)
      return
    case 'image':
    case 'audio':
    case 'video':
    case 'document':
      if (typeof mediaType !== 'string')
        throw new TypeError(`${name}.mediaType must be a MIME type such as 'image/png'.`)
      if (data === undefined ? typeof url !== 'string' : !isBytes(data))
        throw new TypeError(`${name} must have data (a Uint8Array) or a url.`)
      return
    case 'link':
      if (typeof url !== 'string') throw new TypeError(`${name}.url must be a string, got ${shown(url)}.`)
      return
    case 'json':
    case 'unknown':
      if (!('value' in fields)) throw new TypeError(`${name}.value is missing.`)
      return
    default:
      throw new TypeError(
        `${name}.type must be a content block type, got ${shown(type)}. Pass other blocks as { type: 'unknown', value }.`,
      )
  }
}
