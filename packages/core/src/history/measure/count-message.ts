import { mediaTokensOfSize } from '../../offload/media-tokens.ts'
import type { CountTokens } from '../../tokens/count-tokens.ts'
import { estimateLargeTokens } from '../../tokens/estimate-large-tokens.ts'
import { isAsRead } from '../as-read.ts'
import type { HistoryContent, HistoryMedia, HistoryMessage, HistoryPart, HistoryToolCall } from '../history-message.ts'

/** What a role and the marks around a message cost, as of OpenAI's chat format; others are about the same. */
const MESSAGE_TOKENS = 4
/** A call is wrapped in about as much. */
const CALL_TOKENS = 4
const BASE64_FACTOR = 0.75

/** Counts of messages as they were read: a loop hands over the same ones with every call of the model. */
const known = new WeakMap<CountTokens, WeakMap<object, number>>()

/** Count what a message costs the context: text, reasoning, calls with their names and arguments, results, media by size. */
export function countMessage(message: HistoryMessage, countTokens: CountTokens): number {
  const native: unknown = isAsRead(message) ? message.native?.value : undefined
  if (typeof native !== 'object' || native === null) return countParts(message, countTokens)
  let counts = known.get(countTokens)
  if (counts === undefined) known.set(countTokens, (counts = new WeakMap()))
  const count = counts.get(native) ?? countParts(message, countTokens)
  counts.set(native, count)
  return count
}

function countParts({ parts }: HistoryMessage, countTokens: CountTokens): number {
  return parts.reduce((sum, part) => sum + countPart(part, countTokens), MESSAGE_TOKENS)
}

/** Count what a part of a message costs the context. */
export function countPart(part: HistoryPart, countTokens: CountTokens): number {
  switch (part.type) {
    case 'tool-call':
      return CALL_TOKENS + countTokens(part.name) + estimateLargeTokens(inputText(part), countTokens)
    case 'tool-result':
      return part.content.reduce((sum, content) => sum + countContent(content, countTokens), 0)
    case 'reasoning':
      return estimateLargeTokens(part.text, countTokens)
    default:
      return countContent(part, countTokens)
  }
}

/** Count what a piece of a tool result, or a part that could be one, costs the context. */
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

/** Return the arguments of a call as JSON text. */
export const inputText = ({ input, inputIsText }: HistoryToolCall): string =>
  inputIsText && typeof input === 'string' ? input : jsonText(input)

/** Write a value as JSON; what JSON cannot express costs nothing. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    // A cycle, a big integer, or nesting beyond the stack: no API could send it either.
    if (error instanceof TypeError || error instanceof RangeError) return ''
    throw error
  }
}
