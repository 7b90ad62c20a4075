import { mediaTokensOfSize } from '@spillway/core/internal'
import { type CountTokens, estimateLargeTokens } from '@spillway/text/internal'
import {
  isAsRead,
  isSameList,
  type HistoryContent,
  type HistoryMedia,
  type HistoryMessage,
  type HistoryPart,
  type HistoryToolCall,
  type HistoryToolResult,
} from '../history-message.ts'

/** The overhead of OpenAI's chat format; other formats are similar. */
const MESSAGE_TOKENS = 4
const CALL_TOKENS = 4
const BASE64_FACTOR = 0.75

interface Counted {
  readonly marks: readonly unknown[]
  readonly tokens: number
}

const known = new WeakMap<CountTokens, WeakMap<object, Counted>>()

/** Count the tokens of a message; media count by size. */
export function countMessage(message: HistoryMessage, countTokens: CountTokens): number {
  const native: unknown = isAsRead(message) ? message.native?.value : undefined
  if (typeof native !== 'object' || native === null) return countParts(message, countTokens)
  let counts = known.get(countTokens)
  if (counts === undefined) known.set(countTokens, (counts = new WeakMap()))
  const marks = marksOf(message.parts)
  const counted = counts.get(native)
  // The object may have been changed since.
  if (counted !== undefined && isSameList(counted.marks, marks)) return counted.tokens
  const tokens = countParts(message, countTokens)
  counts.set(native, { marks, tokens })
  return tokens
}

function marksOf(parts: readonly (HistoryPart | HistoryContent)[], marks: unknown[] = []): readonly unknown[] {
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'reasoning') marks.push(part.text)
    else if (part.type === 'tool-call')
      marks.push(part.name, part.inputIsText ? part.input : jsonText(part.input).length)
    else if (part.type === 'tool-result') marksOf(part.content, marks)
    else if (part.type === 'json' || part.type === 'opaque') marks.push(jsonText(part.value).length)
    else marks.push(part.type, part.data?.byteLength, part.base64?.length, part.url)
  }
  return marks
}

function countParts({ parts }: HistoryMessage, countTokens: CountTokens): number {
  return parts.reduce((sum, part) => sum + countPart(part, countTokens), MESSAGE_TOKENS)
}

export function countPart(part: HistoryPart, countTokens: CountTokens): number {
  switch (part.type) {
    case 'tool-call':
      return CALL_TOKENS + countTokens(part.name) + estimateLargeTokens(inputText(part), countTokens)
    case 'tool-result':
      return countResult(part, countTokens)
    case 'reasoning':
      return estimateLargeTokens(part.text, countTokens)
    default:
      return countContent(part, countTokens)
  }
}

const REMEMBERED_UNITS = 2_000
const knownResults = new WeakMap<CountTokens, WeakMap<HistoryToolResult, number>>()

function countResult(result: HistoryToolResult, countTokens: CountTokens): number {
  const count = (): number => result.content.reduce((sum, content) => sum + countContent(content, countTokens), 0)
  const isLarge = result.content.some((content) => content.type === 'text' && content.text.length >= REMEMBERED_UNITS)
  // Parts that no format has read may be changed later.
  if (!isLarge || !isAsRead(result)) return count()
  let counts = knownResults.get(countTokens)
  if (counts === undefined) knownResults.set(countTokens, (counts = new WeakMap()))
  const tokens = counts.get(result) ?? count()
  counts.set(result, tokens)
  return tokens
}

export function countContent(content: HistoryContent, countTokens: CountTokens): number {
  switch (content.type) {
    case 'text':
      return estimateLargeTokens(content.text, countTokens)
    case 'json':
    case 'opaque':
      return estimateLargeTokens(jsonText(content.value), countTokens)
    default:
      return countMedia(content)
  }
}

function countMedia({ type, data, base64, url }: HistoryMedia): number {
  const bytes = data?.byteLength ?? (base64 === undefined ? undefined : Math.floor(base64.length * BASE64_FACTOR))
  return bytes === undefined && url === undefined ? 0 : mediaTokensOfSize(type, bytes)
}

/** Return a call's arguments as JSON text. */
export const inputText = ({ input, inputIsText }: HistoryToolCall): string =>
  inputIsText && typeof input === 'string' ? input : jsonText(input)

/** Serialize a value; a value that JSON cannot express is empty. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    // No API could send cycles, big integers or too deep values either.
    if (error instanceof Error) return ''
    throw error
  }
}
