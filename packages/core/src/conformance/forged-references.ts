import { pick, randomBelow } from './sample.ts'

export const MALFORMED_REFERENCES: readonly string[] = [
  ...['', '.', '..', '/', '../', '../../../../etc/passwd', '..\\..\\windows\\win.ini', '/etc/passwd'],
  ...['C:\\Windows\\win.ini', '\\\\server\\share\\file', '~/.ssh/id_rsa', '.metadata.json'],
  ...['file:///etc/passwd', 's3://bucket/key', 'https://example.com/', '%2e%2e%2fetc%2fpasswd'],
  ...['..%2f..%2fetc', '%252e%252e%252f', '..%c0%af..%c0%af', '．．／etc', '‥/etc', 'call_1_0\u0000.txt'],
  ...['call_1_0\n', '\ncall_1_0', ' call_1_0', 'call_1_0 ', 'call*', 'call_1_?', '{call}', '$(id)', '`id`'],
  ...["'; DROP TABLE entries; --", 'a\r\nGET / HTTP/1.1', '__proto__', 'constructor', 'hasOwnProperty', 'con'],
  ...['nul', 'con.txt', '\ud800', '\u202e', '\ufeff', 'ｃａｌｌ', 'саll_1_0', '_'.repeat(64), 'a'.repeat(65)],
  ...['a'.repeat(255), 'a'.repeat(100_000), '../'.repeat(10_000)],
]

type Random = () => number
type Forgery = (reference: string, other: string) => string

const SUFFIXES = [
  ...['\u0000', '\n', '\r', '\t', ' ', '.', '/', '/..', '/.', '.txt', '.json', '%00', '?', '#', '*', '\u00a0'],
  '\u200b',
]
const PREFIXES = [
  ...['/', './', '../', '..\\', '%2e%2e%2f', '..%2f', '....//', '~/', '\u0000', '\n', ' ', '\ufeff', '\u200b'],
  ...['"', "'"],
]
const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz0123456789_')
const LOOK_ALIKES = ['а', 'ｅ', 'ı', 'ſ', 'K', '０', '＿', '\u0301', '\ud83d']

/** Ways to forge a reference from a reference of this scope or of another scope. */
const FORGERIES: readonly Forgery[] = [
  (_reference, other) => other,
  (reference, other) => `${other}/${reference}`,
  (reference, other) => `../${other}/${reference}`,
  (reference, other) => reference.slice(0, -20) + other.slice(-20),
  ...PREFIXES.map(
    (prefix): Forgery =>
      (reference) =>
        prefix + reference,
  ),
  ...SUFFIXES.map(
    (suffix): Forgery =>
      (reference) =>
        reference + suffix,
  ),
  (reference) => reference.toUpperCase(),
  (reference) => reference.slice(0, -1),
  (reference) => reference.slice(1),
  (reference) => reference + reference,
  (reference) => reference.replaceAll('_', '-'),
  (reference) => reference.replaceAll('_', '/'),
  (reference) => reference.replaceAll('_', '%5f'),
  (reference) => Array.from(reference, fullWidth).join(''),
]

const MUTATIONS: readonly ((random: Random, reference: string, other: string) => string)[] = [
  (random, reference, other) => pick(random, FORGERIES)(reference, other),
  (random, reference) => pick(random, PREFIXES).repeat(1 + randomBelow(random, 8)) + reference,
  (random, reference) => reference + pick(random, SUFFIXES) + pick(random, SUFFIXES),
  (random, reference) => changed(random, reference, () => pick(random, LETTERS)),
  (random, reference) => changed(random, reference, () => pick(random, LOOK_ALIKES)),
  (random, reference) => changed(random, reference, fullWidth),
  (random, reference) => changed(random, reference, (character) => character.toUpperCase()),
  (random, reference) => changed(random, reference, () => randomCharacter(random)),
  (random) => Array.from({ length: randomBelow(random, 70) }, () => pick(random, LETTERS)).join(''),
  (random) => Array.from({ length: randomBelow(random, 40) }, () => randomCharacter(random)).join(''),
  (random, reference) => pick(random, MALFORMED_REFERENCES) + reference,
]

/**
 * Yield references that an attacker or a confused model might try in a scope: first all known forgeries, then random
 * references without end.
 *
 * @param own - References that are valid in this scope. These references are changed, and never yielded unchanged.
 * @param others - References and names from other scopes, also yielded unchanged.
 */
export function* forgedReferences(
  random: Random,
  own: readonly string[],
  others: readonly string[],
): Generator<string, never> {
  yield* others
  for (const forge of FORGERIES) yield forge(pick(random, own), pick(random, others))
  for (;;) {
    let forged = pick(random, own)
    for (let times = 1 + randomBelow(random, 3); times > 0; times -= 1)
      forged = pick(random, MUTATIONS)(random, forged, pick(random, others))
    if (!own.includes(forged)) yield forged
  }
}

const fullWidth = (character: string): string => String.fromCharCode(character.charCodeAt(0) + 0xfee0)

const randomCharacter = (random: Random): string => String.fromCharCode(randomBelow(random, 0x10000))

function changed(random: Random, reference: string, change: (character: string) => string): string {
  if (reference === '') return change('a')
  const at = randomBelow(random, reference.length)
  return reference.slice(0, at) + change(reference.charAt(at)) + reference.slice(at + 1)
}
