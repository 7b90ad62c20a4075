import { attempt, check, checkEqual, rejection, rejectionCode, unlessRejected } from '../conformance-failure.ts'
import { forgedReferences } from '../forged-references.ts'
import type { ConformanceCase } from '../harness.ts'
import { bytes, collect, referencesIn } from '../sample.ts'
import { checkContent } from './combined/methods.ts'

const GRAMMAR = /^[a-z0-9_]{1,64}$/
const UNKNOWN = 'call_1_0_abcdefghijklmnopqrst'
const MISS = ['not-found', 'invalid-reference'] as const
const FORGED = 300
const FORGED_THOROUGH = 10_000

export const referenceCases: readonly ConformanceCase[] = [
  {
    id: 'reference/grammar',
    title: 'References have at most 64 characters of a-z, 0-9 and _, start like their key, and do not name their scope',
    async run({ storage }) {
      const scope = storage.scope?.('zqxtenant', 'zqxsession') ?? storage
      for (const [key, start] of [
        ['toolu_01AbC:0', 'toolu_01abc_0_'],
        ['A'.repeat(5000), 'aaa'],
        ...['', '../../etc/passwd', 's3://bucket/key', '日本語', '\u0000\n', '___'].map((one) => [one, ''] as const),
      ] as const) {
        const shown = JSON.stringify(key.slice(0, 40))
        const reference = await attempt(`storing under ${shown}`, () => scope.store(key, bytes(key)))
        check(GRAMMAR.test(reference), `${JSON.stringify(reference)} has other characters, or too many`)
        check(reference.startsWith(start), `${reference}, of the key ${shown}, does not start with ${start}`)
        check(!reference.includes('zqx'), `${reference} shows its scope`)
      }
    },
  },
  {
    id: 'reference/unknown-rejects',
    title: 'Retrieving an entry that was never stored rejects',
    level: 'two-method',
    async run({ storage }) {
      await storage.store('call_1_0', bytes('content'))
      await rejection(`retrieving ${UNKNOWN}`, () => storage.retrieve(UNKNOWN))
      await rejection('retrieving the key', () => storage.retrieve('call_1_0'))
    },
  },
  {
    id: 'reference/only-strings',
    title: 'A reference that is not a string is invalid',
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      const mistakes: unknown[] = [
        undefined,
        null,
        0,
        {},
        [reference],
        { toString: () => reference },
        Symbol('reference'),
      ]
      for (const mistake of mistakes)
        await rejectionCode('invalid-reference', `retrieving a value of the type ${typeof mistake}`, () =>
          storage.retrieve(mistake as string),
        )
    },
  },
  {
    id: 'reference/forged',
    title: 'Thousands of forged references reject with not-found or invalid-reference only',
    requires: ['scope'],
    async run({ storage, random, thorough }) {
      const scope = storage.scope('tenant-1')
      const own: string[] = []
      const others: string[] = []
      for (let index = 0; index < 5; index += 1) {
        own.push(await scope.store(`own_${index}`, bytes(`own ${index}`)))
        others.push(await storage.store(`other_${index}`, bytes(`other ${index}`)))
        others.push(await storage.scope('tenant-2').store(`other_${index}`, bytes(`other ${index}`)))
        others.push(await storage.scope('tenant-1', 'below').store(`other_${index}`, bytes(`other ${index}`)))
      }
      let left = thorough ? FORGED_THOROUGH : FORGED
      for (const reference of forgedReferences(random, own, [...others, 'tenant-1', 'tenant-2'])) {
        await rejectionCode(MISS, `retrieving the forged ${JSON.stringify(reference.slice(0, 80))}`, () =>
          scope.retrieve(reference),
        )
        if ((left -= 1) === 0) break
      }
    },
  },
  {
    id: 'reference/planted',
    title: 'Data of other programs next to the storage cannot be reached by any reference',
    level: 'two-method',
    requires: ['plant'],
    async run({ storage, powers }) {
      await storage.store('call_1_0', bytes('content'))
      for (const forged of await powers.plant(bytes('foreign')))
        await rejection(`retrieving the foreign ${JSON.stringify(forged)}`, () => storage.retrieve(forged))
    },
  },
  {
    id: 'reference/planted-stays',
    title: 'Data of other programs next to the storage is not listed, described or removed',
    requires: ['plant', 'list', 'stat', 'delete', 'clear'],
    async run({ storage, powers }) {
      const own = await storage.store('call_1_0', bytes('content'))
      const forged = await powers.plant(bytes('foreign'))
      for (const reference of forged) {
        await rejectionCode(MISS, `describing the foreign ${JSON.stringify(reference)}`, () => storage.stat(reference))
        await unlessRejected(MISS, `deleting the foreign ${JSON.stringify(reference)}`, () => storage.delete(reference))
      }
      checkEqual(await referencesIn(storage), [own], 'entries listed')
      checkEqual(await storage.clear(), 1, 'entries cleared')
    },
  },
]

const KEYS: Readonly<Record<string, readonly string[]>> = {
  empty: [''],
  long: ['k'.repeat(1_536), 'é'.repeat(1_536), `${'a/'.repeat(768)}`],
  'control-characters': ['a\u0000b', '\u0000', 'a\nb', 'a\r\nb', '\t', '\u001b[31m', '\u007f'],
  'path-like': [
    ...['/', '.', '..', '../..', '/etc/passwd', 'a/b/c', 'C:\\a', 's3://b/k', '~', 'a//b', 'con', 'nul.txt'],
    ...['a.', ' '],
  ],
  unicode: ['日本語', 'é', 'e\u0301', '👩‍👩‍👧', '\u202e', '\ufeff', 'İ', 'ß', 'ſ'],
  'lone-surrogates': ['\ud800', '\udc00', 'a\ud800', '\udc00\ud800'],
  'prototype-names': ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then'],
  'special-characters': [
    ...['"', "'", '`', '$(id)', '%', '%00', '%2e%2e', '*', '?', '[a]', '{a}', '<a>', '|', ';', '&', '#', ':'],
  ],
}

export const keyCases: readonly ConformanceCase[] = [
  ...Object.entries(KEYS).map(([name, keys]): ConformanceCase => ({
    id: `key/${name}`,
    title: `A key may be ${name.replaceAll('-', ' ')}`,
    level: 'two-method',
    async run({ storage }) {
      for (const key of keys) {
        const shown = JSON.stringify(key.slice(0, 40))
        const content = bytes(`content of ${shown}`)
        const reference = await attempt(`storing under ${shown}`, () => storage.store(key, content))
        await checkContent(storage, reference, content, `the entry of ${shown}`)
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
]
