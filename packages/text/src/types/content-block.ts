/** What a tool says of a block. The replacement shows it beside the reference, each on one line and cut if it is long. */
interface NamedBlock {
  /** A file name, title or URI, if one is known. */
  readonly name?: string | undefined
  /** A few words on the content, such as where it comes from. */
  readonly context?: string | undefined
}

/** Text of a tool result. It is stored as UTF-8: half a surrogate pair, which that cannot express, becomes U+FFFD. */
export interface TextBlock extends NamedBlock {
  readonly type: 'text'
  readonly text: string
  /** A MIME type of text, such as `text/html`. The text is stored as `text/plain` if it is absent or no type of text. */
  readonly mediaType?: string | undefined
}

/** A JSON value of a tool result. */
export interface JsonBlock extends NamedBlock {
  readonly type: 'json'
  readonly value: unknown
}

/** An image, sound, video or document, as bytes or by URL. */
export type MediaBlock = {
  readonly type: 'image' | 'audio' | 'video' | 'document'
  /** A MIME type, such as `image/png`. */
  readonly mediaType: string
} & NamedBlock &
  ({ readonly data: Uint8Array; readonly url?: undefined } | { readonly url: string; readonly data?: undefined })

/** A link to something that the result does not contain. */
export interface LinkBlock {
  readonly type: 'link'
  readonly url: string
  readonly name?: string | undefined
  readonly mediaType?: string | undefined
}

/** A block of the framework that Spillway does not know: it passes through unchanged. */
export interface UnknownBlock {
  readonly type: 'unknown'
  readonly value: unknown
}

/**
 * One part of a tool result, in the form that all adapters map theirs to.
 *
 * @example
 * ```ts
 * import type { ContentBlock } from '@spillway/text'
 *
 * const content: ContentBlock[] = [
 *   { type: 'text', text: 'two users' },
 *   { type: 'json', value: [{ id: 1 }, { id: 2 }] },
 * ]
 * console.assert(content.length === 2)
 * ```
 */
export type ContentBlock = TextBlock | JsonBlock | MediaBlock | LinkBlock | UnknownBlock
