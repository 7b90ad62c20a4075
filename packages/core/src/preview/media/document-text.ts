import { contentTypeEssence } from '../../content/content-type-essence.ts'
import { isTextContentType } from '../../content/text-content-type.ts'
import { mediaFormatOf } from './media-format.ts'

/** Bytes of the beginning that are looked at to tell text from other content. */
const SNIFFED_BYTES = 8_192

/** The text of a document. */
export interface DocumentText {
  readonly text: string
  /** Whether the document itself can be searched as text, by its type and as its bytes stand. */
  readonly isSearchable: boolean
}

/**
 * Decode a document that is text, or return `undefined` for one that is not.
 *
 * A byte order mark says that it is UTF-16, otherwise it is UTF-8. Text is what is declared to be text and holds no zero
 * bytes, and what is declared as `application/octet-stream` and is valid UTF-8 at its beginning.
 */
export function documentText(data: Uint8Array, mediaType: string): DocumentText | undefined {
  const isDeclared = isTextContentType(mediaType)
  if (!isDeclared && contentTypeEssence(mediaType) !== 'application/octet-stream') return undefined
  if (data.length === 0) return undefined
  const wide = (data[0] === 0xff && data[1] === 0xfe) || (data[0] === 0xfe && data[1] === 0xff)
  if (wide) {
    const encoding = data[0] === 0xff ? 'utf-16le' : 'utf-16be'
    return { text: new TextDecoder(encoding).decode(data), isSearchable: false }
  }
  const start = data.subarray(0, SNIFFED_BYTES)
  const format = mediaFormatOf(start)
  if (start.includes(0) || (format !== undefined && format.name !== 'svg')) return undefined
  if (!isDeclared && !isUtf8(start)) return undefined
  return { text: new TextDecoder().decode(data), isSearchable: isDeclared }
}

/** Tell whether bytes are UTF-8, but for a character that goes on beyond their end. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}
