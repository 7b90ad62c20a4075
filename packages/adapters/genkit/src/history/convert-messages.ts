import type { HistoryContent, HistoryPart, HistoryToolResult } from '@spillway/history'
import {
  argumentsValue,
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
export function convertMessages({ messages, start, ids }: ForeignMessages): readonly Fields[] {
  const names = new Map<string, string>()
  return foreignTurns(messages, start, { skipsEmpty: true }).map((turn) => convertTurn(turn, ids, names))
}

const ROLES = { system: 'system', user: 'user', assistant: 'model' } as const

function convertTurn(turn: ForeignTurn, ids: CallIds, names: Map<string, string>): Fields {
  if (turn.role === 'tool') {
    const content = turn.parts.map(({ part, place }) => {
      const toolName = part.toolName || names.get(part.callId) || 'unknown'
      return writeResult({ ...part, toolName, callId: ids.ofResult(part.callId) }, place)
    })
    return { role: 'tool', content }
  }
  const { content, calls } = splitTurn(turn.parts)
  for (const { part } of calls) names.set(part.id, part.name)
  const written = content.map(({ part, place }) => writePiece(part, place))
  const requests = calls.map(({ part }) => writePart({ ...part, id: ids.ofCall(part.id) }, ''))
  return { role: ROLES[turn.role], content: [...written, ...requests] }
}

/** Write a part that was read from another format. Throws a `TypeError` for what Genkit has no part for. */
export function writePart(part: HistoryPart, place: string): Fields {
  if (part.type === 'tool-call') return { toolRequest: { name: part.name, ref: part.id, input: argumentsValue(part) } }
  if (part.type === 'tool-result') return writeResult(part, place)
  return part.type === 'reasoning' ? { reasoning: part.text } : writePiece(part, place)
}

function writeResult({ callId, toolName, content, isError }: HistoryToolResult, place: string): Fields {
  const isOutput = ({ type }: HistoryContent): boolean => type === 'text' || type === 'json'
  const output = writeOutput(content.filter(isOutput), isError === true, place)
  const media = content.filter((piece) => !isOutput(piece)).map((piece) => writePiece(piece, place))
  return {
    toolResponse: { name: toolName, ref: callId, output, ...(media.length === 0 ? {} : { content: media }) },
  }
}

/** Write what a tool returned: one value as it is, several as text. */
export function writeOutput(pieces: readonly HistoryContent[], isError: boolean, place: string): unknown {
  const [only] = pieces
  const texts = pieces.map((piece) => (piece.type === 'text' ? piece.text : jsonText(valueOf(piece), place)))
  const output = pieces.length === 1 && only?.type === 'json' ? only.value : texts.join('\n')
  return isError ? { error: typeof output === 'string' ? output : jsonText(output, place) } : output
}

const valueOf = (piece: HistoryContent): unknown => ('value' in piece ? piece.value : piece)

/** Write a piece of content as a part. Throws a `TypeError` for what no part can have. */
export function writePiece(piece: HistoryContent, place: string): Fields {
  if (piece.type === 'text') return { text: piece.text }
  if (piece.type === 'json') return { text: jsonText(piece.value, place) }
  const url = piece.type === 'opaque' ? undefined : urlOf(piece)
  if (piece.type === 'opaque' || url === undefined)
    throw new TypeError(`${place}: a message of Genkit has no place for this ${piece.type}.`)
  return { media: { url, contentType: piece.mediaType } }
}
