import { shareBudget } from '@spillway/core/internal'
import { cutAtGrapheme } from '@spillway/text/internal'
import type { HistoryContent, HistoryMessage, HistoryPart } from '../history-message.ts'
import { inputText, jsonText } from '../measure/count-message.ts'

/** Characters of a token, at the least: what is cut to so many has no more tokens. */
const CHARACTERS_PER_TOKEN = 3
/** Of a text that is too long, this share of what is shown comes from its beginning. */
const SHARE_OF_BEGINNING = 0.6

/**
 * Write messages as a text for a model that summarises them, each under a heading with its number.
 *
 * Beyond `maxTokens` the longest texts are shortened in their middle, and say so; short ones stay whole.
 */
export function renderMessages(messages: readonly HistoryMessage[], maxTokens: number): string {
  const pieces = messages.flatMap((message, index) => renderMessage(message, index + 1))
  const budget = maxTokens * CHARACTERS_PER_TOKEN
  const shares = shareBudget(
    pieces.map((piece) => piece.length),
    budget,
  )
  return pieces.map((piece, index) => shorten(piece, shares[index] ?? 0)).join('\n')
}

function renderMessage({ role, parts }: HistoryMessage, number: number): string[] {
  return [`### ${number} ${role}`, ...parts.map(renderPart).filter((text) => text !== '')]
}

function renderPart(part: HistoryPart): string {
  switch (part.type) {
    case 'tool-call':
      return `[call of ${part.name}] ${inputText(part)}`
    case 'tool-result': {
      const what = part.isError === true ? 'error' : 'result'
      return `[${what} of ${part.toolName || 'the tool'}] ${part.content.map(renderContent).join('\n')}`
    }
    case 'reasoning':
      return part.text === '' ? '' : `[thought] ${part.text}`
    default:
      return renderContent(part)
  }
}

function renderContent(content: HistoryContent): string {
  switch (content.type) {
    case 'text':
      return content.text
    case 'json':
      return jsonText(content.value)
    case 'opaque':
      return '[a part that only the provider knows]'
    default:
      return `[${content.type}: ${content.mediaType}${content.name === undefined ? '' : `, ${content.name}`}]`
  }
}

function shorten(text: string, units: number): string {
  if (text.length <= units) return text
  const start = cutAtGrapheme(text, units * SHARE_OF_BEGINNING)
  const end = cutAtGrapheme(text, units * (1 - SHARE_OF_BEGINNING), true)
  return `${start}\n[… ${text.length - start.length - end.length} characters are left out here …]\n${end}`
}
