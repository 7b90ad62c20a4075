import { decodeBase64, encodeBase64 as encode } from '#platform'
import type { MediaBlock } from '../content/content-block.ts'

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),/i
const BASE64_MARK = /;base64$/i

/** Line breaks and blanks may stand anywhere in Base64, and its padding may be left out (RFC 4648, section 3). */
const BASE64_BLANKS = /[\s=]+/g

/** RFC 9110, section 8.3.1. */
const FULL_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/

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
 * Make a block of media that a framework hands over as Base64, plain or URL-safe.
 *
 * Returns `undefined` for what is not Base64: such a part is best passed on as it is, as an unknown block.
 *
 * @param mediaType - A MIME type; it decides whether the block is an image, sound, video or document.
 *
 * @example
 * ```ts
 * import { mediaFromBase64 } from '@spillway/core/adapter'
 *
 * const block = mediaFromBase64('image/png', 'iVBORw0KGgo=')
 * console.assert(block?.type === 'image' && block.data?.length === 8)
 * console.assert(mediaFromBase64('image/png', 'not base64!') === undefined)
 * ```
 */
export function mediaFromBase64(mediaType: string, base64: string, name?: string): MediaBlock | undefined {
  const data = decodeBase64(base64)
  const digits = base64.replaceAll(BASE64_BLANKS, '').length
  // Decoders skip what they do not know, so only the length tells whether all of it was read.
  if (data === undefined || digits % 4 === 1 || data.length !== Math.floor((digits * 3) / 4)) return undefined
  return mediaFromBytes(mediaType, data, name)
}

/**
 * Make a block of media that a framework hands over as bytes.
 *
 * A type without a subtype, such as `image` or `image/*`, is completed by the signature of the bytes;
 * `application/octet-stream` stands for what has none, as content is stored under a full type only.
 *
 * @param mediaType - A MIME type; it decides whether the block is an image, sound, video or document.
 *
 * @example
 * ```ts
 * import { mediaFromBytes } from '@spillway/core/adapter'
 *
 * const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
 * console.assert(mediaFromBytes('image/*', png).mediaType === 'image/png')
 * ```
 */
export function mediaFromBytes(mediaType: string, data: Uint8Array, name?: string): MediaBlock {
  const full = FULL_TYPE.test(mediaType) ? mediaType : (signedType(data) ?? 'application/octet-stream')
  return { type: mediaKind(mediaType), mediaType: full, name, data }
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
  if (!/^data:/i.test(url)) return { type: mediaKind(mediaType), mediaType, name, url }
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

function mediaKind(mediaType: string): MediaBlock['type'] {
  const [kind = ''] = mediaType.toLowerCase().split('/', 1)
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document'
}
