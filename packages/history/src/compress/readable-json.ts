import { NO_JSON, redactedJson } from '../compact/redacted-json.ts'
import { decodeConversation } from '../encode-conversation.ts'
import type { HistoryFormat } from '../history-format.ts'

/** Take out of messages what `redact` takes out. Throws where that leaves no messages of the format: they would be lost. */
export function readableJson(
  format: HistoryFormat<unknown>,
  json: string,
  redact: ((text: string) => string) | undefined,
): string {
  if (redact === undefined) return json
  const left = redactedJson(json, redact)
  if (left === undefined) throw new TypeError(NO_JSON)
  if (left !== json) decodeConversation(format, left)
  return left
}
