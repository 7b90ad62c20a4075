import type { HistoryContent, HistoryMessage, HistoryPart } from '../history-message.ts'
import { isEqualValue } from '../is-equal-value.ts'

/**
 * Tell whether two messages say the same, whatever their format keeps beside that, such as marks for a cache.
 *
 * Frameworks hand over the same objects again, or copies of them, and programs change those that they handed over before:
 * what was read of them is compared, and not what they are now.
 */
export const isSameContent = (a: HistoryMessage, b: HistoryMessage): boolean =>
  a === b || (a.role === b.role && isSameList(a.parts, b.parts))

type Piece = HistoryPart | HistoryContent

const isSameList = (a: readonly Piece[], b: readonly Piece[]): boolean =>
  a.length === b.length && a.every((piece, index) => isSamePiece(piece, b[index]!))

/** Tell whether two parts say the same. Their natives are within those of their messages. */
export function isSamePiece(a: Piece, b: Piece): boolean {
  switch (a.type) {
    case 'text':
    case 'reasoning':
      return b.type === a.type && a.text === b.text
    case 'json':
    case 'opaque':
      return b.type === a.type && isEqualValue(a.value, b.value)
    case 'tool-call':
      return b.type === a.type && a.id === b.id && a.name === b.name && isEqualValue(a.input, b.input)
    case 'tool-result':
      return (
        b.type === a.type &&
        a.callId === b.callId &&
        a.toolName === b.toolName &&
        a.isError === b.isError &&
        isSameList(a.content, b.content)
      )
    default:
      return (
        b.type === a.type &&
        a.mediaType === b.mediaType &&
        a.name === b.name &&
        a.url === b.url &&
        a.base64 === b.base64 &&
        isEqualValue(a.data, b.data)
      )
  }
}
