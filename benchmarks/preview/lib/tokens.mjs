// o200k_base tokens; text that looks like a special token counts as ordinary text.
import * as tok from 'gpt-tokenizer/encoding/o200k_base'

const plain = { allowedSpecial: new Set(), disallowedSpecial: new Set() }
export const encode = (s) => tok.encode(s, plain)
export const decode = (t) => tok.decode(t)
export const countTokens = (s) => encode(s).length

/** is the text longer than n tokens? Reads only as much as necessary. */
export function longerThan(s, n) {
  for (let cut = n * 4; cut < s.length; cut *= 2) if (countTokens(s.slice(0, cut)) > n) return true
  return countTokens(s) > n
}
/** encode a part that is long enough for n tokens, or the whole text */
function encodeEnough(n, length, part) {
  for (let cut = n * 8; ; cut *= 2) {
    const t = encode(part(cut))
    if (t.length > n + 16 || cut >= length) return t
  }
}
/**
 * longest prefix of at most n tokens (a cut character is dropped; the prefix is counted again, because it can have
 * more)
 */
export function headTokens(s, n) {
  if (n <= 0) return ''
  const t = encodeEnough(n, s.length, (cut) => s.slice(0, cut))
  if (t.length <= n) return s
  for (let k = n; ; k--) {
    const out = decode(t.slice(0, k)).replace(/\uFFFD+$/, '')
    if (k === 0 || countTokens(out) <= n) return out
  }
}
/** longest suffix of at most n tokens */
export function tailTokens(s, n) {
  if (n <= 0) return ''
  const t = encodeEnough(n, s.length, (cut) => s.slice(-cut))
  if (t.length <= n) return s
  for (let k = n; ; k--) {
    const out = k ? decode(t.slice(-k)).replace(/^\uFFFD+/, '') : ''
    if (k === 0 || countTokens(out) <= n) return out
  }
}
