import { contentTypeEssence } from './content-type-essence.ts'
import { extensionForContentType } from './content-types.ts'
import { mediaKind } from './media-block.ts'

/** Types outside `text/` whose content is text, without their `x-`. */
const TEXT_SUBTYPES: ReadonlySet<string> = new Set([
  'csv',
  'ecmascript',
  'graphql',
  'html',
  'javascript',
  'json',
  'json-seq',
  'json5',
  'jsonl',
  'jsonlines',
  'log',
  'markdown',
  'md',
  'mbox',
  'ndjson',
  'php',
  'plain',
  'python',
  'rtf',
  'ruby',
  'sh',
  'shellscript',
  'sql',
  'svg',
  'tex',
  'toml',
  'tsv',
  'txt',
  'typescript',
  'www-form-urlencoded',
  'xhtml',
  'xml',
  'xml-dtd',
  'yaml',
  'yml',
])

/** Suffixes of structured syntaxes that are text. */
const TEXT_SUFFIX = /\+(?:json|json-seq|xml|yaml)$/

/**
 * Tell whether content of this MIME type is text, so that it can be searched and read by lines.
 *
 * Parameters and case do not matter. `text/*` and `message/*` are text, and of the others those known to be: JSON, XML, YAML, source
 * code, tables. An empty or malformed type is not.
 *
 * @example
 * ```ts
 * import { isTextContentType } from '@spillway/core/adapter'
 *
 * console.assert(isTextContentType('application/ld+json') && !isTextContentType('image/png'))
 * ```
 */
export function isTextContentType(contentType: string): boolean {
  const [type, subtype = ''] = contentTypeEssence(contentType).split('/', 2)
  if (subtype === '') return false
  if (type === 'text' || type === 'message' || TEXT_SUFFIX.test(subtype)) return true
  return type === 'application' && TEXT_SUBTYPES.has(subtype.replace(/^x-/, ''))
}

/** Tell whether content of this MIME type is text, or is only known to be bytes, so that its content decides. */
export function mayBeText(contentType: string): boolean {
  if (isTextContentType(contentType)) return true
  return mediaKind(contentType) === 'document' && extensionForContentType(contentType) === '.bin'
}
