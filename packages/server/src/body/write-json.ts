import { isExactNumber, yieldWhenDue } from '@spillway/core/adapter'
import { concatBytes } from '@spillway/core/driver'

const PIECE_UNITS = 65_536
/** Level of nesting at which values are written in one step. Blocks and messages are nested less deeply. */
const MAX_LEVEL = 6
/** Limits of an array or object that is written in one step: number of members, and length of each member. */
const MAX_MEMBERS = 16
const MAX_LENGTH = 4_096

/** Write JSON in UTF-8 like `JSON.stringify`, but without blocking the event loop. */
export async function writeJson(value: unknown): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const pieces: Uint8Array[] = []
  let text = ''
  for (const part of partsOf(value, 0)) {
    text += part
    if (text.length < PIECE_UNITS) continue
    pieces.push(encoder.encode(text))
    text = ''
    await yieldWhenDue()
  }
  pieces.push(encoder.encode(text))
  return concatBytes(pieces) as Uint8Array<ArrayBuffer>
}

function* partsOf(value: unknown, level: number): Generator<string> {
  if (typeof value === 'string' && value.length > PIECE_UNITS) {
    yield '"'
    for (let start = 0; start < value.length;) {
      let end = start + PIECE_UNITS
      // The two halves of a surrogate pair stay in one part.
      if (/[\uD800-\uDBFF]/.test(value.charAt(end - 1))) end += 1
      yield JSON.stringify(value.slice(start, end)).slice(1, -1)
      start = end
    }
    yield '"'
  } else if (typeof value !== 'object' || value === null || level === MAX_LEVEL || isSmall(value)) {
    yield JSON.stringify(value) ?? 'null'
  } else if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) {
      yield index === 0 ? '[' : ','
      yield* partsOf(member, level + 1)
    }
    yield value.length === 0 ? '[]' : ']'
  } else {
    let mark = '{'
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue
      yield `${mark}${JSON.stringify(name)}:`
      yield* partsOf(member, level + 1)
      mark = ','
    }
    yield mark === '{' ? '{}' : '}'
  }
}

/** Whether an object is written in one step: it is a number, or has few and short members. */
function isSmall(value: object): boolean {
  const members: readonly unknown[] = Object.values(value)
  const isShort = (member: unknown): boolean =>
    typeof member === 'string' ? member.length <= MAX_LENGTH : typeof member !== 'object'
  return isExactNumber(value) || (members.length <= MAX_MEMBERS && members.every(isShort))
}
