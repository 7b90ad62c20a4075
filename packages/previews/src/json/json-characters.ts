/** Character codes of JSON syntax. */
export const QUOTE = 34
export const APOSTROPHE = 39

const WORD = 1
export const NUMBER = 2

/** Characters that start a number or a word, by code. */
export const STARTS: Uint8Array = new Uint8Array(128)
/** Characters within a number or a word, by code. */
export const INNER: Uint8Array = new Uint8Array(128)
for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$') {
  STARTS[char.charCodeAt(0)] = WORD
  INNER[char.charCodeAt(0)] = 1
}
for (const char of '0123456789+-.') {
  STARTS[char.charCodeAt(0)] = NUMBER
  INNER[char.charCodeAt(0)] = 1
}

/** Words of JSON, and the corresponding words of JavaScript and Python. */
export const WORDS: ReadonlySet<string> = new Set(
  'true false null undefined NaN Infinity True False None nan inf'.split(' '),
)

/** Whether a character is a rare blank, the byte order mark, or the separator of RFC 7464. */
export function isBlank(code: number): boolean {
  return code === 13 || code === 9 || code === 0xfeff || code === 0x1e || code === 0xa0
}
