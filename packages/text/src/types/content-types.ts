import type { MediaBlock } from './content-block.ts'

/**
 * Content types, each with its file extensions and then its other names. Names of stored files use the first extension,
 * so a change requires a changeset.
 */
const TYPES: readonly (readonly [contentType: string, extension: string, ...names: string[]])[] = [
  ['text/plain', '.txt', '.text'],
  ['application/json', '.json', 'text/json'],
  ['application/x-ndjson', '.ndjson', 'application/ndjson'],
  ['application/jsonl', '.jsonl'],
  ['text/csv', '.csv', 'application/csv'],
  ['text/tab-separated-values', '.tsv'],
  ['text/html', '.html', '.htm'],
  ['application/xhtml+xml', '.xhtml'],
  ['text/markdown', '.md', '.markdown', 'text/x-markdown'],
  ['application/xml', '.xml', 'text/xml'],
  ['application/yaml', '.yaml', '.yml', 'application/x-yaml', 'text/x-yaml', 'text/yaml'],
  ['application/toml', '.toml'],
  ['text/x-log', '.log'],
  ['text/x-diff', '.diff', '.patch', 'text/x-patch'],
  ['text/css', '.css'],
  ['text/javascript', '.js', '.mjs', '.cjs', 'application/javascript', 'application/x-javascript', 'text/ecmascript'],
  ['text/x-typescript', '.ts', '.tsx', '.mts', '.cts', 'application/typescript', 'text/typescript'],
  ['text/x-python', '.py'],
  ['text/x-java', '.java', 'text/x-java-source'],
  ['text/x-kotlin', '.kt'],
  ['text/x-go', '.go'],
  ['text/x-rust', '.rs'],
  ['text/x-ruby', '.rb'],
  ['text/x-php', '.php'],
  ['text/x-csharp', '.cs'],
  ['text/x-swift', '.swift'],
  ['text/x-c', '.c', '.h'],
  ['text/x-c++', '.cpp', '.cc', '.hpp'],
  ['application/x-sh', '.sh', '.bash', 'text/x-sh', 'text/x-shellscript'],
  ['application/sql', '.sql', 'text/x-sql'],
  ['text/x-ini', '.ini', '.conf', '.cfg'],
  ['text/calendar', '.ics'],
  ['text/vcard', '.vcf'],
  ['application/rtf', '.rtf', 'text/rtf'],
  ['message/rfc822', '.eml'],
  ['image/png', '.png'],
  ['image/jpeg', '.jpg', '.jpeg', 'image/jpg'],
  ['image/gif', '.gif'],
  ['image/webp', '.webp'],
  ['image/avif', '.avif'],
  ['image/heic', '.heic'],
  ['image/bmp', '.bmp', 'image/x-ms-bmp'],
  ['image/tiff', '.tiff', '.tif'],
  ['image/vnd.microsoft.icon', '.ico', 'image/x-icon'],
  ['image/svg+xml', '.svg'],
  ['audio/mpeg', '.mp3', 'audio/mp3'],
  ['audio/mp4', '.m4a', 'audio/x-m4a'],
  ['audio/aac', '.aac'],
  ['audio/wav', '.wav', 'audio/vnd.wave', 'audio/wave', 'audio/x-wav'],
  ['audio/flac', '.flac', 'audio/x-flac'],
  ['audio/ogg', '.ogg', '.oga'],
  ['audio/opus', '.opus'],
  ['audio/webm', '.weba'],
  ['video/mp4', '.mp4', '.m4v'],
  ['video/webm', '.webm'],
  ['video/quicktime', '.mov'],
  ['video/x-matroska', '.mkv'],
  ['video/x-flv', '.flv'],
  ['video/x-ms-wmv', '.wmv'],
  ['video/x-msvideo', '.avi'],
  ['video/mpeg', '.mpeg', '.mpg'],
  ['video/3gpp', '.3gp'],
  ['video/ogg', '.ogv'],
  ['application/pdf', '.pdf'],
  ['application/msword', '.doc'],
  ['application/vnd.ms-excel', '.xls'],
  ['application/vnd.ms-powerpoint', '.ppt'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', '.docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', '.xlsx'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', '.pptx'],
  ['application/vnd.oasis.opendocument.text', '.odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', '.ods'],
  ['application/vnd.oasis.opendocument.presentation', '.odp'],
  ['application/epub+zip', '.epub'],
  ['application/zip', '.zip', 'application/x-zip-compressed'],
  ['application/gzip', '.gz', 'application/x-gzip'],
  ['application/x-tar', '.tar'],
  ['application/x-bzip2', '.bz2'],
  ['application/zstd', '.zst'],
  ['application/x-7z-compressed', '.7z'],
  ['application/vnd.sqlite3', '.sqlite', 'application/x-sqlite3'],
  ['application/vnd.apache.parquet', '.parquet'],
  ['application/wasm', '.wasm'],
  ['application/octet-stream', '.bin'],
]

/** Suffixes of structured syntax (RFC 6839), for example `application/ld+json`. */
const SUFFIXES: readonly (readonly [suffix: string, extension: string])[] = [
  ['+json', '.json'],
  ['+xml', '.xml'],
  ['+yaml', '.yaml'],
  ['+zip', '.zip'],
  ['+gzip', '.gz'],
]

const EXTENSION_OF: ReadonlyMap<string, string> = new Map(
  TYPES.map(([contentType, extension]) => [contentType, extension]),
)
/** Content types by file extension and by other name. */
const CONTENT_TYPE_OF: ReadonlyMap<string, string> = new Map(
  TYPES.flatMap(([contentType, ...names]) => names.map((name) => [name, contentType])),
)

/**
 * Return the file extension of a content type, with its dot. Parameters and case are ignored.
 * The result has 1 to 8 characters of `a-z` and `0-9`. Unknown `text/*` types give `.txt`. All other unknown types give
 * `.bin`.
 *
 * @example
 * ```ts
 * import { extensionForContentType } from '@spillway/text'
 *
 * console.assert(extensionForContentType('application/json; charset=utf-8') === '.json')
 * console.assert(extensionForContentType('application/x-made-up') === '.bin')
 * ```
 */
export function extensionForContentType(contentType: string): string {
  const given = contentTypeEssence(contentType)
  const name = (given.includes('/') ? CONTENT_TYPE_OF.get(given) : undefined) ?? given
  const known = EXTENSION_OF.get(name)
  if (known !== undefined) return known
  for (const [suffix, extension] of SUFFIXES) if (name.endsWith(suffix)) return extension
  return name.startsWith('text/') ? '.txt' : '.bin'
}

/**
 * Return the content type of a file extension, with or without its dot. Returns `undefined` if the extension is
 * unknown. In this case, detect the type from the content.
 *
 * @example
 * ```ts
 * import { contentTypeForExtension } from '@spillway/text'
 *
 * console.assert(contentTypeForExtension('.CSV') === 'text/csv' && contentTypeForExtension('png') === 'image/png')
 * console.assert(contentTypeForExtension('.made-up') === undefined)
 * ```
 */
export function contentTypeForExtension(extension: string): string | undefined {
  const name = extension.toLowerCase()
  return CONTENT_TYPE_OF.get(name.startsWith('.') ? name : `.${name}`)
}

/** Subtypes of `application/` that are text, without `x-`. */
const TEXT_SUBTYPES: ReadonlySet<string> = new Set(
  (
    'csv ecmascript graphql html javascript json json-seq json5 jsonl jsonlines log markdown md mbox ' +
    'ndjson php plain python rtf ruby sh shellscript sql svg tex toml tsv txt typescript www-form-urlencoded xhtml xml xml-dtd yaml yml'
  ).split(' '),
)

const TEXT_SUFFIX = /\+(?:json|json-seq|xml|yaml)$/

/**
 * Return whether a MIME type is text, which can be searched and read by lines. Parameters and case are ignored.
 * Text types are `text/*`, `message/*`, and known types such as JSON, XML, YAML, source code and tables. An empty or
 * malformed type is not text.
 */
export function isTextContentType(contentType: string): boolean {
  const [type, subtype = ''] = contentTypeEssence(contentType).split('/', 2)
  if (subtype === '') return false
  if (type === 'text' || type === 'message' || TEXT_SUFFIX.test(subtype)) return true
  return type === 'application' && TEXT_SUBTYPES.has(subtype.replace(/^x-/, ''))
}

export function mayBeText(contentType: string): boolean {
  if (isTextContentType(contentType)) return true
  return mediaKind(contentType) === 'document' && extensionForContentType(contentType) === '.bin'
}

/** Return a MIME type without parameters, in lower case (RFC 9110, section 8.3.1). Never throws. */
export function contentTypeEssence(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase()
}

/** Return the block type for a MIME type: `image`, `audio`, `video`, otherwise `document`. */
export function mediaKind(mediaType: string): MediaBlock['type'] {
  const [kind] = contentTypeEssence(mediaType).split('/', 1)
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document'
}

/** Return the short name of a media type, for example `png` for `image/png` and `docx` for Word documents. */
export function mediaFormat(mediaType: string): string {
  const essence = contentTypeEssence(mediaType)
  const subtype = essence.slice(essence.indexOf('/') + 1)
  const extension = extensionForContentType(essence)
  // Names of vendors' types are long, and their file extensions are better known.
  if (subtype.startsWith('vnd.') && extension !== '.bin' && !subtype.includes('+')) return extension.slice(1)
  return subtype.replace(/^x-/, '').replace(/\+.*$/, '') || 'unknown'
}
