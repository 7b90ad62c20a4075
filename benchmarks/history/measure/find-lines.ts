import { readableText, normalized } from '../chat/readable-text.ts'
import type { ChatMessage } from '../chat/chat-message.ts'
import type { Sent } from '../subjects/subject.ts'
import type { LaterUse } from '../transcripts/transcript.ts'

/**
 * The place of a line that the agent needs.
 *
 * - `visible`: in the context, verbatim except for runs of blanks.
 * - `stored`: not in the context, but in stored content whose name is in the context, so one call finds it.
 * - `lost`: neither.
 */
export type LinePlace = 'visible' | 'stored' | 'lost'

const normalizedOnce = new Map<string, string>()

/** Find a line in the sent messages; with `result`, only in the replacement of the result that contained it. */
export function findLine({ callId, line }: LaterUse, sent: Sent, where: 'anywhere' | 'result'): LinePlace {
  const isResult = (message: ChatMessage): boolean => message.role === 'tool' && message.tool_call_id === callId
  const messages = where === 'anywhere' ? sent.messages : sent.messages.filter(isResult)
  const texts = messages.map(readableText)
  if (texts.some((text) => text.includes(line))) return 'visible'
  for (const [name, content] of sent.stored)
    if (texts.some((text) => text.includes(name)) && normalizedText(content).includes(line)) return 'stored'
  return 'lost'
}

function normalizedText(content: string): string {
  const text = normalizedOnce.get(content) ?? normalized(content)
  normalizedOnce.set(content, text)
  return text
}

/** Number of lines by place. */
export interface LineCounts {
  readonly visible: number
  readonly stored: number
  readonly lost: number
}

/** Count places. */
export function countPlaces(places: readonly LinePlace[]): LineCounts {
  const count = (wanted: LinePlace): number => places.filter((place) => place === wanted).length
  return { visible: count('visible'), stored: count('stored'), lost: count('lost') }
}
