import { isAsRead } from '../as-read.ts'
import type {
  HistoryContent,
  HistoryMessage,
  HistoryPart,
  HistoryMedia,
  HistoryToolCall,
  HistoryToolResult,
} from '../history-message.ts'
import { ANTHROPIC_MESSAGES, blockText } from './anthropic-read.ts'
import { isFields, type Fields } from './check-fields.ts'
import { writeContentList, type WrittenPiece } from './content-list.ts'
import { withFields } from './with-fields.ts'
import { decodeBase64 } from '@spillway/text/internal'
import { argumentsObject, jsonText } from './json-text.ts'
import { base64Of } from './media-source.ts'

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

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])
/** Write a call or a result with an id of the API. */
export function writeAnthropicPart(part: HistoryToolCall | HistoryToolResult, id: string, place: string): Fields {
  if (part.type === 'tool-call') return { type: 'tool_use', id, name: part.name, input: argumentsObject(part) }
  const pieces = part.content.filter((piece) => piece.type !== 'text' || piece.text.trim() !== '')
  const blocks = pieces.map((piece) => writeAnthropicBlock(piece, 'user', place))
  const [first] = blocks
  const isText = blocks.length === 1 && first?.['type'] === 'text'
  const content = blocks.length === 0 ? {} : { content: isText ? first?.['text'] : blocks }
  return { type: 'tool_result', tool_use_id: id, ...content, ...(part.isError === true ? { is_error: true } : {}) }
}

/** Write a piece of content as a block. Throws a `TypeError` for what no block can have. */
export function writeAnthropicBlock(piece: HistoryContent, role: string, place: string): Fields {
  if (piece.type === 'text') return { type: 'text', text: piece.text }
  if (piece.type === 'json') return { type: 'text', text: jsonText(piece.value, place) }
  const block = piece.type === 'opaque' || role !== 'user' ? undefined : writeMedia(piece)
  if (block !== undefined) return block
  throw new TypeError(`${place}: a message of the ${role} has no place for this ${piece.type} in the Messages API.`)
}

function writeMedia(media: HistoryMedia): Fields | undefined {
  const { type, mediaType, url, name } = media
  const base64 = base64Of(media)
  const title = name === undefined ? {} : { title: name }
  if (type === 'image') {
    if (base64 === undefined) return url === undefined ? undefined : { type, source: { type: 'url', url } }
    return IMAGE_TYPES.has(mediaType)
      ? { type, source: { type: 'base64', media_type: mediaType, data: base64 } }
      : undefined
  }
  if (type !== 'document') return undefined
  if (base64 === undefined) return url === undefined ? undefined : { type, source: { type: 'url', url }, ...title }
  if (mediaType === 'application/pdf')
    return { type, source: { type: 'base64', media_type: mediaType, data: base64 }, ...title }
  const bytes = mediaType.startsWith('text/') ? decodeBase64(base64) : undefined
  const data = bytes && new TextDecoder().decode(bytes)
  return data === undefined ? undefined : { type, source: { type: 'text', media_type: 'text/plain', data }, ...title }
}
