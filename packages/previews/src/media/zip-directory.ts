import type { ByteView, MediaFormat } from '@spillway/text/internal'

/** A comment after the end record has at most 65,535 bytes. */
const END_RECORD = 22
const MAX_COMMENT = 65_535

/** What the directory of a ZIP file tells (APPNOTE.TXT, sections 4.3 and 4.4). */
export interface ZipDirectory {
  /** Entries that are no folders; absent where the directory is not what its end record says. */
  readonly files: number | undefined
  /** The format that its names give away: a ZIP file is also what office documents and Java archives are. */
  readonly format: ZipFormat
}

/** Formats that are ZIP files. */
export type ZipFormat = 'zip' | 'docx' | 'xlsx' | 'pptx' | 'odt' | 'ods' | 'odp' | 'epub' | 'jar'

const OOXML = 'application/vnd.openxmlformats-officedocument'

/** The formats with their types. */
export const ZIP_FORMATS: Readonly<Record<ZipFormat, MediaFormat>> = {
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

/** Parts that OOXML (ECMA-376) and Java archives have. ODF and EPUB begin with their type, in a file `mimetype`. */
const PARTS: readonly (readonly [name: string, format: ZipFormat])[] = [
  ['word/document.xml', 'docx'],
  ['xl/workbook.xml', 'xlsx'],
  ['ppt/presentation.xml', 'pptx'],
  ['META-INF/MANIFEST.MF', 'jar'],
]
const TYPED: readonly ZipFormat[] = ['odt', 'ods', 'odp', 'epub']

/** Read the directory at the end of a ZIP file. */
export function readZipDirectory(view: ByteView): ZipDirectory {
  const typed = view.has(30, 'mimetype') ? TYPED.find((each) => view.has(38, ZIP_FORMATS[each].mediaType)) : undefined
  let format: ZipFormat = typed ?? 'zip'
  const end = view.lastIndexOf('PK\x05\x06', view.length - END_RECORD, view.length - END_RECORD - MAX_COMMENT)
  if (end < 0) return { files: undefined, format }
  let entries = view.uint16(end + 10, true)
  let at = view.uint32(end + 16, true)
  // ZIP64: where the end record is too small for the numbers, another one has them.
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
