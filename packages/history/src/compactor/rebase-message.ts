import type { HistoryMessage, HistoryPart } from '../history-message.ts'
import { isSameContent, isSamePiece } from './is-same-content.ts'

/**
 * Put what became of a message into the same message as it has come now: with the marks and other fields that its format
 * keeps beside the content. Where the two have different parts, what became of it stays as it is.
 */
export function rebaseMessage(changed: HistoryMessage, now: HistoryMessage): HistoryMessage {
  if (isSameContent(changed, now)) return now
  if (changed.parts.length !== now.parts.length) return changed
  return { ...now, parts: now.parts.map((part, index) => rebasePart(changed.parts[index]!, part)) }
}

function rebasePart(changed: HistoryPart, now: HistoryPart): HistoryPart {
  if (isSamePiece(changed, now)) return now
  if (changed.type === 'text' && now.type === 'text') return { ...now, text: changed.text }
  if (changed.type === 'tool-result' && now.type === 'tool-result') return { ...now, content: changed.content }
  if (changed.type === 'tool-call' && now.type === 'tool-call')
    return { ...now, input: changed.input, inputIsText: changed.inputIsText }
  return changed
}
