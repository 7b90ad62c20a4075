import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, check, checkBytes, checkEqual, rejectionCode } from '../conformance-failure.ts'
import { bytes, collect } from '../sample.ts'

const KEYS: Readonly<Record<string, readonly string[]>> = {
  empty: [''],
  long: ['k'.repeat(1_536), 'é'.repeat(1_536), `${'a/'.repeat(768)}`],
  'control-characters': ['a\u0000b', '\u0000', 'a\nb', 'a\r\nb', '\t', '\u001b[31m', '\u007f'],
  'path-like': [
    '/',
    '.',
    '..',
    '../..',
    '/etc/passwd',
    'a/b/c',
    'C:\\a',
    's3://b/k',
    '~',
    'a//b',
    'con',
    'nul.txt',
    'a.',
    ' ',
  ],
  unicode: ['日本語', 'é', 'e\u0301', '👩‍👩‍👧', '\u202e', '\ufeff', 'İ', 'ß', 'ſ'],
  'lone-surrogates': ['\ud800', '\udc00', 'a\ud800', '\udc00\ud800'],
  'prototype-names': ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then'],
  'special-characters': [
    '"',
    "'",
    '`',
    '$(id)',
    '%',
    '%00',
    '%2e%2e',
    '*',
    '?',
    '[a]',
    '{a}',
    '<a>',
    '|',
    ';',
    '&',
    '#',
    ':',
  ],
}

/** Keys that look alike, or that a careless encoding would make equal. */
const LOOK_ALIKES: readonly string[] = [
  ...['a', 'A', ' a', 'a ', 'a\n', 'a\u0000', 'a.', 'a_', '_a', 'a-', 'a/', '/a', 'a%', 'а', 'ａ'],
  ...['é', 'e\u0301', '\ud800', '\ud801', '\udc00', '\ufffd', '', '_', 'entry', 'k'.repeat(1_500), 'k'.repeat(1_501)],
  ...[`${'k'.repeat(200)}a`, `${'k'.repeat(200)}b`],
]

/** A key is a hint of any form. */
export const keyCases: readonly ConformanceCase[] = [
  ...Object.entries(KEYS).map(([name, keys]): ConformanceCase => ({
    id: `key/${name}`,
    title: `Keys may be ${name.replaceAll('-', ' ')}`,
    level: 'two-method',
    async run({ storage }) {
      for (const key of keys) {
        const shown = JSON.stringify(key.slice(0, 40))
        const content = bytes(`content of ${shown}`)
        const reference = await attempt(`storing under ${shown}`, () => storage.store(key, content))
        const found = await attempt(`retrieving what is stored under ${shown}`, () => storage.retrieve(reference))
        checkBytes(found.content, content, `content of ${shown}`)
      }
    },
  })),
  {
    id: 'key/kept-exactly',
    title: 'The description and the list have the exact key',
    requires: ['stat', 'list'],
    async run({ storage }) {
      const keys = new Map<string, string>()
      for (const key of Object.values(KEYS).flat()) {
        const reference = await storage.store(key, bytes('content'))
        keys.set(reference, key)
        check(
          (await storage.stat(reference)).key === key,
          `stat has another key than ${JSON.stringify(key.slice(0, 40))}`,
        )
      }
      for (const { reference, key } of await collect(storage.list()))
        check(keys.get(reference) === key, `list has another key than ${JSON.stringify(keys.get(reference))}`)
    },
  },
  {
    id: 'key/look-alikes-differ',
    title: 'Different keys give different references, however alike they look',
    async run({ storage }) {
      const keys = new Map<string, string>()
      for (const key of LOOK_ALIKES) {
        const reference = await storage.store(key, bytes('content'))
        const other = keys.get(reference)
        check(other === undefined, `${JSON.stringify(other)} and ${JSON.stringify(key)} both got ${reference}`)
        keys.set(reference, key)
      }
    },
  },
  {
    id: 'key/only-strings',
    title: 'What is no string is an invalid key, and nothing is stored',
    requires: ['list'],
    async run({ storage }) {
      for (const key of [undefined, null, 1, {}, ['call']] as unknown[])
        await rejectionCode('invalid-key', `storing under a ${typeof key}`, () =>
          storage.store(key as string, bytes('content')),
        )
      checkEqual((await collect(storage.list())).length, 0, 'number of entries')
    },
  },
]
