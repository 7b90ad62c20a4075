import { decodeText } from '../lines/text-encoding.ts'
import { isTextContentType, mayBeText } from './text-content-type.ts'
import { sniffContentType } from './sniff-content-type.ts'

/** The text of a document, and the type under which it is stored and previewed. */
export interface DocumentText {
  readonly text: string
  readonly contentType: string
}

/** Decode a document that is text by its bytes, or return `undefined` if it is empty, binary, or declared to be so. */
export function documentText(data: Uint8Array, mediaType: string): DocumentText | undefined {
  if (data.length === 0 || !mayBeText(mediaType) || sniffContentType(data) !== 'text/plain') return undefined
  const text = decodeText(data)
  if (text === undefined) return undefined
  return { text: text.replace(/^\ufeff/, ''), contentType: isTextContentType(mediaType) ? mediaType : 'text/plain' }
}
