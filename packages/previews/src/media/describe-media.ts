import {
  ByteView,
  contentTypeEssence,
  extensionForContentType,
  mediaFormatOf,
  type MediaFormat,
  withoutComments,
} from '@spillway/text/internal'

/** Return text such as `800 × 600`, or an empty list if a number is unknown. */
function dimensions(width: number, height: number): string[] {
  return width > 0 && height > 0 ? [`${width} × ${height}`] : []
}

/** Whether a JPEG marker starts a frame: ITU-T T.81, table B.1, without DHT (C4), JPG (C8), and DAC (CC). */
const isFrameMarker = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Reads IHDR, which is the first chunk (PNG specification, section 11.2.1). */
const pngFacts = (view: ByteView): string[] =>
  view.has(12, 'IHDR') ? dimensions(view.uint32(16), view.uint32(20)) : []

/** Reads the logical screen (GIF89a). */
const gifFacts = (view: ByteView): string[] => dimensions(view.uint16(6, true), view.uint16(8, true))

function jpegFacts(view: ByteView): string[] {
  for (let at = 2; at < view.length;) {
    if (view.uint8(at) !== 0xff) return []
    const marker = view.uint8(at + 1)
    if (isFrameMarker(marker)) return dimensions(view.uint16(at + 7), view.uint16(at + 5))
    // Fill bytes and markers without a length. The image data begin at SOS.
    if (marker === 0xff) at++
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2
    else if (marker === 0xda || marker === 0xd9) return []
    else at += 2 + Math.max(2, view.uint16(at + 2) || 2)
  }
  return []
}

/** RFC 9649, section 2. */
function webpFacts(view: ByteView): string[] {
  if (view.has(12, 'VP8X')) return dimensions(uint24(view, 24) + 1, uint24(view, 27) + 1)
  if (view.has(12, 'VP8L')) {
    const bits = view.uint32(21, true)
    return dimensions((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
  }
  return view.has(12, 'VP8 ') ? dimensions(view.uint16(26, true) & 0x3fff, view.uint16(28, true) & 0x3fff) : []
}

const uint24 = (view: ByteView, at: number): number => view.uint16(at, true) + view.uint8(at + 2) * 65_536

/** Returns the size in pixels, or the view box, or nothing. */
function svgFacts(view: ByteView): string[] {
  const start = withoutComments(view.text(0, 8_192))
  const from = start.indexOf('<svg')
  const end = start.indexOf('>', from)
  if (from < 0 || end < 0) return []
  const tag = start.slice(from, end)
  const side = (name: string): number =>
    Number(new RegExp(`\\s${name}=["'](\\d{1,9}(?:\\.\\d{1,9})?)(?:px)?["']`).exec(tag)?.[1])
  const size = dimensions(side('width'), side('height'))
  if (size.length > 0) return size
  const box = /\sviewBox=["']\s{0,9}\S{1,20}[\s,]{1,9}\S{1,20}[\s,]{1,9}([\d.]{1,20})[\s,]{1,9}([\d.]{1,20})/.exec(tag)
  return box === null ? [] : dimensions(Number(box[1]), Number(box[2]))
}

const FACTS: Readonly<Record<string, (view: ByteView) => readonly string[]>> = {
  png: pngFacts,
  jpeg: jpegFacts,
  gif: gifFacts,
  webp: webpFacts,
  svg: svgFacts,
}

/**
 * Describe media in a few words by their bytes: the format, unless it is declared, and the dimensions of an image.
 * Returns `undefined` if both are unknown.
 *
 * @param bytes - All bytes, or the start.
 */
export function describeMedia(bytes: Uint8Array, mediaType: string): string | undefined {
  const format = mediaFormatOf(bytes)
  // Office documents and Java archives are ZIP files too.
  if (format === undefined || (format.name === 'zip' && isArchive(mediaType))) return undefined
  const facts = [...contradiction(format, mediaType), ...(FACTS[format.name]?.(new ByteView(bytes)) ?? [])]
  return facts.length === 0 ? undefined : facts.join(', ')
}

/** Returns the format if the declared type is too general or wrong. */
function contradiction({ name, mediaType, alike = [] }: MediaFormat, declared: string): string[] {
  if (isGeneric(declared)) return [name]
  const essence = contentTypeEssence(declared)
  if (essence === mediaType || alike.includes(essence)) return []
  const extension = extensionForContentType(declared)
  if (extension === '.bin') return [name]
  return extension === extensionForContentType(mediaType) ? [] : [`in fact ${name}`]
}

const isGeneric = (mediaType: string): boolean =>
  ['application/octet-stream', 'binary/octet-stream', ''].includes(contentTypeEssence(mediaType))

const isArchive = (mediaType: string): boolean =>
  !isGeneric(mediaType) && !/^(?:image|audio|video|text)\/|\/(?:pdf|json)$/.test(contentTypeEssence(mediaType))
