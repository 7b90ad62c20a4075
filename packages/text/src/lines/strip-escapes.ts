import { escapeEnd } from './escape-end.ts'

const ESCAPE = '\u001b'
/** No sequence is looked for further back than this: `escapeEnd` ends none later. */
const MAX_SEQUENCE = 4_096

/** Remove the escape sequences of terminals, such as those that set colors. */
export function stripEscapes(text: string): string {
  let clean = ''
  let from = 0
  for (let at = text.indexOf(ESCAPE); at >= 0; at = text.indexOf(ESCAPE, from)) {
    clean += text.slice(from, at)
    from = Math.max(at + 1, escapeEnd(text, at, text.length))
  }
  return clean + text.slice(from)
}

/** Return the escape sequence that begins before `at` and ends after it; `undefined` if `at` is in none. */
export function escapeAround(text: string, at: number): { readonly start: number; readonly end: number } | undefined {
  const start = at === 0 ? -1 : text.slice(Math.max(0, at - MAX_SEQUENCE), at).lastIndexOf(ESCAPE)
  if (start < 0) return undefined
  const from = Math.max(0, at - MAX_SEQUENCE) + start
  const end = escapeEnd(text, from, text.length)
  return end > at ? { start: from, end } : undefined
}
