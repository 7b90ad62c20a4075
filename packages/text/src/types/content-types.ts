import type { MediaBlock } from './content-block.ts'

/** Content types and their file extensions. Names of stored files use them, so a change requires a changeset. */
const EXTENSIONS: readonly (readonly [contentType: string, ...extensions: string[]])[] = [
  ['text/plain', '.txt', '.text'],
  ['application/json', '.json'],
  ['application/x-ndjson', '.ndjson'],
  ['application/jsonl', '.jsonl'],
  ['text/csv', '.csv'],
  ['text/tab-separated-values', '.tsv'],
  ['text/html', '.html', '.htm'],
  ['application/xhtml+xml', '.xhtml'],
  ['text/markdown', '.md', '.markdown'],
  ['application/xml', '.xml'],
  ['application/yaml', '.yaml', '.yml'],
  ['application/toml', '.toml'],
  ['text/x-log', '.log'],
  ['text/x-diff', '.diff', '.patch'],
  ['text/css', '.css'],
  ['text/javascript', '.js', '.mjs', '.cjs'],
  ['text/x-typescript', '.ts', '.tsx', '.mts', '.cts'],
  ['text/x-python', '.py'],
  ['text/x-java', '.java'],
  ['text/x-kotlin', '.kt'],
  ['text/x-go', '.go'],
  ['text/x-rust', '.rs'],
  ['text/x-ruby', '.rb'],
  ['text/x-php', '.php'],
  ['text/x-csharp', '.cs'],
  ['text/x-swift', '.swift'],
  ['text/x-c', '.c', '.h'],
  ['text/x-c++', '.cpp', '.cc', '.hpp'],
  ['application/x-sh', '.sh', '.bash'],
  ['application/sql', '.sql'],
  ['text/x-ini', '.ini', '.conf', '.cfg'],
  ['text/calendar', '.ics'],
  ['text/vcard', '.vcf'],
  ['application/rtf', '.rtf'],
  ['message/rfc822', '.eml'],
  ['image/png', '.png'],
  ['image/jpeg', '.jpg', '.jpeg'],
  ['image/gif', '.gif'],
  ['image/webp', '.webp'],
  ['image/avif', '.avif'],
  ['image/heic', '.heic'],
  ['image/bmp', '.bmp'],
  ['image/tiff', '.tiff', '.tif'],
  ['image/vnd.microsoft.icon', '.ico'],
  ['image/svg+xml', '.svg'],
  ['audio/mpeg', '.mp3'],
  ['audio/mp4', '.m4a'],
  ['audio/aac', '.aac'],
  ['audio/wav', '.wav'],
  ['audio/flac', '.flac'],
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
  ['application/zip', '.zip'],
  ['application/gzip', '.gz'],
  ['application/x-tar', '.tar'],
  ['application/x-bzip2', '.bz2'],
  ['application/zstd', '.zst'],
  ['application/x-7z-compressed', '.7z'],
  ['application/vnd.sqlite3', '.sqlite'],
  ['application/vnd.apache.parquet', '.parquet'],
  ['application/wasm', '.wasm'],
  ['application/octet-stream', '.bin'],
]

/** Other names of the types above. */
const ALIASES: Readonly<Record<string, string>> = {
  'application/csv': 'text/csv',
  'application/javascript': 'text/javascript',
  'application/ndjson': 'application/x-ndjson',
  'application/typescript': 'text/x-typescript',
  'application/x-gzip': 'application/gzip',
  'application/x-javascript': 'text/javascript',
  'application/x-sqlite3': 'application/vnd.sqlite3',
  'application/x-yaml': 'application/yaml',
  'application/x-zip-compressed': 'application/zip',
  'audio/mp3': 'audio/mpeg',
  'audio/vnd.wave': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/x-flac': 'audio/flac',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-wav': 'audio/wav',
  'image/jpg': 'image/jpeg',
  'image/x-icon': 'image/vnd.microsoft.icon',
  'image/x-ms-bmp': 'image/bmp',
  'text/ecmascript': 'text/javascript',
  'text/json': 'application/json',
  'text/rtf': 'application/rtf',
  'text/typescript': 'text/x-typescript',
  'text/x-java-source': 'text/x-java',
  'text/x-markdown': 'text/markdown',
  'text/x-patch': 'text/x-diff',
  'text/x-sh': 'application/x-sh',
  'text/x-shellscript': 'application/x-sh',
  'text/x-sql': 'application/sql',
  'text/x-yaml': 'application/yaml',
  'text/xml': 'application/xml',
  'text/yaml': 'application/yaml',
}

/** Suffixes of structured syntax (RFC 6839), for example `application/ld+json`. */
const SUFFIXES: readonly (readonly [suffix: string, extension: string])[] = [
  ['+json', '.json'],
  ['+xml', '.xml'],
  ['+yaml', '.yaml'],
  ['+zip', '.zip'],
  ['+gzip', '.gz'],
]

const EXTENSION_OF: ReadonlyMap<string, string> = new Map(
  EXTENSIONS.map(([contentType, extension = '.bin']) => [contentType, extension]),
)
const CONTENT_TYPE_OF: ReadonlyMap<string, string> = new Map(
  EXTENSIONS.flatMap(([contentType, ...extensions]) => extensions.map((extension) => [extension, contentType])),
)
const CANONICAL: ReadonlyMap<string, string> = new Map(Object.entries(ALIASES))

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
  const name = CANONICAL.get(given) ?? given
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
