import {
  decodeBase64,
  encodeBase64 as encode,
  extensionForContentType,
  mediaKind,
  type ContentBlock,
  type MediaBlock,
  type TextBlock,
} from '@spillway/text/internal'
import { isContentType } from '../storage/reference.ts'

const DATA_SCHEME = /^data:/i
const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),/i
const BASE64_MARK = /;base64$/i

/** Line breaks and blanks may stand anywhere in Base64, and its padding may be left out (RFC 4648, section 3). */
const BASE64_BLANKS = /[\s=]+/g

/** How files of common types begin, as Latin-1. */
const SIGNATURES: readonly (readonly [type: string, beginning: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  ['audio/wav', /^RIFF[^]{4}WAVE/],
  ['audio/mpeg', /^(?:ID3|\xff[\xe2-\xff])/],
  ['video/mp4', /^[^]{4}ftyp/],
  ['application/pdf', /^%PDF-/],
]

/**
 * Make a block of media that a framework hands over as data: bytes, Base64 (plain or URL-safe), or a `data:` URL.
 *
 * A type without a subtype, such as `image` or `image/*`, is completed by the signature of the bytes;
 * `application/octet-stream` stands for what has none, as content is stored under a full type only. Returns `undefined`
 * for what is none of these: such a part is best passed on as it is, as an unknown block.
 *
 * @param mediaType - A MIME type; it decides whether the block is an image, sound, video or document.
 *
 * @example
 * ```ts
 * import { mediaFromData } from '@spillway/core/adapter'
 *
 * const block = mediaFromData('image/*', 'iVBORw0KGgo=')
 * console.assert(block?.type === 'image' && block.mediaType === 'image/png' && block.data?.length === 8)
 * console.assert(mediaFromData('image/png', 'not base64!') === undefined)
 * ```
 */
export function mediaFromData(mediaType: string, data: unknown, name?: string): MediaBlock | undefined {
  if (data instanceof Uint8Array) return mediaFromBytes(mediaType, data, name)
  if (data instanceof ArrayBuffer) return mediaFromBytes(mediaType, new Uint8Array(data), name)
  if (typeof data !== 'string') return undefined
  return DATA_SCHEME.test(data) ? mediaFromUrl(mediaType, data, name) : mediaFromBase64(mediaType, data, name)
}

/**
 * Make a block of media that a framework hands over by URL; the content of a `data:` URL (RFC 2397) becomes its bytes.
 *
 * Returns `undefined` for a `data:` URL that cannot be read.
 *
 * @param mediaType - A MIME type, such as `image/png`; that of a `data:` URL goes before it.
 *
 * @example
 * ```ts
 * import { mediaFromUrl } from '@spillway/core/adapter'
 *
 * console.assert(mediaFromUrl('image/png', 'https://example.com/chart.png')?.url === 'https://example.com/chart.png')
 * console.assert(mediaFromUrl('image/*', 'data:image/png;base64,iVBORw0KGgo=')?.data?.length === 8)
 * ```
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

/**
 * Write bytes as Base64 (RFC 4648, section 4), as frameworks take media.
 *
 * @example
 * ```ts
 * import { encodeBase64 } from '@spillway/core/adapter'
 *
 * console.assert(encodeBase64(new Uint8Array([104, 105])) === 'aGk=')
 * ```
 */
export function encodeBase64(bytes: Uint8Array): string {
  return encode(bytes)
}

function mediaFromBase64(mediaType: string, base64: string, name: string | undefined): MediaBlock | undefined {
  const data = decodeBase64(base64)
  const digits = base64.replaceAll(BASE64_BLANKS, '').length
  // Decoders skip what they do not know, so only the length tells whether all of it was read.
  if (data === undefined || digits % 4 === 1 || data.length !== Math.floor((digits * 3) / 4)) return undefined
  return mediaFromBytes(mediaType, data, name)
}

function mediaFromBytes(mediaType: string, data: Uint8Array, name: string | undefined): MediaBlock {
  const full = isContentType(mediaType) ? mediaType : (signedType(data) ?? 'application/octet-stream')
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

function signedType(data: Uint8Array): string | undefined {
  const beginning = String.fromCharCode(...data.subarray(0, 12))
  return SIGNATURES.find(([, signature]) => signature.test(beginning))?.[0]
}

/** A block as text, or as Base64 with what frameworks want to know of a file. */
export type EncodedBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: MediaBlock['type']
      readonly mediaType: string
      readonly data: string
      /** The name of the block, or one with the extension of its type, as many providers take no file without a name. */
      readonly filename: string
    }

/**
 * Write a block for a framework whose parts are texts and files: media that come as bytes become Base64, anything else
 * becomes text.
 *
 * Values become JSON, links and media by URL their URL.
 *
 * @example
 * ```ts
 * import { encodeBlock } from '@spillway/core/adapter'
 *
 * const part = encodeBlock({ type: 'document', mediaType: 'application/pdf', data: new Uint8Array([104, 105]) })
 * console.assert(part.type === 'document' && part.data === 'aGk=' && part.filename === 'content.pdf')
 * const value = encodeBlock({ type: 'json', value: [1] })
 * console.assert(value.type === 'text' && value.text === '[1]')
 * ```
 */
export function encodeBlock(block: ContentBlock): EncodedBlock {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if ('value' in block) return { type: 'text', text: JSON.stringify(block.value) ?? 'null' }
  if (block.type === 'link' || block.data === undefined) return { type: 'text', text: block.url }
  const { type, mediaType, name: filename = `content${extensionForContentType(mediaType)}` } = block
  return { type, mediaType, data: encodeBase64(block.data), filename }
}

/** What a framework's part says of its text, under whatever types: what is no text is left out. */
export interface TextOrigin {
  /** A file name, title or URI. */
  readonly name?: unknown
  /** A MIME type. */
  readonly mediaType?: unknown
  /** A few words on the content, such as where it comes from. */
  readonly context?: unknown
}

/**
 * Make a block of a text with the name, type and context that its part in a framework has.
 *
 * @example
 * ```ts
 * import { textBlock } from '@spillway/core/adapter'
 *
 * const block = textBlock('# Notes', { name: 'notes.md', mediaType: 'text/markdown', context: null })
 * console.assert(block.name === 'notes.md' && !('context' in block))
 * ```
 */
export function textBlock(text: string, origin: TextOrigin): TextBlock {
  const { name, mediaType, context } = origin
  const said = Object.entries({ name, mediaType, context }).filter(([, value]) => typeof value === 'string')
  return { type: 'text', text, ...Object.fromEntries(said) }
}

/** Keys under which frameworks name a part, the most telling first. */
const NAMES = ['filename', 'name', 'title', 'uri']

/**
 * Find the name of a part, or of its metadata: a file name, title or URI. Returns `undefined` if it has none.
 *
 * @example
 * ```ts
 * import { nameOfPart } from '@spillway/core/adapter'
 *
 * console.assert(nameOfPart({ uri: 'file:///notes.md', title: 'Notes' }) === 'Notes')
 * console.assert(nameOfPart({ name: 7 }) === undefined)
 * ```
 */
export function nameOfPart(part: unknown): string | undefined {
  const fields = Object(part) as Readonly<Record<string, unknown>>
  const name = NAMES.map((key) => fields[key]).find((value) => typeof value === 'string' && value !== '')
  return name as string | undefined
}
