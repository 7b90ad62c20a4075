import {
  ByteView,
  contentTypeEssence,
  extensionForContentType,
  formatCount,
  mediaFormatOf,
  type MediaFormat,
  withoutComments,
} from '@spillway/text/internal'

/** `size` is the whole size, of which `view` may be the start. */
type ReadFacts = (view: ByteView, size: number) => readonly string[]

/** Returns `800 × 600`, or nothing if unknown. */
function dimensions(width: number, height: number): string[] {
  return width > 0 && height > 0 ? [`${width} × ${height}`] : []
}

/** JPEG markers that begin a frame: ITU-T T.81, table B.1, without DHT (C4), JPG (C8), and DAC (CC). */
const isFrameMarker = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** IHDR comes first (PNG specification, section 11.2.1). */
const pngFacts = (view: ByteView): string[] =>
  view.has(12, 'IHDR') ? dimensions(view.uint32(16), view.uint32(20)) : []

/** The logical screen of GIF89a. */
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

/** Returns pixels, else the view box, else nothing. */
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

const FACTS: Readonly<Record<string, ReadFacts>> = {
  png: pngFacts,
  jpeg: jpegFacts,
  gif: gifFacts,
  webp: webpFacts,
  svg: svgFacts,
  pdf: (view, size) => (view.length === size ? counted(countPdfPages(view), 'page') : []),
}

/**
 * Describe media in a few words by their bytes: format, dimensions of an image, pages, or files. Returns `undefined` if
 * unknown.
 *
 * @param bytes - All bytes, or the start.
 * @param size - Bytes of the whole.
 */
export function describeMedia(bytes: Uint8Array, mediaType: string, size: number): string | undefined {
  const format = mediaFormatOf(bytes)
  if (format === undefined) return undefined
  const view = new ByteView(bytes)
  if (format.name === 'zip') return describeZip(view, mediaType, size)
  return join([...contradiction(format, mediaType), ...(FACTS[format.name]?.(view, size) ?? [])])
}

function describeZip(view: ByteView, mediaType: string, size: number): string | undefined {
  if (view.length < size) return join(isGeneric(mediaType) ? ['zip'] : [])
  const { format, files } = readZipDirectory(view)
  // Other formats are ZIP files too: only another type is a contradiction.
  const declared = format === 'zip' && isArchive(mediaType) ? [] : contradiction(ZIP_FORMATS[format], mediaType)
  return join([...declared, ...counted(files, 'file')])
}

/** Returns the format if the declared type is general or wrong. */
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

const counted = (count: number | undefined, noun: string): string[] =>
  count === undefined || !Number.isSafeInteger(count) || count < 0
    ? []
    : [`${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`]

const join = (facts: readonly string[]): string | undefined => (facts.length === 0 ? undefined : facts.join(', '))

/** A comment after the end record has at most 65,535 bytes. */
const END_RECORD = 22
const MAX_COMMENT = 65_535

/** Directory of a ZIP file (APPNOTE.TXT, sections 4.3 and 4.4). */
interface ZipDirectory {
  /** Files without folders; absent if the directory is invalid. */
  readonly files: number | undefined
  /** Office documents and Java archives are ZIP files too. */
  readonly format: ZipFormat
}

type ZipFormat = 'zip' | 'docx' | 'xlsx' | 'pptx' | 'odt' | 'ods' | 'odp' | 'epub' | 'jar'

const OOXML = 'application/vnd.openxmlformats-officedocument'

const ZIP_FORMATS: Readonly<Record<ZipFormat, MediaFormat>> = {
  zip: { name: 'zip', mediaType: 'application/zip' },
  docx: { name: 'docx', mediaType: `${OOXML}.wordprocessingml.document` },
  xlsx: { name: 'xlsx', mediaType: `${OOXML}.spreadsheetml.sheet` },
  pptx: { name: 'pptx', mediaType: `${OOXML}.presentationml.presentation` },
  odt: { name: 'odt', mediaType: 'application/vnd.oasis.opendocument.text' },
  ods: { name: 'ods', mediaType: 'application/vnd.oasis.opendocument.spreadsheet' },
  odp: { name: 'odp', mediaType: 'application/vnd.oasis.opendocument.presentation' },
  epub: { name: 'epub', mediaType: 'application/epub+zip' },
  jar: { name: 'jar', mediaType: 'application/java-archive' },
}

/** Parts of OOXML (ECMA-376) and Java archives. ODF and EPUB begin with a file `mimetype`. */
const PARTS: readonly (readonly [name: string, format: ZipFormat])[] = [
  ['word/document.xml', 'docx'],
  ['xl/workbook.xml', 'xlsx'],
  ['ppt/presentation.xml', 'pptx'],
  ['META-INF/MANIFEST.MF', 'jar'],
]
const TYPED: readonly ZipFormat[] = ['odt', 'ods', 'odp', 'epub']

function readZipDirectory(view: ByteView): ZipDirectory {
  const typed = view.has(30, 'mimetype') ? TYPED.find((each) => view.has(38, ZIP_FORMATS[each].mediaType)) : undefined
  let format: ZipFormat = typed ?? 'zip'
  const end = view.lastIndexOf('PK\x05\x06', view.length - END_RECORD, view.length - END_RECORD - MAX_COMMENT)
  if (end < 0) return { files: undefined, format }
  let entries = view.uint16(end + 10, true)
  let at = view.uint32(end + 16, true)
  // ZIP64: another record holds numbers that are too large for the end record.
  if ((entries === 0xffff || at === 0xffff_ffff) && view.has(end - 20, 'PK\x06\x07')) {
    const large = view.uint64(end - 12, true)
    entries = view.uint64(large + 32, true)
    at = view.uint64(large + 48, true)
  }
  let files = 0
  let seen = 0
  for (; seen < entries && view.has(at, 'PK\x01\x02'); seen++) {
    const nameLength = view.uint16(at + 28, true)
    const isFolder = view.has(at + 45 + nameLength, '/')
    if (!isFolder) files++
    if (format === 'zip')
      format = PARTS.find(([name]) => name.length === nameLength && view.has(at + 46, name))?.[1] ?? 'zip'
    at += 46 + nameLength + view.uint16(at + 30, true) + view.uint16(at + 32, true)
  }
  return { files: seen === entries ? files : undefined, format }
}

/** Bytes from the end that are searched for `startxref`, as readers do. */
const TAIL = 1_024
/** Followed sections of the cross-reference table: each update adds one. */
const MAX_SECTIONS = 32
/** Limit for subsections of a section; real tables have few. */
const MAX_SUBSECTIONS = 1_024
/** Longest object that is read: the page tree's root and the catalog are short. */
const MAX_OBJECT = 4_096

/**
 * Counts pages without unpacking, if certain: from an unchanged linearized file, or from the page tree's root (ISO
 * 32000-1, annex F and section 7.7.3).
 */
function countPdfPages(view: ByteView): number | undefined {
  return linearizedPages(view) ?? treePages(view)
}

function linearizedPages(view: ByteView): number | undefined {
  const start = view.text(0, TAIL)
  if (!/\/Linearized\s/.test(start)) return undefined
  const dictionary = start.slice(0, start.indexOf('endobj'))
  const length = Number(/\/L\s{1,4}(\d{1,15})\b/.exec(dictionary)?.[1])
  const pages = Number(/\/N\s{1,4}(\d{1,9})\b/.exec(dictionary)?.[1])
  return length === view.length && pages > 0 ? pages : undefined
}

function treePages(view: ByteView): number | undefined {
  const tail = view.text(Math.max(0, view.length - TAIL), TAIL)
  const last = tail.lastIndexOf('startxref')
  let section = Number(/^startxref\s{1,4}(\d{1,15})\s/.exec(tail.slice(last))?.[1] ?? Number.NaN)
  const sections: number[] = []
  let root: number | undefined
  while (view.has(section, 'xref') && sections.length < MAX_SECTIONS && !sections.includes(section)) {
    sections.push(section)
    const trailer = trailerOf(view, section)
    // A cross-reference stream beside the table may name newer objects.
    if (trailer === undefined || trailer.includes('/XRefStm')) return undefined
    root ??= referenceIn(trailer, 'Root')
    section = Number(/\/Prev\s{1,4}(\d{1,15})\b/.exec(trailer)?.[1] ?? Number.NaN)
  }
  // Some sections were not followed: objects would be missing.
  if (!Number.isNaN(section) || root === undefined) return undefined
  const pages = referenceIn(objectAt(view, sections, root), 'Pages')
  if (pages === undefined) return undefined
  const tree = objectAt(view, sections, pages)
  const counts = [...tree.matchAll(/\/Count\s{1,4}(\d{1,9})\b(?!\s{1,4}\d{1,9}\s{1,4}R)/g)]
  return /\/Type\s{0,4}\/Pages\b/.test(tree) && counts.length === 1 ? Number(counts[0]![1]) : undefined
}

function* subsections(view: ByteView, section: number): Generator<{ first: number; count: number; at: number }> {
  let at = section + 4
  for (let index = 0; index < MAX_SUBSECTIONS; index++) {
    const head = /^[\s\0]{0,4}(\d{1,10}) (\d{1,10})\s{0,2}[\r\n]/.exec(view.text(at, 40))
    if (head === null) {
      yield { first: 0, count: -1, at }
      return
    }
    const count = Number(head[2])
    at += head[0].length
    yield { first: Number(head[1]), count, at }
    at += count * 20
  }
}

function trailerOf(view: ByteView, section: number): string | undefined {
  for (const { count, at } of subsections(view, section)) {
    if (count >= 0) continue
    const text = view.text(at, MAX_OBJECT)
    const end = text.indexOf('startxref')
    return /^\s{0,4}trailer/.test(text) ? text.slice(0, end < 0 ? undefined : end) : undefined
  }
  return undefined
}

/** Returns the newest version; empty if missing. */
function objectAt(view: ByteView, sections: readonly number[], number: number): string {
  for (const section of sections) {
    for (const { first, count, at } of subsections(view, section)) {
      if (number < first || number >= first + count) continue
      const entry = /^(\d{10}) (\d{5}) ([nf])/.exec(view.text(at + (number - first) * 20, 18))
      if (entry?.[3] !== 'n') return ''
      const text = view.text(Number(entry[1]), MAX_OBJECT)
      const head = new RegExp(`^\\s{0,4}${number} \\d{1,5} obj\\b`).exec(text)
      const end = text.indexOf('endobj')
      return head === null || end < 0 ? '' : text.slice(head[0].length, end)
    }
  }
  return ''
}

const referenceIn = (dictionary: string, key: string): number | undefined => {
  const found = new RegExp(`/${key}\\s{1,4}(\\d{1,10})\\s{1,4}\\d{1,5}\\s{1,4}R\\b`).exec(dictionary)
  return found === null ? undefined : Number(found[1])
}
