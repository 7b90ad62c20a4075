import type { ContentBlock } from '@spillway/text/internal'

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
