import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import type { HistoryContent, HistoryToolCall } from '@spillway/history'
import {
  argumentsObject,
  base64Of,
  foreignTurns,
  jsonText,
  splitTurn,
  urlOf,
  type CallIds,
  type Fields,
  type ForeignMessages,
  type ForeignTurn,
} from '@spillway/history/format'

/** Write messages of other formats. */
export function convertMessages({ messages, start, ids }: ForeignMessages): readonly BaseMessage[] {
  const names = new Map<string, string>()
  return foreignTurns(messages, start).flatMap((turn) => convertTurn(turn, ids, names))
}

function convertTurn(turn: ForeignTurn, ids: CallIds, names: Map<string, string>): readonly BaseMessage[] {
  if (turn.role === 'tool')
    return turn.parts.map(({ part: { callId, toolName, isError, content }, place }) => {
      const name = toolName || names.get(callId)
      return new ToolMessage({
        content: writeContent(content.map((piece) => ({ part: piece, place }))) as ToolMessage['content'],
        tool_call_id: ids.ofResult(callId),
        ...(name === undefined ? {} : { name }),
        ...(isError === undefined ? {} : { status: isError ? 'error' : 'success' }),
      })
    })
  const { content, calls } = splitTurn(turn.parts)
  for (const { part } of calls) names.set(part.id, part.name)
  const written = writeContent(content) as AIMessage['content']
  if (turn.role === 'system') return [new SystemMessage({ content: written })]
  if (turn.role === 'user') return [new HumanMessage({ content: written })]
  const made: readonly unknown[] = calls.map(({ part }) => newCall({ ...part, id: ids.ofCall(part.id) }))
  const tool_calls = made as NonNullable<AIMessage['tool_calls']>
  return [new AIMessage({ content: written, tool_calls })]
}

/** Write a call that was read from another format. */
export const newCall = (call: HistoryToolCall): Fields => ({
  type: 'tool_call',
  id: call.id,
  name: call.name,
  args: argumentsObject(call),
})

/** Texts alone become one text. */
function writeContent(pieces: readonly { readonly part: HistoryContent; readonly place: string }[]): unknown {
  const texts = pieces.map(({ part, place }) => {
    if (part.type === 'text') return part.text
    return part.type === 'json' ? jsonText(part.value, place) : undefined
  })
  if (texts.every((text) => text !== undefined)) return texts.filter((text) => text !== '').join('\n\n')
  return pieces.map(({ part, place }) => writeBlock(part, place))
}

/** Write a piece of content as a block. Throws a `TypeError` for what no block can have. */
export function writeBlock(piece: HistoryContent, place: string): Fields {
  if (piece.type === 'text') return { type: 'text', text: piece.text }
  if (piece.type === 'json') return { type: 'text', text: jsonText(piece.value, place) }
  const block = piece.type === 'opaque' ? undefined : writeMedia(piece)
  if (block !== undefined) return block
  throw new TypeError(`${place}: a message of LangChain has no place for this ${piece.type}.`)
}

function writeMedia(media: Exclude<HistoryContent, { type: 'text' | 'json' | 'opaque' }>): Fields | undefined {
  const { type, mediaType, name } = media
  const url = urlOf(media)
  if (url === undefined) return undefined
  // Of all forms of an image this is the one that every provider takes in a tool message.
  if (type === 'image') return { type: 'image_url', image_url: { url } }
  const data = base64Of(media)
  const metadata = name === undefined ? {} : { metadata: { filename: name } }
  const source = data === undefined ? { url } : { data }
  return { type: type === 'document' ? 'file' : type, mimeType: mediaType, ...source, ...metadata }
}
