import { mediaFormatOf } from './media-format.ts'

/** Bytes of the beginning that are looked at. */
const SNIFFED_BYTES = 8_192

/**
 * Tell the content type of bytes that nobody has declared, by their beginning: a format of media that is known,
 * `text/plain` where there is no zero byte, else `application/octet-stream`.
 *
 * @example
 * ```ts
 * import { sniffContentType } from '@spillway/core'
 *
 * console.assert(sniffContentType(new TextEncoder().encode('%PDF-1.7')) === 'application/pdf')
 * console.assert(sniffContentType(new TextEncoder().encode('a few words')) === 'text/plain')
 * ```
 */
export function sniffContentType(bytes: Uint8Array): string {
  const start = bytes.subarray(0, SNIFFED_BYTES)
  const format = mediaFormatOf(start)
  // Few files of other formats have no zero byte near their beginning, and a text may begin like one of them.
  if (!start.includes(0) && format?.name !== 'pdf') return 'text/plain'
  return format?.mediaType ?? 'application/octet-stream'
}
