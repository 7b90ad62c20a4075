/**
 * Return a MIME type without its parameters, in lower case (RFC 9110, section 8.3.1). What is no type is not refused.
 *
 * @example
 * ```ts
 * import { contentTypeEssence } from '@spillway/core/adapter'
 *
 * console.assert(contentTypeEssence('Text/HTML; charset=utf-8') === 'text/html')
 * ```
 */
export function contentTypeEssence(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase()
}
