import { isAsRead } from '../as-read.ts'
import type { HistoryContent, HistoryMessage, HistoryPart, HistoryToolResult } from '../history-message.ts'
import { isFields, type Fields } from './check-fields.ts'
import { writeContentList, type WrittenPiece } from './content-list.ts'
import { writeGeminiPart, writeGeminiPiece, writeResponse } from './gemini-convert.ts'
import { GEMINI_CONTENTS } from './gemini-read.ts'
import { responseTextField } from './response-text.ts'
import { withFields } from './with-fields.ts'

/** Write a content, or the instruction of the system, with the parts that it has now; all other fields stay in their order. */
export function patchGeminiContent(native: Fields, { parts }: HistoryMessage, index: number): Fields {
  const fresh = new Set<WrittenPiece>()
  const pieces = parts.map((part, at) => patchPart(part, fresh, `contents[${index}].parts[${at}]`))
  const join = (original: unknown): unknown =>
    writeContentList({ original, pieces, fresh, toPart, separator: '\n\n', marks: [] })
  if (!Object.hasOwn(native, 'systemInstruction')) {
    const parts = pieces.length === 0 && native['parts'] === undefined ? undefined : join(native['parts'] ?? [])
    return withFields(native, { parts })
  }
  const { systemInstruction: whole } = native
  const isContent = isFields(whole) && 'parts' in whole
  const systemInstruction = isContent ? withFields(whole, { parts: join(whole['parts']) }) : join(whole)
  return withFields(native, { systemInstruction })
}

const toPart = (text: string): Fields => ({ text })

function patchPart(part: HistoryPart, fresh: Set<WrittenPiece>, place: string): WrittenPiece {
  const own = part.native?.format === GEMINI_CONTENTS ? part.native.value : undefined
  if (own !== undefined && isAsRead(part)) return own as WrittenPiece
  if (part.type === 'text') {
    if (isFields(own)) return withFields(own, { text: part.text })
    if (typeof own === 'string') return part.text
    const written = toPart(part.text)
    fresh.add(written)
    return written
  }
  if (!isFields(own)) {
    if (part.type === 'tool-call' || part.type === 'tool-result') return writeGeminiPart(part, undefined, place)
    return own === undefined ? writeGeminiPiece(part as HistoryContent, place) : (own as WrittenPiece)
  }
  const { functionCall, functionResponse } = own
  if (part.type === 'tool-call' && isFields(functionCall)) {
    const isNothing = functionCall['args'] === undefined && isFields(part.input) && Object.keys(part.input).length === 0
    return isNothing ? own : withFields(own, { functionCall: withFields(functionCall, { args: part.input }) })
  }
  if (part.type !== 'tool-result' || !isFields(functionResponse)) return own
  return withFields(own, { functionResponse: patchResponse(functionResponse, part, place) })
}

/** The value of a response has a field of its own, and media that come with it another. */
function patchResponse(native: Fields, part: HistoryToolResult, place: string): Fields {
  const values: HistoryContent[] = []
  const parts: unknown[] = []
  for (const piece of part.content) {
    const own = nativeOf(piece)
    if (own !== undefined && Object.hasOwn(own, 'part')) parts.push(own['part'])
    else if (own !== undefined || piece.type === 'text' || piece.type === 'json' || piece.type === 'opaque')
      values.push(piece)
    else parts.push(writeGeminiPiece(piece, place))
  }
  const before: readonly unknown[] = Array.isArray(native['parts']) ? native['parts'] : []
  const isSame = parts.length === before.length && parts.every((one, at) => one === before[at])
  const response = patchValue(native['response'], values, part.isError === true, place)
  return withFields(native, { response, ...(isSame ? {} : { parts: parts.length === 0 ? undefined : parts }) })
}

const nativeOf = ({ native }: HistoryContent): Fields | undefined =>
  native?.format === GEMINI_CONTENTS && isFields(native.value) ? native.value : undefined

function patchValue(original: unknown, values: readonly HistoryContent[], isError: boolean, place: string): unknown {
  const [only] = values
  if (only === undefined) return original === undefined ? undefined : {}
  const own = values.length === 1 ? nativeOf(only)?.['response'] : undefined
  if (own !== undefined && (isAsRead(only) || only.type !== 'text')) return only.type === 'json' ? only.value : own
  const response = own ?? original
  const field = isFields(response) ? responseTextField(response) : undefined
  if (values.length === 1 && only.type === 'text' && field !== undefined)
    return withFields(response as Fields, { [field]: only.text })
  return writeResponse(values, isError, place)
}
