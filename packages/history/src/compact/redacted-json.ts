import { parseExactJson, parseJsonText } from '@spillway/text/internal/json'
import { redacted } from '@spillway/core/internal'

/** Why something stays in a history that `redact` would make useless. */
export const NO_JSON =
  'redact leaves what is no JSON, which could not be read again. Let it take out of a text no more than the secret, such as no quote behind it.'

/**
 * Take out of JSON what `redact` takes out: of each text in it, as that is what it knows, and then of the whole, where keys
 * stand beside their values. `undefined` where that leaves no JSON, as what is stored could not be read again then.
 */
export function redactedJson(json: string, redact: (text: string) => string): string | undefined {
  // Most has nothing to be taken out, and need not be parsed.
  let isHit = false
  const watched = (text: string): string => {
    const left = redacted(text, redact)
    isHit ||= left !== text
    return left
  }
  const take = (_key: string, one: unknown): unknown => (typeof one === 'string' ? watched(one) : one)
  JSON.parse(json, take)
  const text = redacted(isHit ? JSON.stringify(parseExactJson(json), take, 2) : json, redact)
  return text === json || parseJsonText(text) !== undefined ? text : undefined
}
