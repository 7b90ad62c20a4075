import { pick, randomBelow } from './sample.ts'

/** What nobody should take for a reference. */
export const MALFORMED_REFERENCES: readonly string[] = [
  '',
  '.',
  '..',
  '/',
  '../',
  '../../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '/etc/passwd',
  'C:\\Windows\\win.ini',
  '\\\\server\\share\\file',
  '~/.ssh/id_rsa',
  '.metadata.json',
  'file:///etc/passwd',
  's3://bucket/key',
  'https://example.com/',
  '%2e%2e%2fetc%2fpasswd',
  '..%2f..%2fetc',
  '%252e%252e%252f',
  '..%c0%af..%c0%af',
  '．．／etc',
  '‥/etc',
  'call_1_0\u0000.txt',
  'call_1_0\n',
  '\ncall_1_0',
  ' call_1_0',
  'call_1_0 ',
  'call*',
  'call_1_?',
  '{call}',
  '$(id)',
  '`id`',
  "'; DROP TABLE entries; --",
  'a\r\nGET / HTTP/1.1',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'con',
  'nul',
  'con.txt',
  '\ud800',
  '\u202e',
  '\ufeff',
  'ｃａｌｌ',
  'саll_1_0',
  '_'.repeat(64),
  'a'.repeat(65),
  'a'.repeat(255),
  'a'.repeat(100_000),
  '../'.repeat(10_000),
]

type Random = () => number
type Mutation = (random: Random, reference: string, other: string) => string

const MUTATIONS: readonly Mutation[] = [
  (_random, _reference, other) => other,
  (_random, reference, other) => `../${other}/${reference}`,
  (_random, reference, other) => `${other}/${reference}`,
  (_random, reference) => `./${reference}`,
  (_random, reference) => `/${reference}`,
  (_random, reference) => `${reference}/`,
  (random, reference) =>
    `${pick(random, ['../', '..\\', '%2e%2e%2f', '..%2f', '....//']).repeat(1 + randomBelow(random, 8))}${reference}`,
  (random, reference) =>
    `${reference}${pick(random, ['\u0000', '\n', '\r', ' ', '.', '.txt', '.json', '%00', '/..', '?', '#', '*', '\u00a0', '\u200b'])}`,
  (random, reference) => `${pick(random, ['\u0000', '\n', ' ', '\ufeff', '\u200b', '"', "'"])}${reference}`,
  (_random, reference) => reference.toUpperCase(),
  (_random, reference) => reference.slice(0, -1),
  (_random, reference) => reference.slice(1),
  (_random, reference) => reference + reference,
  (_random, reference) => reference.replaceAll('_', '-'),
  (_random, reference) => reference.replaceAll('_', '/'),
  (_random, reference) => encodeURIComponent(reference).replaceAll('_', '%5f'),
  (random, reference) => withCharacter(random, reference, pick(random, Array.from('abcdefghijklmnopqrstuvwxyz234567'))),
  (random, reference) =>
    withCharacter(random, reference, pick(random, ['а', 'ｅ', 'ı', 'ſ', 'K', '０', '＿', '\u0301', '\ud83d'])),
  (random, reference) => withCharacter(random, reference, String.fromCharCode(randomBelow(random, 0x10000))),
  (_random, reference, other) => reference.slice(0, -20) + other.slice(-20),
  (random) =>
    Array.from({ length: randomBelow(random, 70) }, () =>
      pick(random, Array.from('abcdefghijklmnopqrstuvwxyz0123456789_')),
    ).join(''),
  (random) =>
    Array.from({ length: randomBelow(random, 40) }, () => String.fromCharCode(randomBelow(random, 0x10000))).join(''),
  (random) => pick(random, MALFORMED_REFERENCES),
  (random, reference) => pick(random, MALFORMED_REFERENCES) + reference,
]

/**
 * Return a generator of references that an attacker, or a confused model, might try in a scope.
 *
 * @param own - References that are valid there: they are changed, never returned.
 * @param others - References and names of elsewhere, also returned as they are.
 */
export function forgedReferences(random: Random, own: readonly string[], others: readonly string[]): () => string {
  return () => {
    for (;;) {
      const forged = pick(random, MUTATIONS)(random, pick(random, own), pick(random, others))
      if (!own.includes(forged)) return forged
    }
  }
}

function withCharacter(random: Random, reference: string, character: string): string {
  const at = randomBelow(random, reference.length)
  return reference.slice(0, at) + character + reference.slice(at + 1)
}
