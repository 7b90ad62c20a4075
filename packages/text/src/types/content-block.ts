/** Description of a block by its tool. A replacement shows each field on one line and shortens it if necessary. */
interface NamedBlock {
  /** File name, title or URI, if known. */
  readonly name?: string | undefined
  /** Short description of the content, for example its origin. */
  readonly context?: string | undefined
}

/** Text of a tool result, stored as UTF-8. Unpaired surrogates become U+FFFD. */
export interface TextBlock extends NamedBlock {
  readonly type: 'text'
  readonly text: string
  /** A text MIME type, for example `text/html`. If absent or not a text type, text is stored as `text/plain`. */
  readonly mediaType?: string | undefined
}

/**
 * A JSON value of a tool result. A value with a cycle or a `bigint` is neither counted nor stored. A `Uint8Array` is
 * stored as a file, because JSON would have a number for each byte.
 */
export interface JsonBlock extends NamedBlock {
  readonly type: 'json'
  readonly value: unknown
}

/** An image, audio, video or document, as bytes or as a URL. */
export type MediaBlock = {
  readonly type: 'image' | 'audio' | 'video' | 'document'
  /** A MIME type, for example `image/png`. */
  readonly mediaType: string
} & NamedBlock &
  ({ readonly data: Uint8Array; readonly url?: undefined } | { readonly url: string; readonly data?: undefined })

/** A link to content outside the result. */
export interface LinkBlock {
  readonly type: 'link'
  readonly url: string
  readonly name?: string | undefined
  readonly mediaType?: string | undefined
}

/** A block of a framework that Spillway does not know. Such a block is not changed. */
export interface UnknownBlock {
  readonly type: 'unknown'
  readonly value: unknown
}

/** One part of a tool result, in the form that all adapters use. */
export type ContentBlock = TextBlock | JsonBlock | MediaBlock | LinkBlock | UnknownBlock
type StorableBlock = Extract<ContentBlock, { type: 'text' | 'json' }> | (MediaBlock & { readonly data: Uint8Array })

/** Return whether a block has content to store. Links, media with a URL, unknown blocks and empty texts have none. */
export function isStorable(block: ContentBlock): block is StorableBlock {
  if (block.type === 'text') return block.text !== ''
  if (block.type === 'json') return true
  return isMediaBlock(block) && block.data !== undefined
}

/**
 * Serialize a JSON value. The text is indented, so that lines, ranges and grep work. Returns `undefined` for values
 * that JSON cannot express. Throws a `RangeError` if the value is too deep or the text too long.
 */
export function indentJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, null, 2)
  } catch (error) {
    if (error instanceof RangeError) throw error
    // JSON.stringify throws various errors for cycles and BigInt values, and it runs getters and `toJSON` of the value.
    return undefined
  }
}

const MAX_LENGTH = 80

/** Make an untrusted name safe to show on one line. The middle of a long name is replaced by `…`. */
export function safeName(name: string, maxLength: number = MAX_LENGTH): string {
  const line = clean(name)
  if (line.length <= maxLength) return line
  const half = Math.floor((maxLength - 1) / 2)
  return clean(`${line.slice(0, half)}…${line.slice(-half)}`)
}

const clean = (name: string): string => name.replace(/[\p{C}\p{Z}[\]]+/gu, ' ').trim()
const MEDIA_TYPES: ReadonlySet<string> = new Set(['image', 'audio', 'video', 'document'])
/** Return whether a block is an image, audio, video or document. */
export const isMediaBlock = (block: ContentBlock): block is MediaBlock => MEDIA_TYPES.has(block.type)
