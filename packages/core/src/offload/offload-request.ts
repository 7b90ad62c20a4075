import { isBytes, type ContentBlock } from '@spillway/text/internal'
import { assertChunks, assertContentType } from '../storage/reference.ts'

/** A tool result as an adapter hands it over. */
export interface OffloadRequest {
  readonly toolName: string
  /** The id of the tool call. Equal ids with different content are kept apart. */
  readonly toolCallId: string
  /** The arguments of the call; they help to choose a preview and are never stored. */
  readonly input?: unknown
  /**
   * What the user or the model said before the call. Rare words of it raise what holds them in the preview; nothing of it
   * is printed or stored. The last 4,096 characters count. It must be the same when a conversation is replayed.
   */
  readonly purpose?: string | undefined
  readonly content: readonly ContentBlock[]
  /** Whether the tool failed. Errors are offloaded too, with their last lines kept. */
  readonly isError?: boolean | undefined
  /** Whether the call was cancelled: such a result stays as it is. */
  readonly isCancelled?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** A stream of output as a command line hands it over. */
export interface OffloadStreamRequest {
  readonly toolName: string
  readonly toolCallId: string
  /** The arguments of the call, as of {@link OffloadRequest.input}. */
  readonly input?: unknown
  /** As of {@link OffloadRequest.purpose}. */
  readonly purpose?: string | undefined
  readonly chunks: AsyncIterable<Uint8Array>
  /** Defaults to what the first bytes tell. A type that is not text is replaced by `text/plain` if they are text. */
  readonly contentType?: string | undefined
  /** Whether it failed; asked once the stream has ended. */
  readonly isError?: (() => boolean) | undefined
  readonly signal?: AbortSignal | undefined
}

/** What was stored of a tool result. */
export interface OffloadedBlock {
  readonly reference: string
  /** The block's type, or `text` for many blocks of text or JSON that were joined, and for the text of a document. */
  readonly type: ContentBlock['type']
  readonly contentType: string
  /** Bytes that were stored. */
  readonly size: number
  /** What the tool calls the block, if it says so. */
  readonly name?: string
}

/**
 * Why a result was left in the context as it was.
 *
 * - `within-limit`: it has at most `maxResultTokens`.
 * - `retrieval-result`: it comes from the retrieval tool and would be offloaded in circles.
 * - `cancelled`: the call was cancelled.
 * - `declined`: `shouldOffload` said no.
 * - `not-storable`: what makes it large are links, media by URL or blocks that Spillway does not know.
 * - `not-smaller`: the replacement would not have fewer tokens.
 * - `failed`: it could not be stored; `error` says why.
 */
export type InlineReason =
  | 'within-limit'
  | 'retrieval-result'
  | 'cancelled'
  | 'declined'
  | 'not-storable'
  | 'not-smaller'
  | 'failed'

/** What became of a tool result. `content` is what belongs into the context, in either case. */
export type Outcome =
  | {
      readonly status: 'inline'
      readonly reason: InlineReason
      /** The very blocks that were passed in. */
      readonly content: readonly ContentBlock[]
      readonly tokens: { readonly original: number }
      /** Set with the reason `failed`. */
      readonly error?: unknown
    }
  | {
      readonly status: 'offloaded'
      /** The replacement as one text block, then blocks that previewers added, then the blocks that were kept. */
      readonly content: readonly ContentBlock[]
      readonly stored: readonly OffloadedBlock[]
      readonly tokens: { readonly original: number; readonly replacement: number }
    }

/** Refuse with a `TypeError` what is no tool result, before anything is done with it. */
export function assertOffloadRequest(request: unknown): asserts request is OffloadRequest {
  const { toolName, toolCallId, content, purpose, signal } = Object(request) as Partial<
    Record<keyof OffloadRequest, unknown>
  >
  assertCall(toolName, toolCallId, purpose, signal)
  if (!Array.isArray(content)) throw new TypeError(`content must be an array of content blocks, got ${typeof content}.`)
  assertBlocks(content)
}

/** Refuse with a `TypeError` what are no content blocks. */
export function assertBlocks(content: readonly unknown[]): asserts content is readonly ContentBlock[] {
  for (const [index, block] of content.entries()) assertBlock(block, `content[${index}]`)
}

/** Refuse with a `TypeError` what is no stream of output, before anything of it is read. */
export function assertOffloadStreamRequest(request: unknown): asserts request is OffloadStreamRequest {
  const { toolName, toolCallId, chunks, contentType, isError, purpose, signal } = Object(request) as Partial<
    Record<keyof OffloadStreamRequest, unknown>
  >
  assertCall(toolName, toolCallId, purpose, signal)
  assertChunks(chunks)
  if (contentType !== undefined) assertContentType(contentType)
  if (isError !== undefined && typeof isError !== 'function')
    throw new TypeError(`isError must be a function, got ${typeof isError}.`)
}

function assertCall(toolName: unknown, toolCallId: unknown, purpose: unknown, signal: unknown): void {
  if (typeof toolName !== 'string') throw new TypeError(`toolName must be a string, got ${typeof toolName}.`)
  if (typeof toolCallId !== 'string') throw new TypeError(`toolCallId must be a string, got ${typeof toolCallId}.`)
  if (purpose !== undefined && typeof purpose !== 'string')
    throw new TypeError(`purpose must be a string, or left out, got ${typeof purpose}.`)
  if (signal !== undefined && typeof (signal as AbortSignal | null)?.addEventListener !== 'function')
    throw new TypeError('signal must be an AbortSignal, or left out.')
}

function assertBlock(block: unknown, name: string): void {
  const { type, text, data, url, mediaType, ...fields } = Object(block) as Record<string, unknown>
  for (const field of type === 'unknown' ? [] : ['name', 'context'])
    if (fields[field] !== undefined && typeof fields[field] !== 'string')
      throw new TypeError(`${name}.${field} must be a string, got ${typeof fields[field]}.`)
  switch (type) {
    case 'text':
      if (typeof text !== 'string') throw new TypeError(`${name}.text must be a string, got ${typeof text}.`)
      if (mediaType !== undefined && typeof mediaType !== 'string')
        throw new TypeError(`${name}.mediaType must be a MIME type such as 'text/html', got ${typeof mediaType}.`)
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
      if (typeof url !== 'string') throw new TypeError(`${name}.url must be a string, got ${typeof url}.`)
      return
    case 'json':
    case 'unknown':
      return
    default:
      throw new TypeError(
        `${name}.type must be a content block type, got ${typeof type === 'string' ? JSON.stringify(type) : typeof type}. Pass other blocks as { type: 'unknown', value }.`,
      )
  }
}
