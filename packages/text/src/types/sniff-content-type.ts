import { decodeText, textEncodingOf } from '../lines/text-encoding.ts'
import { isTextContentType, mayBeText } from './content-types.ts'

/** Number of first bytes to search for a zero byte, which all binary media formats except PDF have there. */
const SNIFFED_BYTES = 8_192

/**
 * Detect the content type of bytes from their start: a known media format, `text/plain` for text in any encoding, or
 * `application/octet-stream`.
 *
 * Text may contain NULs, for example in logs and lists of files. UTF-16 is detected even without a byte order mark.
 *
 * @example
 * ```ts
 * import { sniffContentType } from '@spillway/text'
 *
 * console.assert(sniffContentType(new TextEncoder().encode('%PDF-1.7')) === 'application/pdf')
 * console.assert(sniffContentType(new TextEncoder().encode('a few words')) === 'text/plain')
 * ```
 */
export function sniffContentType(bytes: Uint8Array): string {
  const format = mediaFormatOf(bytes)
  const isText = textEncodingOf(bytes) !== undefined
  // A text may begin like a media format, but contains no zero byte.
  if (isText && format?.name !== 'pdf' && (format === undefined || !bytes.subarray(0, SNIFFED_BYTES).includes(0)))
    return 'text/plain'
  return format?.mediaType ?? 'application/octet-stream'
}

interface DocumentText {
  readonly text: string
  readonly contentType: string
}

/** Decode a text document. Returns `undefined` if the document is empty, binary, or declared as binary. */
export function documentText(data: Uint8Array, mediaType: string): DocumentText | undefined {
  if (data.length === 0 || !mayBeText(mediaType) || sniffContentType(data) !== 'text/plain') return undefined
  const text = decodeText(data)
  if (text === undefined) return undefined
  return { text: text.replace(/^\ufeff/, ''), contentType: isTextContentType(mediaType) ? mediaType : 'text/plain' }
}

/** A media format that is detected from its first bytes. */
export interface MediaFormat {
  /** Short common name in lower case. */
  readonly name: string
  readonly mediaType: string
  /** Other MIME types for the same format. */
  readonly alike?: readonly string[]
}

/** A format with its signatures and their byte positions. Signatures are written in Latin-1. */
type Signature = readonly [format: MediaFormat, ...signatures: (readonly [at: number, text: string])[]]

const format = (name: string, mediaType: string, ...alike: string[]): MediaFormat => ({ name, mediaType, alike })

/** Signatures of formats. All signatures of an entry must match. */
const SIGNATURES: readonly Signature[] = [
  [format('png', 'image/png'), [0, '\x89PNG\r\n\x1a\n']],
  [format('jpeg', 'image/jpeg'), [0, '\xff\xd8\xff']],
  [format('gif', 'image/gif'), [0, 'GIF87a']],
  [format('gif', 'image/gif'), [0, 'GIF89a']],
  [format('webp', 'image/webp'), [0, 'RIFF'], [8, 'WEBP']],
  [format('tiff', 'image/tiff'), [0, 'II*\0']],
  [format('tiff', 'image/tiff'), [0, 'MM\0*']],
  [format('psd', 'image/vnd.adobe.photoshop'), [0, '8BPS\0\x01']],
  [format('jxl', 'image/jxl'), [0, '\0\0\0\x0cJXL \r\n\x87\n']],
  [format('jp2', 'image/jp2'), [0, '\0\0\0\x0cjP  \r\n\x87\n']],
  [format('wav', 'audio/wav'), [0, 'RIFF'], [8, 'WAVE']],
  [format('flac', 'audio/flac'), [0, 'fLaC']],
  [format('opus', 'audio/ogg', 'audio/opus', 'application/ogg'), [0, 'OggS'], [28, 'OpusHead']],
  [format('ogg', 'audio/ogg', 'video/ogg', 'application/ogg', 'audio/vorbis'), [0, 'OggS\0']],
  [format('mp3', 'audio/mpeg'), [0, 'ID3\x02']],
  [format('mp3', 'audio/mpeg'), [0, 'ID3\x03']],
  [format('mp3', 'audio/mpeg'), [0, 'ID3\x04']],
  [format('aiff', 'audio/aiff'), [0, 'FORM'], [8, 'AIF']],
  [format('midi', 'audio/midi'), [0, 'MThd\0\0\0\x06']],
  [format('avi', 'video/x-msvideo', 'video/avi', 'video/vnd.avi'), [0, 'RIFF'], [8, 'AVI ']],
  [format('flv', 'video/x-flv'), [0, 'FLV\x01']],
  [format('mpeg', 'video/mpeg'), [0, '\0\0\x01\xba']],
  [format('wmv', 'video/x-ms-wmv', 'audio/x-ms-wma'), [0, '\x30\x26\xb2\x75\x8e\x66\xcf\x11']],
  [format('pdf', 'application/pdf'), [0, '%PDF-']],
  [format('zip', 'application/zip'), [0, 'PK\x03\x04']],
  [format('zip', 'application/zip'), [0, 'PK\x05\x06']],
  [format('gzip', 'application/gzip'), [0, '\x1f\x8b\x08']],
  [format('bzip2', 'application/x-bzip2'), [0, 'BZh'], [4, '1AY&SY']],
  [format('xz', 'application/x-xz'), [0, '\xfd7zXZ\0']],
  [format('zstd', 'application/zstd'), [0, '\x28\xb5\x2f\xfd']],
  [format('7z', 'application/x-7z-compressed'), [0, '7z\xbc\xaf\x27\x1c']],
  [format('rar', 'application/vnd.rar', 'application/x-rar-compressed'), [0, 'Rar!\x1a\x07']],
  [format('tar', 'application/x-tar'), [257, 'ustar\0']],
  [format('tar', 'application/x-tar'), [257, 'ustar  \0']],
  [format('sqlite', 'application/vnd.sqlite3'), [0, 'SQLite format 3\0']],
  [format('parquet', 'application/vnd.apache.parquet'), [0, 'PAR1\x15']],
  [format('arrow', 'application/vnd.apache.arrow.file'), [0, 'ARROW1\0\0']],
  [format('hdf5', 'application/x-hdf5'), [0, '\x89HDF\r\n\x1a\n']],
  [format('npy', 'application/x-npy'), [0, '\x93NUMPY']],
  [format('wasm', 'application/wasm'), [0, '\0asm']],
  [format('elf', 'application/x-elf', 'application/x-executable', 'application/x-sharedlib'), [0, '\x7fELF']],
  [format('mach-o', 'application/x-mach-binary'), [0, '\xcf\xfa\xed\xfe']],
  [format('java class', 'application/java-vm'), [0, '\xca\xfe\xba\xbe\0\0\0']],
  [
    format(
      'ole',
      'application/x-ole-storage',
      'application/msword',
      'application/vnd.ms-excel',
      'application/vnd.ms-powerpoint',
      'application/vnd.ms-outlook',
    ),
    [0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ],
  [format('woff2', 'font/woff2'), [0, 'wOF2']],
  [format('woff', 'font/woff'), [0, 'wOFF']],
]

const BRANDS: readonly (readonly [brand: string, format: MediaFormat])[] = [
  ['avif', format('avif', 'image/avif')],
  ['avis', format('avif', 'image/avif')],
  ['hei', format('heic', 'image/heic', 'image/heif')],
  ['hev', format('heic', 'image/heic', 'image/heif')],
  ['mif1', format('heic', 'image/heic', 'image/heif')],
  ['msf1', format('heic', 'image/heic', 'image/heif')],
  ['qt  ', format('mov', 'video/quicktime')],
  ['M4A', format('m4a', 'audio/mp4', 'audio/aac')],
  ['M4B', format('m4a', 'audio/mp4')],
  ['3g', format('3gpp', 'video/3gpp', 'audio/3gpp')],
]
const MP4 = format('mp4', 'video/mp4', 'audio/mp4')
const MP3 = format('mp3', 'audio/mpeg')
const SVG = format('svg', 'image/svg+xml')
const BMP = format('bmp', 'image/bmp')
const ICO = format('ico', 'image/vnd.microsoft.icon')
const WEBM = format('webm', 'video/webm', 'audio/webm')
const MATROSKA = format('matroska', 'video/x-matroska', 'audio/x-matroska')
const EXE = format('exe', 'application/vnd.microsoft.portable-executable')
/** Sizes of the bitmap header in OS/2 versions 1 and 2, and Windows versions 3, its extensions, 4 and 5. */
const BMP_HEADERS: ReadonlySet<number> = new Set([12, 40, 52, 56, 64, 108, 124])

/** Detect a media format from its first bytes. Returns `undefined` for text and unknown formats. */
export function mediaFormatOf(bytes: Uint8Array): MediaFormat | undefined {
  const view = new ByteView(bytes.subarray(0, 8_192))
  const known = SIGNATURES.find(([, ...parts]) => parts.every(([at, text]) => view.has(at, text)))
  if (known !== undefined) return known[0]
  if (view.has(4, 'ftyp')) return isoFormat(view)
  if (view.has(0, '\x1a\x45\xdf\xa3')) return view.text(0, 64).includes('webm') ? WEBM : MATROSKA
  if (view.has(0, 'BM') && BMP_HEADERS.has(view.uint32(14, true))) return BMP
  if (view.has(0, '\0\0\x01\0') && isIcon(view)) return ICO
  if (view.has(0, 'MZ') && view.has(view.uint32(60, true), 'PE\0\0')) return EXE
  // First bytes of MPEG-1 and MPEG-2 frames, layer III. No text begins with them, since a UTF-16 mark is FF FE.
  if (view.uint8(0) === 0xff && [0xfb, 0xfa, 0xf3, 0xf2, 0xe3, 0xe2].includes(view.uint8(1))) return MP3
  return isSvg(view) ? SVG : undefined
}

function isoFormat(view: ByteView): MediaFormat {
  const brands = [8, 16, 20, 24].map((at) => view.text(at, 4))
  const major = brands[0]!
  // `mif1` only means a still picture. The other brands name the format.
  if (major === 'mif1' && brands.includes('avif')) return BRANDS[0]![1]
  return BRANDS.find(([brand]) => major.startsWith(brand))?.[1] ?? MP4
}

const isIcon = (view: ByteView): boolean =>
  view.uint16(4, true) > 0 && view.uint8(9) === 0 && view.uint32(18, true) >= 6 + view.uint16(4, true) * 16

function isSvg(view: ByteView): boolean {
  const start = view.text(0, 4_096)
  if (start.includes('\0') || !/^(?:\xef\xbb\xbf)?\s{0,64}<(?:\?xml|!DOCTYPE svg|!--|svg)/.test(start)) return false
  const first = /<[a-zA-Z][\w:]{0,32}/.exec(withoutComments(start))
  return first?.[0] === '<svg' || first?.[0] === '<svg:svg'
}

/** Reads numbers and text from bytes that may be cut off. After the end, a number is `NaN` and a text is empty. */
export class ByteView {
  readonly length: number
  readonly #bytes: Uint8Array
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.length = bytes.byteLength
  }

  uint8(at: number): number {
    return this.#within(at, 1) ? this.#view.getUint8(at) : Number.NaN
  }

  uint16(at: number, littleEndian = false): number {
    return this.#within(at, 2) ? this.#view.getUint16(at, littleEndian) : Number.NaN
  }

  uint32(at: number, littleEndian = false): number {
    return this.#within(at, 4) ? this.#view.getUint32(at, littleEndian) : Number.NaN
  }

  text(at: number, length: number): string {
    if (!this.#within(at, 0)) return ''
    let text = ''
    const end = Math.min(at + length, this.length)
    for (let index = at; index < end; index++) text += String.fromCharCode(this.#bytes[index]!)
    return text
  }

  has(at: number, signature: string): boolean {
    if (!this.#within(at, signature.length)) return false
    for (let index = 0; index < signature.length; index++)
      if (this.#bytes[at + index] !== signature.charCodeAt(index)) return false
    return true
  }

  #within(at: number, size: number): boolean {
    return at >= 0 && at + size <= this.length && Number.isInteger(at)
  }
}

/** Remove comments from the start of an XML text. A comment without an end is removed to the end of the text. */
export function withoutComments(text: string): string {
  let rest = text
  for (let start = rest.indexOf('<!--'); start >= 0; start = rest.indexOf('<!--', start)) {
    const end = rest.indexOf('-->', start + 4)
    rest = rest.slice(0, start) + (end < 0 ? '' : rest.slice(end + 3))
  }
  return rest
}
