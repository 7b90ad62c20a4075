import {
  extensionForContentType,
  contentTypeEssence,
  ByteView,
  mediaFormatOf,
  type MediaFormat,
} from '@spillway/text/internal'
import * as images from './image-facts.ts'
import { counted } from './media-facts.ts'
import { mp3Facts } from './mp3-facts.ts'
import { countPdfPages } from './pdf-pages.ts'
import { flacFacts, oggFacts, wavFacts } from './sound-facts.ts'
import { countTarFiles } from './tar-files.ts'
import { aviFacts, mp4Facts } from './video-facts.ts'
import { readZipDirectory, ZIP_FORMATS } from './zip-directory.ts'

/** Reads what the bytes of one format tell; `size` is that of the whole, of which the view may be the beginning. */
type ReadFacts = (view: ByteView, size: number) => readonly string[]

const FACTS: Readonly<Record<string, ReadFacts>> = {
  png: images.pngFacts,
  jpeg: images.jpegFacts,
  gif: images.gifFacts,
  webp: images.webpFacts,
  bmp: images.bmpFacts,
  tiff: images.tiffFacts,
  ico: images.icoFacts,
  psd: images.psdFacts,
  avif: images.heifFacts,
  heic: images.heifFacts,
  svg: images.svgFacts,
  wav: wavFacts,
  flac: flacFacts,
  mp3: mp3Facts,
  ogg: oggFacts,
  opus: oggFacts,
  mp4: mp4Facts,
  m4a: mp4Facts,
  mov: mp4Facts,
  '3gpp': mp4Facts,
  avi: aviFacts,
  pdf: (view, size) => (view.length === size ? counted(countPdfPages(view), 'page') : []),
  tar: (view, size) => (view.length === size ? counted(countTarFiles(view), 'file') : []),
}

/**
 * Say in a few words what media are, by their bytes: the format, where the declared type does not say it, and dimensions,
 * length, pages or files where they tell. `undefined` where they tell nothing.
 *
 * @param bytes - The whole, or its beginning.
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
  // Other formats are ZIP files too: only a type of something else is contradicted.
  const declared = format === 'zip' && isArchive(mediaType) ? [] : contradiction(ZIP_FORMATS[format], mediaType)
  return join([...declared, ...counted(files, 'file')])
}

/** The format, where the declared type is a general or another one. */
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

const join = (facts: readonly string[]): string | undefined => (facts.length === 0 ? undefined : facts.join(', '))
