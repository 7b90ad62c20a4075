import { textEncodingOf } from '../lines/text-encoding.ts'
import { mediaFormatOf } from './media-format.ts'

/** Bytes of the beginning in which a format of media has a zero byte, unless it is a PDF. */
const SNIFFED_BYTES = 8_192

/**
 * Tell the content type of bytes by their beginning: a format of media that is known, `text/plain` for text in whichever
 * encoding, else `application/octet-stream`.
 *
 * Text may have NULs in it, as logs and lists of file names do. Text in UTF-16 is told with or without a byte order mark.
 *
 * @example
 * ```ts
 * import { sniffContentType } from '@spillway/text'
 *
 * console.assert(sniffContentType(new TextEncoder().encode('%PDF-1.7')) === 'application/pdf')
 * console.assert(sniffContentType(new TextEncoder().encode('a few words')) === 'text/plain')
 * ```
 */
export function sniffContentType(bytes: Uint8Array): string {
  const format = mediaFormatOf(bytes)
  const isText = textEncodingOf(bytes) !== undefined
  // A text may begin like a format of media.
  if (isText && format?.name !== 'pdf' && (format === undefined || !bytes.subarray(0, SNIFFED_BYTES).includes(0)))
    return 'text/plain'
  return format?.mediaType ?? 'application/octet-stream'
}
