import { stateOf } from '../../../storage/managed-storage.ts'
import type { Storage } from '../../../storage/storage.ts'
import {
  attempt,
  check,
  checkBytes,
  checkEqual,
  rejection,
  rejectionCode,
  unlessRejected,
} from '../../conformance-failure.ts'
import type { ConformanceCase } from '../../harness.ts'
import { MALFORMED_REFERENCES } from '../../forged-references.ts'
import { bytes, collect, pick, stream, keysIn, referencesIn } from '../../sample.ts'
import { readable, readsOf, unreadable } from './methods.ts'

const UNKNOWN = 'call_1_0_abcdefghijklmnopqrst'
const MISS = ['not-found', 'invalid-reference'] as const
const TURNS = 2
const TTL_MS = 600_000

/** Characters that models add around a reference. */
const DECORATIONS: readonly ((reference: string) => string)[] = [
  ...['"', "'", '`', '```', '**', '|', '\u200b', '\ufeff', ' ', '\n'].map((mark) => (one: string) => mark + one + mark),
  ...['()', '[]', '{}', '<>', '“”', '‘’', '«»'].map(
    ([open = '', close = '']) =>
      (one: string) =>
        open + one + close,
  ),
  ...['ref:', 'ref=', 'spillway://', 'mem://', 'file://', 'urn:', 'artifact:', '@', '#', './', 'Reference: '].map(
    (prefix) => (one: string) => prefix + one,
  ),
  ...[':12', ':1-20', '#L12', '?line=2', ',', '.', ';', '!', '...', '…', '@v1', '@latest', '/1', '[0]', '\u200d'].map(
    (suffix) => (one: string) => one + suffix,
  ),
  (one) => `[${one}](${one})`,
  (one) => `${one},${one}`,
  (one) => encodeURIComponent(`${one} `),
  (one) => one.replace('_', '\u200b_'),
  (one) => one.toUpperCase(),
]

const NOT_STRINGS: readonly unknown[] = [
  ...[undefined, null, 0, Number.NaN, true, {}, [], 10n, Symbol('reference'), Object.create(null), () => UNKNOWN],
  ...['', '\u0000', '\ud800', '\u202e', '\u200b', '\r\n'],
]

export const methodCases: readonly ConformanceCase[] = [
  {
    id: 'reference/malformed-is-refused',
    title: 'Paths, URIs, and a reference with added quotes, brackets, a scheme or a line are invalid for every method',
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      for (const malformed of [...MALFORMED_REFERENCES, ...DECORATIONS.map((decorate) => decorate(reference))]) {
        await unreadable(storage, malformed, MISS, 'of a malformed reference')
        if (typeof storage.delete === 'function')
          await unlessRejected(MISS, 'delete()', () => storage.delete(malformed))
        if (typeof storage.locate === 'function')
          await rejection(`locate(${JSON.stringify(malformed.slice(0, 80))})`, () => {
            if (storage.locate(malformed) === undefined) throw new Error('the location is unknown, which is allowed')
          })
      }
      await readable(storage, reference, bytes('content'), 'by the unchanged reference')
    },
  },
  {
    id: 'reference/not-strings-reject',
    title: 'Retrieving a value that is not a string, or cannot be printed, rejects',
    level: 'two-method',
    async run({ storage }) {
      await storage.store('call_1_0', bytes('content'))
      for (const mistake of NOT_STRINGS) {
        let pending: unknown
        try {
          pending = storage.retrieve(mistake as string)
        } catch (error) {
          check(false, `retrieving a value of the type ${typeof mistake} threw instead of rejecting: ${String(error)}`)
        }
        await rejection(`retrieving a value of the type ${typeof mistake}`, () => pending)
      }
    },
  },
  {
    id: 'reference/printable',
    title: 'A reference is a string that a model can copy: not empty, without outer spaces, and printable',
    level: 'two-method',
    async run({ storage }) {
      for (const key of ['call_1_0', '', 'a\u0000b', 'a\nb', '\ud800', '\u200b', ' a ', '\u202e']) {
        const reference: unknown = await storage.store(key, bytes(`content ${key}`))
        check(typeof reference === 'string', `store() returned a ${typeof reference} instead of a reference`)
        const isPrintable = /^[^\s\p{C}](?:[^\p{C}\n\r]*[^\s\p{C}])?$/u.test(reference)
        check(isPrintable, `the reference ${JSON.stringify(reference).slice(0, 80)} cannot be copied from a text`)
        checkBytes((await storage.retrieve(reference)).content, bytes(`content ${key}`), 'content')
      }
    },
  },
  {
    id: 'error/miss',
    title: 'Every method rejects with the same code, reference, and retryable: false for a missing entry',
    async run({ storage }) {
      for (const error of await unreadable(storage, UNKNOWN, 'not-found', 'of an unknown entry')) {
        check(error instanceof Error && error.message !== '', 'the error is not an Error with a message')
        checkEqual([error.name, error.reference, error.retryable], ['StorageError', UNKNOWN, false], 'the error')
      }
      for (const error of await unreadable(storage, '../passwd', 'invalid-reference', 'of a path'))
        checkEqual([error.reference, error.retryable], ['../passwd', false], 'reference and retryable')
    },
  },
  {
    id: 'error/invalid-key',
    title: 'store and storeStream reject a key that is not a string or too long; the error shows its first characters',
    requires: ['list'],
    async run({ storage }) {
      for (const key of [`key${'k'.repeat(65_536)}`, undefined, null, 1, {}, ['call']] as string[]) {
        const stores = [() => storage.store(key, bytes('content'))]
        if (typeof storage.storeStream === 'function')
          stores.push(() => storage.storeStream(key, stream(bytes('content'))))
        for (const store of stores) {
          const error = await rejectionCode('invalid-key', `storing under a key of the type ${typeof key}`, store)
          checkEqual(error.retryable, false, 'retryable')
          if (typeof key !== 'string') continue
          check(error.key !== undefined && error.key !== '' && key.startsWith(error.key), `the key is ${error.key}`)
        }
      }
      checkEqual(await collect(storage.list()), [], 'entries')
    },
  },
  {
    id: 'error/evicted',
    title: 'Every method rejects with the same time and reason for an evicted entry',
    requires: ['endTurn'],
    settings: { evictAfterTurns: 1 },
    async run({ storage }) {
      const metadata = { tool: 'read_log' }
      const reference = await storage.store('call_1_0', bytes('content'), 'text/plain', { metadata })
      for (let turn = 0; turn < 2; turn += 1) await storage.endTurn()
      for (const error of await unreadable(storage, reference, 'evicted', 'of an evicted entry')) {
        checkEqual([error.reference, error.retryable], [reference, false], 'reference and retryable')
        checkEqual([error.eviction?.reason, error.eviction?.metadata], ['turns', metadata], 'reason and metadata')
        check(Number.isInteger(error.eviction?.evictedAt), `evictedAt is ${error.eviction?.evictedAt}`)
      }
    },
  },
  {
    id: 'error/never-thrown-at-once',
    title: 'Every method returns a real promise, even for arguments that it refuses',
    level: 'two-method',
    async run({ storage }) {
      const nothing = undefined as never
      const calls: readonly (readonly [keyof Storage, () => unknown])[] = [
        ...(['retrieve', 'stat', 'open', 'delete'] as const).flatMap((name) =>
          [nothing, '../a', UNKNOWN].map((reference) => [name, () => storage[name](reference)] as const),
        ),
        ['store', () => storage.store(nothing, nothing)],
        ['store', () => storage.store('call_1_0', bytes('content'))],
        ['store', () => storage.store('call_1_0', bytes('content'), 'text/plain', { metadata: 1 as never })],
        ['storeStream', () => storage.storeStream('call_1_0', nothing)],
        ['storeStream', () => storage.storeStream('call_1_0', stream(bytes('content')), '')],
        ['retrieveRange', () => storage.retrieveRange(UNKNOWN, nothing)],
        ['retrieveRange', () => storage.retrieveRange('../a', { offset: 0, length: 1 })],
        ...(['clear', 'gc'] as const).flatMap((name) =>
          [AbortSignal.abort(), undefined].map((signal) => [name, () => storage[name]({ signal })] as const),
        ),
        ['endTurn', () => storage.endTurn()],
      ]
      for (const [name, call] of calls) {
        if (typeof storage[name] !== 'function') continue
        let returned: unknown
        try {
          returned = call()
        } catch (error) {
          check(false, `${name}() threw instead of rejecting: ${String(error)}`)
        }
        await Promise.allSettled([returned])
        check(returned instanceof Promise, `${name}() has not returned a promise`)
      }
    },
  },
  {
    id: 'scope/same-methods',
    title: 'A scope and a nested scope have every method of the storage',
    requires: ['scope'],
    async run({ storage }) {
      const scope = storage.scope('a') as Required<Storage>
      for (const view of [scope, scope.scope('b') as Required<Storage>])
        for (const name of METHODS)
          check(typeof view[name] === typeof storage[name], `a scope has no method ${name}(), but the storage has`)
    },
  },
  ...Object.entries(alikeScopes()).map(([name, groups]): ConformanceCase => ({
    id: `scope/apart-by-${name}`,
    title: `Scopes that differ in ${name.replaceAll('-', ' ')} are isolated for every method`,
    requires: ['scope', 'list', 'delete', 'clear'],
    async run({ storage, thorough }) {
      // Core encodes similar names alike for all drivers, so two groups of each kind are enough.
      const isWhole = thorough || name === 'depth' || stateOf(storage) === undefined
      for (const [index, group] of (isWhole ? groups : groups.slice(0, 2)).entries())
        await checkApart(at(storage, index === 0 ? [] : [`group ${index}`]), group, thorough)
    },
  })),
  {
    id: 'turns/alike-scopes',
    title: 'A turn ends in only one of several scopes with similar names',
    requires: ['endTurn', 'scope', 'list'],
    settings: { evictAfterTurns: TURNS },
    async run({ storage, random }) {
      const group = pick(random, Object.values(alikeScopes()).flat())
      for (const segments of [...group, ...(alikeScopes()['separators']?.[0] ?? [])]) {
        await storeInAll(storage, group)
        for (let turn = 0; turn <= TURNS; turn += 1) await at(storage, segments).endTurn()
        const left = new Set(await keysIn(storage))
        for (const other of group)
          checkEqual(left.has(name(other)), name(other) !== name(segments), `whether ${name(other)} has its entry`)
        await storage.clear?.()
      }
    },
  },
  {
    id: 'gc/alike-scopes',
    title: 'gc collects in only one of several scopes with similar names, and in the scopes below it',
    requires: ['gc', 'clock', 'scope', 'list'],
    settings: { ttlMs: TTL_MS },
    async run({ storage, powers: { clock }, thorough }) {
      for (const groups of Object.values(alikeScopes()))
        for (const group of groups.slice(0, thorough || stateOf(storage) === undefined ? 4 : 2)) {
          await storeInAll(storage, group)
          clock.advance(TTL_MS + 1)
          for (const [index, segments] of group.entries()) {
            const below = group.filter((other, position) => position >= index && isIn(other, segments))
            const already = group.slice(0, index).some((other) => isIn(segments, other))
            if (already) continue
            const open = below.filter((other) => !group.slice(0, index).some((earlier) => isIn(other, earlier)))
            checkEqual(
              (await at(storage, segments).gc()).expired,
              open.length,
              `entries collected in ${name(segments)}`,
            )
          }
        }
    },
  },
]

const METHODS = ['store', 'retrieve', 'scope', 'stat', 'retrieveRange', 'open', 'storeStream'] as const

type Segments = readonly string[]

const name = (segments: Segments): string => JSON.stringify(segments.map((segment) => segment.slice(0, 60)))

const at = (storage: Required<Storage>, segments: Segments): Required<Storage> =>
  segments.length === 0 ? storage : (storage.scope(...segments) as Required<Storage>)

const isIn = (segments: Segments, scope: Segments): boolean =>
  segments.length >= scope.length && scope.every((segment, index) => segment === segments[index])

/** Groups of similar scopes that a careless encoding or comparison would confuse, by the kind of difference. */
function alikeScopes(): Readonly<Record<string, readonly (readonly Segments[])[]>> {
  const each = (...names: readonly string[]): readonly Segments[] => names.map((one) => [one])
  const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `segment ${index}`)
  const long = (count: number): string[] => numbered(count).map((one) => one + x(980))
  const x = (count: number): string => 'x'.repeat(count)
  return {
    separators: [
      ...['/', '-', '__', '\u0000', '\u001f', '\n', '\r\n', '\t', ',', '|', '::', ':', '_', '--', ' ', '+', '%'],
      ...['\\', '.', '..', '@', '#', '&', '=', ';', '~', '$', '%2f', '%00', '\u200b', '\u00a0', '›', '","', '"'],
    ].map((mark) => [['a', 'b'], [`a${mark}b`], [`a${mark}`, 'b'], ['a', `${mark}b`]]),
    wildcards: [
      ...['_', '%', '*', '__', '.', '..', '?', '~', '\u200b'].map((mark) => each(`a${mark}b`, 'axb', 'axxb')),
      each('a%', 'ab', 'a_', 'A_', 'a*', 'a?', 'a.', '[ab]', 'a', 'a%%'),
      each('%', '_', '*', '.*', 'z'),
    ],
    case: [
      each('É', 'é', 'E\u0301', 'e\u0301'),
      each('ß', 'ss', 'ẞ', 'SS'),
      each('İ', 'i', 'I', 'ı', 'i\u0307'),
      each('Σ', 'σ', 'ς'),
      each('\u212a', 'k', 'K', 'ſ', 's', 'ﬁ', 'fi', 'Ⅳ', 'IV'),
      each('Ж', 'ж', 'Ǆ', 'ǅ', 'ǆ'),
    ],
    'invisible-characters': [
      each('ab', 'a\u200bb', 'a\u200cb', 'a\u200db', 'a\u00adb', '\ufeffab', 'ab\u200e', 'a\u2060b', 'ab '),
      each('ab', 'ab\n', '\tab', 'ab\u0000', 'ab\u00a0', 'ab\u3000', 'ab\u0301', 'ab\ufe0f'),
    ],
    'e-mail-addresses': [
      each('user@example.com', 'user@example.org', 'user+tag@example.com', 'u.ser@example.com', 'user@EXAMPLE.com'),
      each('user@example.com', 'user', 'example.com', 'user@sub.example.com', 'user@example.com.test', 'user@'),
    ],
    words: [
      [[], ...each('null', 'undefined', 'true', 'default', 'root', 'global', '_', 'metadata', 'evicted', 'index')],
      each('7', '07', '7.0', '７', ' 7', '+7', '7e0', '0x7'),
      each(
        'con',
        '_con',
        '_63on',
        '.',
        '..',
        '...',
        '\ud800',
        '\ud801',
        '\ufffd',
        '__proto__',
        'constructor',
        'foo',
        'Foo',
      ),
    ],
    length: [
      each(x(512), `${x(511)}y`, x(513), `${x(1_023)}a`, `${x(1_023)}b`, `a${x(1_023)}`, x(1_024)),
      each(`${x(600)}a${x(400)}`, `${x(600)}b${x(400)}`, `${x(255)}a`, `${x(255)}b`, x(255), `${'é'.repeat(400)}a`),
    ],
    depth: [
      [['a', 'b'], ['b', 'a'], ['a', 'a'], ['a'], ['a', 'a', 'b'], ['a', 'b', 'a']],
      [numbered(9), numbered(8), numbered(10), [...numbered(8), 'other'], ['other', ...numbered(8)]],
      [long(8), long(9), [...long(7), 'other'], long(4)],
      [numbered(15), numbered(15).toReversed(), [...numbered(14), 'other'], [...numbered(7), 'other', ...numbered(7)]],
    ],
  }
}

async function storeInAll(storage: Required<Storage>, group: readonly Segments[]): Promise<string[]> {
  const references: string[] = []
  for (const segments of group)
    references.push(
      await attempt(`storing in ${name(segments)}`, () => at(storage, segments).store(name(segments), bytes('x'))),
    )
  return references
}

/**
 * Check that scopes are isolated. Each scope tries to read and delete the entries of other scopes, and finds only its
 * own entry. If `thorough`, it reads with every method, otherwise with one, and only two others if core encodes names.
 */
async function checkApart(storage: Required<Storage>, group: readonly Segments[], thorough: boolean): Promise<void> {
  const others = thorough || stateOf(storage) === undefined ? group.length : 2
  const equal: string[] = []
  for (const segments of group) {
    const store = (): Promise<string> => at(storage, segments).store('equal', bytes('equal'))
    equal.push(await attempt(`storing in ${name(segments)}`, store))
  }
  checkEqual(new Set(equal).size, group.length, 'references of equal content in different scopes')
  for (const [index, segments] of group.entries()) {
    const scope = at(storage, segments)
    const reads = readsOf(scope)
    for (const [position, other] of equal.entries())
      if (position !== index && (position - index + group.length) % group.length <= others) {
        const where = `of ${name(group[position] ?? [])}, in ${name(segments)}`
        const inTurn = reads.filter((_, read) => thorough || read === (index + position) % reads.length)
        await unreadable(scope, other, 'not-found', where, inTurn)
        await scope.delete(other)
        if (typeof scope.locate === 'function')
          checkEqual(scope.locate(other), undefined, `location in ${name(segments)}`)
      }
    const direct = (await collect(scope.list({ below: false }))).map(({ reference }) => reference)
    checkEqual(direct, [equal[index]], `entries of ${name(segments)} after deleting references of other scopes in it`)
    const own = equal[index] as string
    if (thorough) await readable(scope, own, bytes('equal'), `in ${name(segments)}`)
    else {
      const { content } = await attempt(`retrieve() in ${name(segments)}`, () => scope.retrieve(own))
      checkBytes(content, bytes('equal'), `content in ${name(segments)}`)
    }
  }
  let left = group
  for (const segments of group) {
    const below = left.filter((one) => isIn(one, segments))
    left = left.filter((one) => !isIn(one, segments))
    checkEqual(
      (await collect(at(storage, segments).list())).length,
      below.length,
      `entries in ${name(segments)} and below`,
    )
    checkEqual(await at(storage, segments).clear(), below.length, `entries cleared from ${name(segments)}`)
    const expected = left.map((one) => equal[group.indexOf(one)] as string)
    checkEqual(await referencesIn(storage), expected.toSorted(), `entries left after clearing ${name(segments)}`)
  }
}
