import { parseExactJson, plainNumber } from '@spillway/core/adapter'

/** Longer texts are not parsed to compare them: the values would take many times their size. */
const MAX_PARSED_LENGTH = 4_194_304

/** Tell whether a text is a value as JSON, in any spelling. */
export function isSameJson(text: string, value: unknown): boolean {
  if (text.length > MAX_PARSED_LENGTH) return isWritten(text, value)
  const parsed = parseJson(text)
  return parsed !== undefined && isEqual(parsed, value)
}

/** Whether the text is the value in one of the spellings that serializers have by default. */
function isWritten(text: string, value: unknown): boolean {
  const second = text.charAt(1)
  const indent = /\s/.test(second) ? (/^.\s*?( +)\S/.exec(text.slice(0, 32))?.[1]?.length ?? 0) : 0
  return JSON.stringify(value, undefined, indent) === text
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}

/**
 * Tell whether values that came as JSON are the same. They are as deep as the parser allows, so that no stack of calls is
 * used. A number of `left` that was kept digit by digit is also what it is as a JavaScript number, as SDKs have read it.
 */
export function isEqual(left: unknown, right: unknown): boolean {
  const pairs: (readonly [unknown, unknown])[] = [[left, right]]
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [exact, b] = pair
    const a = typeof b === 'number' ? plainNumber(exact) : exact
    if (a === b) continue
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
    if (Array.isArray(a) !== Array.isArray(b)) return false
    const keys = Object.keys(a)
    if (keys.length !== Object.keys(b).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false
      pairs.push([(a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]])
    }
  }
  return true
}
