import { contentTypeEssence } from '@spillway/text/internal'

/** Types whose content is compressed by their own format, beside those below. */
const COMPRESSED: ReadonlySet<string> = new Set([
  'application/epub+zip',
  'application/gzip',
  'application/java-archive',
  'application/pdf',
  'application/vnd.apache.parquet',
  'application/vnd.rar',
  'application/x-7z-compressed',
  'application/x-brotli',
  'application/x-bzip2',
  'application/x-gzip',
  'application/x-xz',
  'application/x-zip-compressed',
  'application/zip',
  'application/zstd',
  'font/woff',
  'font/woff2',
])
const FAMILIES =
  /^(?:audio|video)\/|^application\/vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.|\+(?:zip|gzip)$/
/** Images that are not compressed, or hardly. */
const PLAIN_IMAGE = /^image\/(?:svg\+xml|bmp|x-ms-bmp|x-portable-\w+|vnd\.microsoft\.icon|x-icon)$/
const PLAIN_AUDIO = /^audio\/(?:wav|wave|x-wav|vnd\.wave)$/

/** Tell whether content of this type is compressed already, so that doing it once more would only take time. */
export function isCompressedType(contentType: string): boolean {
  const type = contentTypeEssence(contentType)
  if (PLAIN_IMAGE.test(type) || PLAIN_AUDIO.test(type)) return false
  return COMPRESSED.has(type) || FAMILIES.test(type) || type.startsWith('image/')
}
