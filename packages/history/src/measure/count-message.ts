import { mediaTokensOfSize } from '@spillway/core/internal'
import { type CountTokens, estimateLargeTokens } from '@spillway/text/internal'
import type { HistoryContent, HistoryMedia, HistoryMessage, HistoryPart, HistoryToolCall } from '../history-message.ts'

/** Tokens that OpenAI's chat format adds to each message. Other APIs add a similar number. */
const MESSAGE_TOKENS = 4
const CALL_TOKENS = 4
const BASE64_FACTOR = 0.75

/** Number of remembered passes. Sub-agents of one session take turns, and each sub-agent has its own history. */
const MAX_PASSES = 8

/** Counts the tokens of texts. Remembers the counts of the last passes, because a loop passes the same texts again. */
export class TextCounter {
  readonly #countTokens: CountTokens
  readonly #passes: Map<string, number>[] = [new Map()]

  constructor(countTokens: CountTokens) {
    this.#countTokens = countTokens
  }

  readonly count: CountTokens = (text) => {
    const cached = this.#passes.find((pass) => pass.has(text))?.get(text)
    const tokens = cached ?? estimateLargeTokens(text, this.#countTokens)
    this.#passes[0]!.set(text, tokens)
    return tokens
  }

  startPass(): void {
    this.#passes.unshift(new Map())
    this.#passes.splice(MAX_PASSES)
  }
}

/** Count the tokens of a message. The tokens of media are estimated from their size. */
export const countMessage = ({ parts }: HistoryMessage, countTokens: CountTokens): number =>
  parts.reduce((sum, part) => sum + countPart(part, countTokens), MESSAGE_TOKENS)

export function countPart(part: HistoryPart, countTokens: CountTokens): number {
  switch (part.type) {
    case 'tool-call':
      return CALL_TOKENS + countTokens(part.name) + countTokens(inputText(part))
    case 'tool-result':
      return part.content.reduce((sum, content) => sum + countContent(content, countTokens), 0)
    case 'reasoning':
      return countTokens(part.text)
    default:
      return countContent(part, countTokens)
  }
}

function countContent(content: HistoryContent, countTokens: CountTokens): number {
  switch (content.type) {
    case 'text':
      return countTokens(content.text)
    case 'json':
    case 'opaque':
      return countTokens(jsonText(content.value))
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

/** Serialize a value. If JSON cannot express the value, return an empty text. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    // No API can send cycles, big integers or values that are too deep, so they have no tokens.
    if (error instanceof Error) return ''
    throw error
  }
}
