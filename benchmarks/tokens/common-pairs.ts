/**
 * Prints the table of `packages/text/src/tokens/estimate-tokens.ts`: `node benchmarks/tokens/common-pairs.ts`.
 *
 * The table contains non-ASCII characters that are a single token of o200k_base, and for each script the first pairs of
 * letters in its vocabulary. The numbers of pairs were chosen so that the errors of estimates are equally small for
 * natural text and for random letters.
 */
import { decode } from 'gpt-tokenizer/encoding/o200k_base'

const PAIRS: Readonly<Record<string, number>> = {
  Arabic: 300,
  Armenian: 250,
  Bengali: 300,
  Cyrillic: 300,
  Devanagari: 350,
  Georgian: 200,
  Greek: 150,
  Gujarati: 250,
  Gurmukhi: 50,
  Hangul: 50,
  Hebrew: 150,
  Kannada: 250,
  Khmer: 100,
  Latin: 600,
  Malayalam: 400,
  Myanmar: 100,
  Sinhala: 50,
  Tamil: 150,
  Telugu: 200,
  Thai: 350,
}
const VOCABULARY = 199_998
const BITS = 32_768

const table = new Uint8Array(BITS / 8)
const add = (first: number, second: number): void => {
  const bit = ((Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 7) % BITS
  table[bit >> 3]! |= 1 << (bit & 7)
}

const scripts = Object.keys(PAIRS).map((script) => ({ script, letter: new RegExp(`\\p{Script=${script}}`, 'u') }))
const pairs = new Map<string, Set<string>>(Object.keys(PAIRS).map((script) => [script, new Set()]))
for (let id = 0; id < VOCABULARY; id++) {
  const token = decode([id])
  if (token.includes('\uFFFD')) continue
  if (token.length === 1 && token > '\u007F') add(0, token.charCodeAt(0))
  const pair = token.trim()
  if (pair.length !== 2 || !/^[\p{L}\p{M}]{2}$/u.test(pair) || !/[^\0-\u007F]/.test(pair)) continue
  const { script = '' } = scripts.find(({ letter }) => letter.test(pair)) ?? {}
  const known = pairs.get(script)
  if (known !== undefined && known.size < (PAIRS[script] ?? 0)) known.add(pair)
}
for (const known of pairs.values()) for (const pair of known) add(pair.charCodeAt(0), pair.charCodeAt(1))
console.log(Buffer.from(table).toString('base64'))
