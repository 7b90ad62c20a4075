/** How an expression can be matched on the bytes of UTF-8. */
export interface ByteTraits {
  /**
   * Whether text that has one unit for each byte will do: where no part of the expression can tell one byte beyond ASCII
   * from another, from several, or from a character.
   */
  readonly isSingleByte: boolean
  /** Whether a CR, or where a line ends, makes a difference. */
  readonly seesLineEnds: boolean
}

const OTHER: ByteTraits = { isSingleByte: false, seesLineEnds: true }
/** Escapes of single ASCII characters, of `\d`, `\w` and `\b`. */
const PLAIN_ESCAPE = /^\\[dwbtfv^$\\.*+?()[\]{}|/\-"' ]/
/** Escapes of all but some ASCII characters. */
const OPEN_ESCAPE = /^\\[DW]/
const SET = /^\[(\^?)((?:[ -Z^-~]|\[|\\[dwbtfv^$\\.*+?()[\]{}|/\-"' ])*)\]/
/** What may follow a set of characters that are not ASCII alone: then it does not matter how many they are. */
const ANY_NUMBER = /^(?:\*|\+(?!\?))/
const REPEATED_GROUP = /\)[*+?{]/

/**
 * Look at the source of an expression, conservatively.
 *
 * Sets that have characters beyond ASCII (`.`, `[^"]`, `\W`) are taken only where any number of them will do, so that it
 * does not matter that a character is several bytes: with `*`, and at most once with `+`, outside of repeated groups.
 */
export function byteTraits(expression: string): ByteTraits {
  let seesLineEnds = false
  let plus = 0
  for (let rest = expression; rest !== '';) {
    const set = SET.exec(rest)
    const isOpen = rest[0] === '.' || OPEN_ESCAPE.test(rest) || set?.[1] === '^'
    const length = set?.[0].length ?? (rest[0] === '\\' ? 2 : 1)
    if (isOpen) {
      seesLineEnds = true
      const number = ANY_NUMBER.exec(rest.slice(length))?.[0]
      if (number === undefined || (number === '+' && ++plus > 1) || REPEATED_GROUP.test(expression)) return OTHER
    } else if (set === null) {
      const isGroup = rest[0] === '(' && rest[1] === '?'
      if (rest[0] === '[' || rest[0]! > '~' || rest[0]! < ' ' || (isGroup && rest[2] !== ':')) return OTHER
      if (rest[0] === '\\' && !PLAIN_ESCAPE.test(rest)) return OTHER
      if (rest[0] === '^' || rest[0] === '$') seesLineEnds = true
    }
    rest = rest.slice(length)
  }
  return { isSingleByte: true, seesLineEnds }
}
