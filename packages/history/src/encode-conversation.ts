import { parseExactJson } from '@spillway/text/internal/json'
import { decodeLossless, encodeLossless } from './lossless-json.ts'
import type { HistoryFormat } from './history-format.ts'
import type { HistoryMessage } from './history-message.ts'

/** Write messages as JSON, as their format has them, by which they can be read again exactly. */
export function encodeConversation(format: HistoryFormat<unknown>, messages: readonly HistoryMessage[]): string {
  const conversation = format.write(messages)
  return JSON.stringify(format.encode?.(conversation) ?? encodeLossless(conversation), null, 2)
}

/** Undo {@link encodeConversation}. Throws where the text is none of this format. */
export function decodeConversation(format: HistoryFormat<unknown>, json: string): readonly HistoryMessage[] {
  const value = parseExactJson(json)
  return format.read(format.decode === undefined ? decodeLossless(value) : format.decode(value))
}
