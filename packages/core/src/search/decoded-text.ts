import { isAsciiBytes, singleByteText } from '@spillway/text/internal'
import { contentCache, type CachePiece } from '../storage/cached-content.ts'

/** Content as text with one UTF-16 unit for each byte. */
export interface DecodedText {
  readonly text: string
  readonly isAscii: boolean
  readonly hasReturns: boolean
}

interface Remembered extends DecodedText {
  readonly piece: CachePiece
}

/** Contents that were searched once, and the texts of those that were searched again. */
const searched = new WeakSet<ArrayBufferLike>()
const texts = new WeakMap<ArrayBufferLike, Remembered>()

/**
 * Return content as text if it is searched for a second time: it is decoded then, and remembered within the bytes that a
 * process remembers of content.
 *
 * @param content - All of a content, which never changes: its memory tells it from others.
 */
export function decodedText(content: Uint8Array): DecodedText | undefined {
  const { buffer } = content
  if (content.length === 0 || content.length < buffer.byteLength) return undefined
  const known = texts.get(buffer)
  if (known !== undefined) {
    contentCache.use(known.piece)
    return known
  }
  const isFirst = !searched.has(buffer)
  searched.add(buffer)
  // Not at the cost of the content itself.
  if (isFirst || contentCache.maxBytes < 3 * content.length) return undefined
  const text = singleByteText(content, 0, content.length)
  const owner = new WeakRef(buffer)
  const forget = (): void => {
    const forgotten = owner.deref()
    if (forgotten !== undefined) texts.delete(forgotten)
  }
  const piece = { bytes: content.length, forget }
  const decoded = {
    text,
    isAscii: isAsciiBytes(content, 0, content.length),
    hasReturns: text.includes('\r'),
    piece,
  }
  texts.set(buffer, decoded)
  contentCache.add(piece)
  return decoded
}
