import type { HistoryContent, HistoryMedia, HistoryToolResult } from '../history-message.ts'
import type { CallIdRules, CallIds } from './call-ids.ts'
import type { Fields } from './check-fields.ts'
import { foreignTurns, splitTurn, type ForeignTurn, type PlacedPart } from './foreign-turns.ts'
import type { ItemDialect } from './item-dialect.ts'
import { argumentsText, jsonText, resultText } from './json-text.ts'
import { base64Of, urlOf } from './media-source.ts'
import type { ForeignMessages } from './write-messages.ts'

/** "string too long. Expected a string with maximum length 64" */
export const ITEM_ID_RULES: CallIdRules = { maxLength: 64 }

/** Write messages of other formats as items. */
export function convertToItems({ messages, start, ids }: ForeignMessages, dialect: ItemDialect): readonly Fields[] {
  const names = new Map<string, string>()
  return foreignTurns(messages, start).flatMap((turn) => convertTurn(turn, ids, names, dialect))
}

function convertTurn(
  turn: ForeignTurn,
  ids: CallIds,
  names: Map<string, string>,
  dialect: ItemDialect,
): readonly Fields[] {
  if (turn.role === 'tool') return turn.parts.map((placed) => convertResult(placed, ids, names, dialect))
  const { content, calls } = splitTurn(turn.parts)
  const items = calls.map(({ part, place }): Fields => {
    const id = ids.ofCall(part.id)
    names.set(id, part.name)
    return { type: 'function_call', [dialect.callId]: id, name: part.name, arguments: argumentsText(part, place) }
  })
  if (content.length === 0 && turn.role === 'assistant') return items
  return [convertMessage(turn.role, content, dialect), ...items]
}

function convertMessage(role: string, content: readonly PlacedPart<HistoryContent>[], dialect: ItemDialect): Fields {
  const texts = content.map(({ part }) => (part.type === 'text' ? part.text : undefined))
  const isText = texts.every((text) => text !== undefined)
  if (isText && (role !== 'assistant' || dialect.format === 'openai-responses'))
    return { type: 'message', role, content: texts.join('\n\n') }
  const parts = content.map(({ part, place }) => writeItemPart(part, role, dialect, place))
  // The Agents SDK demands a status of what a model has said.
  return { type: 'message', role, ...(role === 'assistant' ? { status: 'completed' } : {}), content: parts }
}

function convertResult(
  { part, place }: PlacedPart<HistoryToolResult>,
  ids: CallIds,
  names: ReadonlyMap<string, string>,
  dialect: ItemDialect,
): Fields {
  const id = ids.ofResult(part.callId)
  const text = resultText(part.content, place)
  const output = text ?? part.content.map((piece) => writeItemPart(piece, 'user', dialect, place))
  const name = part.toolName || names.get(id) || 'unknown'
  const more = dialect.format === 'openai-agents' ? { name, status: 'completed' } : {}
  return { type: dialect.functionResult, [dialect.callId]: id, ...more, output }
}

/** Write a piece of content as a part of a message or result. Throws a `TypeError` for what no part can have. */
export function writeItemPart(piece: HistoryContent, role: string, dialect: ItemDialect, place: string): Fields {
  const type = role === 'assistant' ? 'output_text' : 'input_text'
  if (piece.type === 'text') return { type, text: piece.text }
  if (piece.type === 'json') return { type, text: jsonText(piece.value, place) }
  const part = piece.type === 'opaque' || role !== 'user' ? undefined : writeMedia(piece, dialect)
  if (part !== undefined) return part
  throw new TypeError(
    `${place}: an item of ${role === 'user' ? 'the user' : `the ${role}`} has no place for this ${piece.type}.`,
  )
}

function writeMedia(media: HistoryMedia, { format }: ItemDialect): Fields | undefined {
  const url = urlOf(media)
  if (url === undefined || (media.type !== 'image' && media.type !== 'document')) return undefined
  const name = media.name === undefined ? {} : { filename: media.name }
  if (format === 'openai-agents')
    return media.type === 'image' ? { type: 'input_image', image: url } : { type: 'input_file', file: url, ...name }
  if (media.type === 'image') return { type: 'input_image', detail: 'auto', image_url: url }
  if (base64Of(media) === undefined) return { type: 'input_file', file_url: url }
  return { type: 'input_file', file_data: url, filename: media.name ?? 'document' }
}
