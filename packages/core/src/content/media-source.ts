import {
  decodeBase64,
  encodeBase64 as encode,
  extensionForContentType,
  mediaFormatOf,
  mediaKind,
  type ContentBlock,
  type MediaBlock,
  type TextBlock,
} from '@spillway/text/internal'
import { isContentType } from '../storage/storage-input.ts'

const DATA_SCHEME = /^data:/i
const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),/i
const BASE64_MARK = /;base64$/i

/** Base64 may contain blanks, and omit its padding (RFC 4648, section 3). */
const BASE64_BLANKS = /[\s=]+/g

/**
 * Make a media block from bytes, Base64 (plain or URL-safe), or a `data:` URL; `undefined` for any other value.
 *
 * @param mediaType - A MIME type, which decides the type of the block. A type without a subtype, such as `image/*`, is
 *   completed by the signature of the bytes. If that fails, the type becomes `application/octet-stream`.
 */
export function mediaFromData(mediaType: string, data: unknown, name?: string): MediaBlock | undefined {
  if (data instanceof Uint8Array) return mediaFromBytes(mediaType, data, name)
  if (data instanceof ArrayBuffer) return mediaFromBytes(mediaType, new Uint8Array(data), name)
  if (typeof data !== 'string') return undefined
  return DATA_SCHEME.test(data) ? mediaFromUrl(mediaType, data, name) : mediaFromBase64(mediaType, data, name)
}

/**
 * Make a media block from a URL; `undefined` for an invalid `data:` URL. A valid `data:` URL becomes a block with its
 * bytes.
 *
 * @param mediaType - A MIME type; the type in a `data:` URL takes precedence.
 */
export function mediaFromUrl(mediaType: string, url: string, name?: string): MediaBlock | undefined {
  if (!DATA_SCHEME.test(url)) return { type: mediaKind(mediaType), mediaType, name, url }
  const [header = '', ownType, parameters = ''] = DATA_URL.exec(url) ?? []
  if (header === '') return undefined
  const type = ownType === undefined || ownType === '' ? mediaType : ownType
  const body = url.slice(header.length)
  if (BASE64_MARK.test(parameters)) return mediaFromBase64(type, body, name)
  const text = percentDecoded(body)
  return text === undefined ? undefined : mediaFromBytes(type, new TextEncoder().encode(text), name)
}

/** Encode bytes as Base64 (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  return encode(bytes)
}

function mediaFromBase64(mediaType: string, base64: string, name: string | undefined): MediaBlock | undefined {
  const data = decodeBase64(base64)
  const digits = base64.replaceAll(BASE64_BLANKS, '').length
  // Decoders skip unknown characters, so only the length shows whether all characters were decoded.
  if (data === undefined || digits % 4 === 1 || data.length !== Math.floor((digits * 3) / 4)) return undefined
  return mediaFromBytes(mediaType, data, name)
}

function mediaFromBytes(mediaType: string, data: Uint8Array, name: string | undefined): MediaBlock {
  const full = isContentType(mediaType) ? mediaType : (mediaFormatOf(data)?.mediaType ?? 'application/octet-stream')
  return { type: mediaKind(mediaType), mediaType: full, name, data }
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** A text, or a file in Base64. */
export type EncodedBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: MediaBlock['type']
      readonly mediaType: string
      readonly data: string
      /** Name of the block, or a name with the extension of its type, because many providers require a name. */
      readonly filename: string
    }

/** Encode a block as a text or a file. Values become JSON, and links and media by URL become the URL. */
export function encodeBlock(block: ContentBlock): EncodedBlock {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if ('value' in block) return { type: 'text', text: JSON.stringify(block.value) ?? 'null' }
  if (block.type === 'link' || block.data === undefined) return { type: 'text', text: block.url }
  const { type, mediaType, name: filename = `content${extensionForContentType(mediaType)}` } = block
  return { type, mediaType, data: encodeBase64(block.data), filename }
}

/** The origin of a text, from the fields of a framework's part. Values that are not strings are ignored. */
export interface TextOrigin {
  /** A file name, title or URI. */
  readonly name?: unknown
  /** A MIME type. */
  readonly mediaType?: unknown
  /** A few words about the content. */
  readonly context?: unknown
}

/** Make a text block with a name, a type and a context. */
export function textBlock(text: string, origin: TextOrigin): TextBlock {
  const { name, mediaType, context } = origin
  const said = Object.entries({ name, mediaType, context }).filter(([, value]) => typeof value === 'string')
  return { type: 'text', text, ...Object.fromEntries(said) }
}

/** Keys that may hold a name, the most reliable first. */
const NAMES = ['filename', 'name', 'title', 'uri']

/** Find the name in a part or its metadata: a file name, title or URI. */
export function nameOfPart(part: unknown): string | undefined {
  const fields = Object(part) as Readonly<Record<string, unknown>>
  const name = NAMES.map((key) => fields[key]).find((value) => typeof value === 'string' && value !== '')
  return name as string | undefined
}
