import { decodeBase64 } from '@spillway/text/internal'
import type { HistoryContent, HistoryMedia, HistoryToolCall, HistoryToolResult } from '../history-message.ts'
import type { CallIdRules, CallIds } from './call-ids.ts'
import type { Fields } from './check-fields.ts'
import { foreignTurns, splitTurn, type ForeignTurn } from './foreign-turns.ts'
import { argumentsObject, jsonText } from './json-text.ts'
import { base64Of } from './media-source.ts'
import type { ForeignMessages } from './write-messages.ts'

/** The API takes ids of these characters alone; 64 of them are what others take as well. */
export const ANTHROPIC_ID_RULES: CallIdRules = { maxLength: 64, forbidden: /[^\w-]/g }
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])
/** A conversation begins with the user: this stands for one where the model has spoken first. */
const BEGINNING = { role: 'user', content: '(The conversation begins with the assistant.)' }

/** Write messages of other formats; system messages come as objects that have nothing but `system`. */
export function convertToAnthropic({ messages, start, isBeginning, ids }: ForeignMessages): readonly Fields[] {
  const written = foreignTurns(messages, start, { skipsEmpty: true }).flatMap((turn) => convertTurn(turn, ids))
  const first = written.findIndex((message) => Object.hasOwn(message, 'role'))
  const isOfModel = isBeginning && written[first]?.['role'] === 'assistant'
  return isOfModel ? written.toSpliced(first, 0, BEGINNING) : written
}

function convertTurn(turn: ForeignTurn, ids: CallIds): readonly Fields[] {
  if (turn.role === 'tool') {
    const content = turn.parts.map(({ part, place }) => writeAnthropicPart(part, ids.ofResult(part.callId), place))
    return [{ role: 'user', content }]
  }
  const { content, calls } = splitTurn(turn.parts)
  // The API refuses a text after a call.
  const blocks = content.map(({ part, place }) => writeAnthropicBlock(part, turn.role, place))
  if (turn.role === 'system') return [{ system: textsOf(blocks) }]
  const uses = calls.map(({ part, place }) => writeAnthropicPart(part, ids.ofCall(part.id), place))
  const isText = uses.length === 0 && blocks.length === 1 && blocks[0]?.['type'] === 'text'
  return [{ role: turn.role, content: isText ? blocks[0]?.['text'] : [...blocks, ...uses] }]
}

const textsOf = (blocks: readonly Fields[]): string => blocks.map(({ text }) => text).join('\n\n')

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
