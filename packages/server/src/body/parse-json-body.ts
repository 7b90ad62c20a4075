import { endOfString } from '@spillway/core/adapter'
import { HttpError } from '../app/http-error.ts'

/** Limits of a JSON body. */
export interface JsonLimits {
  /** The nesting of arrays and objects. */
  readonly maxJsonDepth: number
  /** The number of values, each of which needs memory. */
  readonly maxJsonValues: number
}

/** Parse a JSON body in UTF-8; the last of equal keys wins. @throws HttpError `invalid-json` or `too-large`. */
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
    // The parser's message would quote the body.
    if (error instanceof SyntaxError) throw new HttpError('invalid-json', 'The body is no JSON.', { cause: error })
    if (error instanceof TypeError) throw new HttpError('invalid-json', 'The body is not UTF-8.', { cause: error })
    throw error
  }
}

interface JsonMeasure {
  readonly depth: number
  readonly values: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Measure a JSON text in one pass, without parsing or validating it. */
export function inspectJson(bytes: Uint8Array): JsonMeasure {
  let depth = 0
  let deepest = 0
  let values = 1
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = endOfString(bytes, at, QUOTE, BACKSLASH)
    } else if (byte === COMMA) {
      values += 1
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values += 1
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth -= 1
    }
  }
  return { depth: deepest, values }
}
