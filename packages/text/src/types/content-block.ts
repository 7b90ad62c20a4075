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

/** A block that can be stored: text, JSON, or media that comes as bytes. */
type StorableBlock = Extract<ContentBlock, { type: 'text' | 'json' }> | (MediaBlock & { readonly data: Uint8Array })

/** Tell whether a block has bytes of its own; links, media by URL, unknown blocks and empty text have not. */
export function isStorable(block: ContentBlock): block is StorableBlock {
  if (block.type === 'text') return block.text !== ''
  if (block.type === 'json') return true
  return isMediaBlock(block) && block.data !== undefined
}

/**
 * Write a JSON value indented by two spaces, so that lines, ranges and grep work on it.
 *
 * Returns `undefined` for what JSON cannot express as a whole: functions, `undefined`, cycles, big integers, values whose
 * own `toJSON` or getters throw. Throws a `RangeError` for what is too deep or, once indented, too long for a string.
 */
export function indentJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, null, 2)
  } catch (error) {
    if (error instanceof RangeError) throw error
    // JSON.stringify has no other way to say that a value is circular or holds a BigInt, and runs the value's own code.
    return undefined
  }
}

const MAX_LENGTH = 80

/**
 * Make a name that whoever made the content has chosen safe to show: on one line, without brackets, and at most `maxLength`
 * characters. A longer name loses its middle, as paths and URIs differ at their ends.
 */
export function safeName(name: string, maxLength: number = MAX_LENGTH): string {
  const line = clean(name)
  if (line.length <= maxLength) return line
  const half = Math.floor((maxLength - 1) / 2)
  return clean(`${line.slice(0, half)}…${line.slice(-half)}`)
}

const clean = (name: string): string => name.replace(/[\p{C}\p{Z}[\]]+/gu, ' ').trim()

const MEDIA_TYPES: ReadonlySet<string> = new Set(['image', 'audio', 'video', 'document'])

/** Tell whether a block is an image, sound, video or document. */
export const isMediaBlock = (block: ContentBlock): block is MediaBlock => MEDIA_TYPES.has(block.type)
