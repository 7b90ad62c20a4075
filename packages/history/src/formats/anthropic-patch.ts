import { isAsRead } from '../as-read.ts'
import type { HistoryContent, HistoryMessage, HistoryPart } from '../history-message.ts'
import { writeAnthropicBlock, writeAnthropicPart } from './anthropic-convert.ts'
import { ANTHROPIC_MESSAGES, blockText } from './anthropic-read.ts'
import { isFields, type Fields } from './check-fields.ts'
import { writeContentList, type WrittenPiece } from './content-list.ts'
import { withFields } from './with-fields.ts'

/** Write a message of the API, or its system prompt, with the parts that it has now; all other fields stay in their order. */
export function patchAnthropicMessage(native: Fields, { parts }: HistoryMessage, index: number): Fields {
  const field = Object.hasOwn(native, 'role') ? 'content' : 'system'
  const fresh = new Set<WrittenPiece>()
  const pieces = parts.map((part, at) => patchPart(part, fresh, `messages[${index}].parts[${at}]`))
  return withFields(native, { [field]: joinContent(native[field], pieces, fresh, '\n\n') })
}

function patchPart(part: HistoryPart, fresh: Set<WrittenPiece>, place: string): WrittenPiece {
  const own = part.native?.format === ANTHROPIC_MESSAGES ? part.native.value : undefined
  if (part.type === 'tool-call' && isFields(own)) return withFields(own, { input: part.input })
  if (part.type !== 'tool-result') return patchPiece(part, fresh, place)
  if (!isFields(own)) return writeAnthropicPart(part, part.callId, place)
  if (isAsRead(part)) return own
  const freshOfResult = new Set<WrittenPiece>()
  const pieces = part.content.map((piece) => patchPiece(piece, freshOfResult, place))
  const [only] = part.content
  // What a program gets is read as a whole.
  if (part.content.length === 1 && only?.type === 'opaque' && pieces[0] === own['content']) return own
  return withFields(own, { content: joinContent(own['content'], pieces, freshOfResult, '\n') })
}

function patchPiece(piece: HistoryContent | HistoryPart, fresh: Set<WrittenPiece>, place: string): WrittenPiece {
  const own = piece.native?.format === ANTHROPIC_MESSAGES ? piece.native.value : undefined
  if (own !== undefined && (isAsRead(piece) || piece.type !== 'text')) return own as WrittenPiece
  if (piece.type === 'text' && typeof own === 'string') return piece.text
  if (piece.type === 'text' && isFields(own)) return patchText(own, piece.text)
  // What was read as the value that it is comes back without its native value where it was stored.
  if (piece.type === 'json' && isFields(piece.value) && piece.value['type'] === 'search_result') return piece.value
  const block = writeAnthropicBlock(piece as HistoryContent, 'user', place)
  if (block['type'] === 'text') fresh.add(block)
  return block
}

function patchText(block: Fields, text: string): Fields {
  if (blockText(block) === text) return block
  if (isFields(block['source'])) return { ...block, source: { ...block['source'], data: text } }
  return { ...block, text }
}

const joinContent = (
  original: unknown,
  pieces: readonly WrittenPiece[],
  fresh: ReadonlySet<WrittenPiece>,
  separator: string,
): unknown => {
  const toPart = (text: string): Fields => ({ type: 'text', text })
  return writeContentList({ original, pieces, fresh, toPart, separator, marks: ['cache_control'] })
}
