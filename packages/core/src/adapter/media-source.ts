import { decodeBase64, encodeBase64 as encode, type MediaBlock, mediaKind } from '@spillway/text/internal'
import { isContentType } from '../storage/assert-input.ts'

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
