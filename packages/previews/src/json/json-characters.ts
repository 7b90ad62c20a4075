/** Character codes of what strings stand in. */
export const QUOTE = 34
export const APOSTROPHE = 39

const WORD = 1
export const NUMBER = 2

/** What numbers and words start with, by character code. */
export const STARTS: Uint8Array = new Uint8Array(128)
/** What can stand in them. */
export const INNER: Uint8Array = new Uint8Array(128)
for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$') {
  STARTS[char.charCodeAt(0)] = WORD
  INNER[char.charCodeAt(0)] = 1
}
for (const char of '0123456789+-.') {
  STARTS[char.charCodeAt(0)] = NUMBER
  INNER[char.charCodeAt(0)] = 1
}

const LITERALS: readonly string[] = ['true', 'false', 'null']
/** Other words that stand in their place: in JavaScript, and as Python prints them. */
const WORDS: ReadonlySet<string> = new Set(['undefined', 'NaN', 'Infinity', 'True', 'False', 'None', 'nan', 'inf'])

/** Whether what stands there is a value: `true`, `null` and the like. */
export function isWord(text: string, start: number, end: number): boolean {
  for (const word of LITERALS) if (end - start === word.length && text.startsWith(word, start)) return true
  return WORDS.has(text.slice(start, end))
}

/** Blanks beside the most usual ones, a byte order mark, and the separator of RFC 7464. */
export function isBlank(code: number): boolean {
  return code === 13 || code === 9 || code === 0xfeff || code === 0x1e || code === 0xa0
}

/** Where a character comes next; the end of the text where it does not. */
export function indexOrEnd(text: string, char: string, from: number): number {
  const at = text.indexOf(char, from)
  return at < 0 ? text.length : at
}
