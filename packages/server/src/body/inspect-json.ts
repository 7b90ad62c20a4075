import { endOfString } from '@spillway/core/adapter'

/** What a JSON text costs to parse and to walk. */
export interface JsonMeasure {
  /** How deep arrays and objects stand in each other. */
  readonly depth: number
  /** About how many values there are. */
  readonly values: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Measure a JSON text without parsing it, in one pass; of what is no JSON the measure says nothing. */
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
