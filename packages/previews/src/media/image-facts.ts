import { type ByteView, withoutComments } from '@spillway/text/internal'

/** Returns `800 × 600`, or nothing if unknown. */
function dimensions(width: number, height: number): string[] {
  return width > 0 && height > 0 ? [`${width} × ${height}`] : []
}

/** JPEG markers that begin a frame: ITU-T T.81, table B.1, without DHT (C4), JPG (C8), and DAC (CC). */
const isFrameMarker = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** IHDR comes first (PNG specification, section 11.2.1). */
export const pngFacts = (view: ByteView): string[] =>
  view.has(12, 'IHDR') ? dimensions(view.uint32(16), view.uint32(20)) : []

/** The logical screen of GIF89a. */
export const gifFacts = (view: ByteView): string[] => dimensions(view.uint16(6, true), view.uint16(8, true))

export function jpegFacts(view: ByteView): string[] {
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
export function webpFacts(view: ByteView): string[] {
  if (view.has(12, 'VP8X')) return dimensions(uint24(view, 24) + 1, uint24(view, 27) + 1)
  if (view.has(12, 'VP8L')) {
    const bits = view.uint32(21, true)
    return dimensions((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
  }
  return view.has(12, 'VP8 ') ? dimensions(view.uint16(26, true) & 0x3fff, view.uint16(28, true) & 0x3fff) : []
}

const uint24 = (view: ByteView, at: number): number => view.uint16(at, true) + view.uint8(at + 2) * 65_536

/** A negative height means rows from the top. */
export function bmpFacts(view: ByteView): string[] {
  if (view.uint32(14, true) === 12) return dimensions(view.uint16(18, true), view.uint16(20, true))
  return dimensions(view.uint32(18, true) | 0, Math.abs(view.uint32(22, true) | 0))
}

/** ImageWidth and ImageLength of the first directory (TIFF 6.0, section 2). */
export function tiffFacts(view: ByteView): string[] {
  const littleEndian = view.has(0, 'II')
  const directory = view.uint32(4, littleEndian)
  const entries = view.uint16(directory, littleEndian)
  const sides = [0, 0]
  for (let index = 0; index < entries; index++) {
    const at = directory + 2 + index * 12
    const tag = view.uint16(at, littleEndian)
    if (tag !== 256 && tag !== 257) continue
    const isShort = view.uint16(at + 2, littleEndian) === 3
    sides[tag - 256] = isShort ? view.uint16(at + 8, littleEndian) : view.uint32(at + 8, littleEndian)
  }
  return dimensions(sides[0]!, sides[1]!)
}

/** The largest picture; 0 means 256. */
export function icoFacts(view: ByteView): string[] {
  let width = 0
  let height = 0
  for (let index = 0; index < view.uint16(4, true); index++) {
    const at = 6 + index * 16
    const [wide, high] = [view.uint8(at) || 256, view.uint8(at + 1) || 256]
    if (Number.isNaN(view.uint8(at + 1)) || wide * high <= width * height) continue
    width = wide
    height = high
  }
  return dimensions(width, height)
}

/** The largest `ispe` property: tiles and thumbnails are smaller (ISO/IEC 23008-12). */
export function heifFacts(view: ByteView): string[] {
  const meta = findBox(view, 'meta', 0, view.length)
  // `meta` has a version and flags before its boxes.
  const properties = meta && findBox(view, 'iprp', meta.start + 4, meta.end)
  const container = properties && findBox(view, 'ipco', properties.start, properties.end)
  let width = 0
  let height = 0
  for (const box of container === undefined ? [] : boxesWithin(view, container.start, container.end)) {
    if (box.type !== 'ispe') continue
    const [wide, high] = [view.uint32(box.start + 4), view.uint32(box.start + 8)]
    if (!(wide * high > width * height)) continue
    width = wide
    height = high
  }
  return dimensions(width, height)
}

export const psdFacts = (view: ByteView): string[] => dimensions(view.uint32(18), view.uint32(14))

/** Returns pixels, else the view box, else nothing. */
export function svgFacts(view: ByteView): string[] {
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

/** A box of an ISO base media file (ISO/IEC 14496-12). */
interface IsoBox {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** The index of a file comes early: first in fragmented files, or after a few boxes. */
const MAX_BOXES = 65_536

/** Ends early if the bytes or the boxes do, or after very many boxes. */
function* boxesWithin(view: ByteView, start: number, end: number): Generator<IsoBox> {
  for (let at = start, count = 0; at + 8 <= end && count < MAX_BOXES; count++) {
    const size = view.uint32(at)
    const isLarge = size === 1
    const length = isLarge ? view.uint64(at + 8) : size === 0 ? end - at : size
    const header = isLarge ? 16 : 8
    if (!(length >= header)) return
    yield { type: view.text(at + 4, 4), start: at + header, end: Math.min(at + length, end) }
    at += length
  }
}

function findBox(view: ByteView, type: string, start: number, end: number): IsoBox | undefined {
  for (const box of boxesWithin(view, start, end)) if (box.type === type) return box
  return undefined
}
