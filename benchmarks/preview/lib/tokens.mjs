// o200k_base tokens; text that looks like a special token counts as ordinary text.
import * as tok from 'gpt-tokenizer/encoding/o200k_base'

const plain = { allowedSpecial: new Set(), disallowedSpecial: new Set() }
export const encode = (s) => tok.encode(s, plain)
export const decode = (t) => tok.decode(t)
export const countTokens = (s) => encode(s).length

/** is the text longer than n tokens? Looks only as far as needed. */
export function longerThan(s, n) {
  for (let cut = n * 4; cut < s.length; cut *= 2) if (countTokens(s.slice(0, cut)) > n) return true
  return countTokens(s) > n
}
/** longest prefix of at most n tokens (a cut inside a character is dropped; a cut text can need more tokens, so it is counted again) */
export function headTokens(s, n) {
  if (n <= 0) return ''
  const t = encode(s.slice(0, n * 40))
  if (t.length <= n && s.length <= n * 40) return s
  for (let k = n; ; k--) {
    const out = decode(t.slice(0, k)).replace(/\uFFFD+$/, '')
    if (k === 0 || countTokens(out) <= n) return out
  }
}
/** longest suffix of at most n tokens */
export function tailTokens(s, n) {
  if (n <= 0) return ''
  const part = s.slice(-n * 40)
  const t = encode(part)
  if (t.length <= n && part.length === s.length) return s
  for (let k = n; ; k--) {
    const out = k ? decode(t.slice(-k)).replace(/^\uFFFD+/, '') : ''
    if (k === 0 || countTokens(out) <= n) return out
  }
}
