import type { HistoryContent, HistoryMessage, HistoryPart, HistoryToolResult } from '@spillway/history'
import {
  argumentsValue,
  isAsRead,
  isFields,
  jsonText,
  responseTextField,
  urlOf,
  withFields,
  type Fields,
} from '@spillway/history/format'
import { GENKIT_MESSAGES } from './read-messages.ts'

/** Write a message with the parts that it has now; all other fields stay, in their order. */
export function patchMessage(native: Fields, { parts }: HistoryMessage, index: number): Fields {
  const before = native['content'] as readonly unknown[]
  const content = parts.map((part, at) => patchPart(part, `messages[${index}].parts[${at}]`))
  const isSame = content.length === before.length && content.every((part, at) => part === before[at])
  return isSame ? native : withFields(native, { content })
}

function patchPart(part: HistoryPart, place: string): unknown {
  const own = part.native?.format === GENKIT_MESSAGES ? part.native.value : undefined
  if (own === undefined) return writePart(part, place)
  if (isAsRead(part) || !isFields(own)) return own
  const { toolRequest, toolResponse } = own
  if (part.type === 'text') return withFields(own, { text: part.text })
  if (part.type === 'tool-call' && isFields(toolRequest))
    return withFields(own, { toolRequest: withFields(toolRequest, { input: part.input }) })
  if (part.type !== 'tool-result' || !isFields(toolResponse)) return own
  return withFields(own, { toolResponse: patchResponse(toolResponse, part, place) })
}

/** The output has a field of its own, and parts that come with it another. */
function patchResponse(native: Fields, part: HistoryToolResult, place: string): Fields {
  const outputs: HistoryContent[] = []
  const parts: unknown[] = []
  for (const piece of part.content) {
    const own = nativeOf(piece)
    if (own !== undefined && Object.hasOwn(own, 'part')) parts.push(own['part'])
    else if (own !== undefined || piece.type === 'text' || piece.type === 'json') outputs.push(piece)
    else parts.push(writePiece(piece, place))
  }
  const before: readonly unknown[] = Array.isArray(native['content']) ? native['content'] : []
  const isSame = parts.length === before.length && parts.every((one, at) => one === before[at])
  const output = patchOutput(native['output'], outputs, part.isError === true, place)
  return withFields(native, { output, ...(isSame ? {} : { content: parts.length === 0 ? undefined : parts }) })
}

const nativeOf = ({ native }: HistoryContent): Fields | undefined =>
  native?.format === GENKIT_MESSAGES && isFields(native.value) ? native.value : undefined

function patchOutput(original: unknown, pieces: readonly HistoryContent[], isError: boolean, place: string): unknown {
  const [only] = pieces
  if (only === undefined) return undefined
  const own = pieces.length === 1 ? nativeOf(only) : undefined
  if (own !== undefined && (isAsRead(only) || only.type !== 'text'))
    return only.type === 'json' ? only.value : own['output']
  const output = own === undefined ? original : own['output']
  const field = isFields(output) ? responseTextField(output) : undefined
  if (pieces.length === 1 && only.type === 'text' && field !== undefined)
    return withFields(output as Fields, { [field]: only.text })
  return writeOutput(pieces, isError, place)
}

/** Write a part. Throws a `TypeError` for what Genkit has no part for. */
function writePart(part: HistoryPart, place: string): Fields {
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
function writeOutput(pieces: readonly HistoryContent[], isError: boolean, place: string): unknown {
  const [only] = pieces
  const texts = pieces.map((piece) => (piece.type === 'text' ? piece.text : jsonText(valueOf(piece), place)))
  const output = pieces.length === 1 && only?.type === 'json' ? only.value : texts.join('\n')
  return isError ? { error: typeof output === 'string' ? output : jsonText(output, place) } : output
}

const valueOf = (piece: HistoryContent): unknown => ('value' in piece ? piece.value : piece)

/** Write a piece of content as a part. Throws a `TypeError` for what no part can have. */
function writePiece(piece: HistoryContent, place: string): Fields {
  if (piece.type === 'text') return { text: piece.text }
  if (piece.type === 'json') return { text: jsonText(piece.value, place) }
  const url = piece.type === 'opaque' ? undefined : urlOf(piece)
  if (piece.type === 'opaque' || url === undefined)
    throw new TypeError(`${place}: a message of Genkit has no place for this ${piece.type}.`)
  return { media: { url, contentType: piece.mediaType } }
}
