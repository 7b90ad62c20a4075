import { isAsRead } from '../as-read.ts'
import type { HistoryContent, HistoryMessage, HistoryPart, HistoryToolResult } from '../history-message.ts'
import { writeAiSdkPart, writeAiSdkPiece, writeOutput, writeOutputPart } from './ai-sdk-convert.ts'
import { AI_SDK_MESSAGES, aiSdkText } from './ai-sdk-read.ts'
import { isFields, type Fields } from './check-fields.ts'
import { writeContentList, type WrittenPiece } from './content-list.ts'
import { withFields } from './with-fields.ts'

/** Write a message of the SDK with the parts that it has now; all other fields stay, in their order. */
export function patchAiSdkMessage(native: Fields, { role, parts }: HistoryMessage, index: number): Fields {
  const fresh = new Set<WrittenPiece>()
  const pieces = parts.map((part, at) => patchPart(part, fresh, `messages[${index}].parts[${at}]`))
  // The prompt of the system is a text in every version.
  const content = joinContent(role === 'system' ? String(native['content']) : native['content'], pieces, fresh, '\n\n')
  return withFields(native, { content })
}

function patchPart(part: HistoryPart, fresh: Set<WrittenPiece>, place: string): WrittenPiece {
  const own = part.native?.format === AI_SDK_MESSAGES ? part.native.value : undefined
  if (part.type === 'tool-call')
    return isFields(own) ? withFields(own, { input: part.input }) : writeAiSdkPart(part, place)
  if (part.type !== 'tool-result') return patchPiece(part, fresh, place)
  if (!isFields(own) || !isFields(own['output'])) return writeAiSdkPart(part, place)
  return isAsRead(part) ? own : withFields(own, { output: patchOutput(own['output'], part, place) })
}

function patchPiece(
  piece: HistoryContent | HistoryPart,
  fresh: Set<WrittenPiece>,
  place: string,
  write: typeof writeAiSdkPiece = writeAiSdkPiece,
): WrittenPiece {
  const own = piece.native?.format === AI_SDK_MESSAGES ? piece.native.value : undefined
  if (own !== undefined && !isOutput(own)) {
    if (isAsRead(piece) || piece.type !== 'text') return own as WrittenPiece
    if (typeof own === 'string') return piece.text
    if (isFields(own)) return patchText(own, piece.text)
  }
  const part = write(piece as HistoryContent, place)
  if (part['type'] === 'text') fresh.add(part)
  return part
}

function patchText(part: Fields, text: string): Fields {
  if (aiSdkText(part) === text) return part
  if (isFields(part['data'])) return { ...part, data: { ...part['data'], text } }
  return { ...part, text }
}

/** Whether a native value is a whole output, and not a part of one. */
const isOutput = (own: unknown): own is Fields =>
  isFields(own) && (Object.hasOwn(own, 'value') || own['type'] === 'execution-denied')

function patchOutput(output: Fields, { content, isError }: HistoryToolResult, place: string): Fields {
  const [only] = content
  const own = only?.native?.format === AI_SDK_MESSAGES ? only.native.value : undefined
  if (only !== undefined && content.length === 1 && isOutput(own)) return patchWhole(own, only)
  if (output['type'] === 'content' || content.some(({ native }) => native?.format === AI_SDK_MESSAGES)) {
    const fresh = new Set<WrittenPiece>()
    const pieces = content.map((piece) => patchPiece(piece, fresh, place, writeOutputPart))
    const value = joinContent(Array.isArray(output['value']) ? output['value'] : [], pieces, fresh, '\n')
    return withFields(output, { type: 'content', value })
  }
  return withFields(output, { reason: undefined, ...writeOutput(content, isError === true, place) })
}

function patchWhole(own: Fields, piece: HistoryContent): Fields {
  if (piece.type === 'text') return withFields(own, { value: piece.text })
  return piece.type === 'json' ? withFields(own, { value: piece.value }) : own
}

function joinContent(
  original: unknown,
  pieces: readonly WrittenPiece[],
  fresh: ReadonlySet<WrittenPiece>,
  separator: string,
): unknown {
  const toPart = (text: string): Fields => ({ type: 'text', text })
  return writeContentList({ original, pieces, fresh, toPart, separator, marks: ['providerOptions'] })
}
