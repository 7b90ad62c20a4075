import { HttpError } from '../app/http-error.ts'
import { inspectJson } from './inspect-json.ts'

/** How a body may be made. */
export interface JsonLimits {
  /** How deep arrays and objects may stand in each other. */
  readonly maxJsonDepth: number
  /** How many values there may be: each takes memory of its own. */
  readonly maxJsonValues: number
}

/**
 * Parse a body of JSON in UTF-8. Of equal keys in one object the last counts; `__proto__` is a key like any other.
 *
 * @param parse - Throws a `SyntaxError` for what is no JSON. Defaults to `JSON.parse`.
 * @throws HttpError `invalid-json` for what is none, or is nested too deep; `too-large` where it has too many values.
 */
export function parseJsonBody(
  bytes: Uint8Array,
  { maxJsonDepth, maxJsonValues }: JsonLimits,
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  const { depth, values } = inspectJson(bytes)
  if (depth > maxJsonDepth)
    throw new HttpError('invalid-json', `The JSON is nested deeper than ${maxJsonDepth} levels.`)
  if (values > maxJsonValues) throw new HttpError('too-large', `The JSON has more than ${maxJsonValues} values.`)
  try {
    return parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    // Neither message is passed on: that of the parser quotes the body.
    if (error instanceof SyntaxError) throw new HttpError('invalid-json', 'The body is no JSON.', { cause: error })
    if (error instanceof TypeError) throw new HttpError('invalid-json', 'The body is not UTF-8.', { cause: error })
    throw error
  }
}
