/** Characters that end a line somewhere, though not in stored content, and what shows them without doing so. */
const LINE_ENDINGS = /[\n\r\v\f\u0085\u2028\u2029]/g
const SYMBOLS: Readonly<Record<string, string>> = { '\r': '␍', '\v': '␋', '\f': '␌' }

/** Show a stored line so that it stays on one line, whatever it contains, with its columns as they are. */
export function oneLine(text: string): string {
  return text.replace(LINE_ENDINGS, (character) => SYMBOLS[character] ?? '␤')
}

/** Quote what a model or a storage has written: on one line, without control characters, cut at `maxLength` units. */
export function quote(text: string, maxLength = 80): string {
  return JSON.stringify(abridge(text, maxLength))
}

/** Take the beginning of an untrusted text, with each run of control characters and spaces made one space. */
export function abridge(text: string, maxLength: number): string {
  const clean = text.slice(0, maxLength * 4).replace(/[\p{C}\p{Z}]+/gu, ' ')
  return clean.length > maxLength || text.length > maxLength * 4 ? `${clean.slice(0, maxLength - 1)}…` : clean
}
