import type { Storage } from '../../storage/storage.ts'
import type { ConformanceCase } from '../harness.ts'
import { attempt, check, checkBytes, checkEqual, rejectionCode } from '../conformance-failure.ts'
import { bytes, collect } from '../sample.ts'

const MISS = ['not-found', 'invalid-reference'] as const

/** Scopes that look alike, or that a careless encoding would make equal. */
const LOOK_ALIKES: readonly (readonly string[])[] = [
  ...['foo', 'foobar', 'Foo', 'FOO', 'fo', 'foo.', 'foo ', ' foo', 'foo/', '/foo', 'foo/bar', 'foo\\bar'].map(
    (name) => [name],
  ),
  ...['foo%2fbar', 'foo_2fbar', 'foo:bar', 'foo*', 'foo-bar', 'foo_bar', 'foo.bar', 'foo_2ebar', '_66oo'].map(
    (name) => [name],
  ),
  ...['é', 'e\u0301', 'ｆｏｏ', 'fоo', '\ud800', '\ud801', '\ufffd', 'con', '_con', '_63on', '.', '..', '...', '_'].map(
    (name) => [name],
  ),
  ...['__proto__', 'constructor', 'a\u0000b', 'a\nb', 'x'.repeat(300), `${'x'.repeat(299)}y`, 'x'.repeat(299)].map(
    (name) => [name],
  ),
  ['foo', 'bar'],
  ['foo', 'bar', 'baz'],
  ['foobar', 'baz'],
  ['foo', 'barbaz'],
  ['bar', 'foo'],
]

const AWKWARD: readonly string[] = [
  ...['..', '.', '...', '/', '\\', '../..', '/etc', 'C:\\', 'user@example.com', 'User@Example.com', '~', '-', '-rf'],
  ...[
    'arn:aws:iam::123456789012:role/Admin',
    'https://example.com/?a=b#c',
    'con',
    'NUL',
    'com1',
    'aux.txt',
    'a.',
    'a ',
  ],
  ...[
    '\u0000',
    '\n',
    '\u202e',
    '👩‍👩‍👧',
    '日本語',
    '\ud800',
    '\udc00',
    '__proto__',
    'constructor',
    '*',
    '?',
    '"',
    "'",
    '$(id)',
    '%00',
  ],
  ...[
    'x'.repeat(1024),
    'é'.repeat(512),
    '.'.repeat(1024),
    '.metadata.json',
    '.metadata',
    '.gitignore',
    '.tmp',
    'undefined',
  ],
]

async function checkOnlyIn(storage: Storage, reference: string, content: string): Promise<void> {
  const found = await attempt(`retrieving ${reference} in its own scope`, () => storage.retrieve(reference))
  checkBytes(found.content, bytes(content), `content of ${reference}`)
}

const wall = (id: string, title: string, owner: readonly string[], asker: readonly string[]): ConformanceCase => ({
  id,
  title,
  requires: ['scope', 'stat', 'retrieveRange'],
  async run({ storage }) {
    const inside = at(storage, owner)
    const outside = at(storage, asker)
    const reference = await inside.store('call_1_0', bytes('secret'))
    await outside.store('call_2_0', bytes('own'))
    await rejectionCode(MISS, 'retrieving it from outside', () => outside.retrieve(reference))
    await rejectionCode(MISS, 'describing it from outside', () => outside.stat(reference))
    await rejectionCode(MISS, 'a range of it from outside', () =>
      outside.retrieveRange(reference, { offset: 0, length: 1 }),
    )
    await checkOnlyIn(inside, reference, 'secret')
  },
})

const at = (storage: Required<Storage>, segments: readonly string[]): Required<Storage> =>
  segments.length === 0 ? storage : (storage.scope(...segments) as Required<Storage>)

/** A scope is a wall. */
export const scopeCases: readonly ConformanceCase[] = [
  wall('scope/parent-cannot-read-child', 'A scope cannot read what is stored in one below it', ['a', 'b'], ['a']),
  wall('scope/unscoped-cannot-read-scope', 'The unscoped storage cannot read what is stored in a scope', ['a'], []),
  wall('scope/child-cannot-read-parent', 'A scope cannot read what is stored above it', ['a'], ['a', 'b']),
  wall('scope/scope-cannot-read-unscoped', 'A scope cannot read what is stored unscoped', [], ['a']),
  wall('scope/sibling-cannot-read', 'A scope cannot read what is stored beside it', ['a', 'b'], ['a', 'c']),
  {
    id: 'scope/own-content',
    title: 'What is stored in a scope can be retrieved in it, also through another view of the same scope',
    requires: ['scope'],
    async run({ storage }) {
      const reference = await storage.scope('a', 'b').store('call_1_0', bytes('content'))
      await checkOnlyIn(storage.scope('a', 'b'), reference, 'content')
      await checkOnlyIn((storage.scope('a') as Required<Storage>).scope('b'), reference, 'content')
    },
  },
  {
    id: 'scope/look-alikes-apart',
    title: 'Scopes that look alike hold different entries and cannot read those of each other',
    requires: ['scope', 'list'],
    async run({ storage }) {
      const references: string[] = []
      for (const segments of LOOK_ALIKES)
        references.push(await at(storage, segments).store('call_1_0', bytes(JSON.stringify(segments))))
      checkEqual(new Set(references).size, LOOK_ALIKES.length, 'number of different references')
      for (const segments of LOOK_ALIKES) {
        const scope = at(storage, segments)
        const own = references[LOOK_ALIKES.indexOf(segments)] as string
        const listed = (await collect(scope.list({ below: false }))).map(({ reference }) => reference)
        checkEqual(listed, [own], `entries of ${JSON.stringify(segments).slice(0, 80)}`)
        await checkOnlyIn(scope, own, JSON.stringify(segments))
        for (const other of references)
          if (other !== own)
            await rejectionCode(MISS, `retrieving ${other} in ${JSON.stringify(segments).slice(0, 80)}`, () =>
              scope.retrieve(other),
            )
      }
    },
  },
  {
    id: 'scope/look-alike-sibling-survives-clear',
    title: 'Clearing a scope leaves those beside it alone, however alike they look',
    requires: ['scope', 'clear'],
    async run({ storage }) {
      const references = new Map<readonly string[], string>()
      for (const segments of LOOK_ALIKES)
        references.set(segments, await at(storage, segments).store('call_1_0', bytes(JSON.stringify(segments))))
      for (const cleared of [['foo', 'bar'], ['foo'], ['x'.repeat(299)], ['con'], ['..']])
        await (storage.scope(...cleared) as Required<Storage>).clear()
      for (const [segments, reference] of references) {
        const [first = ''] = segments
        const isCleared = ['foo', 'x'.repeat(299), 'con', '..'].includes(first)
        if (isCleared)
          await rejectionCode('not-found', `retrieving in the cleared ${JSON.stringify(segments)}`, () =>
            at(storage, segments).retrieve(reference),
          )
        else await checkOnlyIn(at(storage, segments), reference, JSON.stringify(segments))
      }
    },
  },
  {
    id: 'scope/list-covers-below-and-not-beside',
    title: 'list covers a scope and those below it, and nothing beside or above it',
    requires: ['scope', 'list'],
    async run({ storage }) {
      const expected: string[] = []
      for (const segments of [['foo'], ['foo', 'bar'], ['foo', 'bar', 'baz'], ['foo', 'Bar']])
        expected.push(await at(storage, segments).store('call_1_0', bytes('content')))
      for (const segments of [[], ['foobar'], ['Foo'], ['fo'], ['bar'], ['foobar', 'foo'], ['foo/bar']])
        await at(storage, segments).store('call_1_0', bytes('content'))
      const listed = await collect(at(storage, ['foo']).list())
      checkEqual(listed.map(({ reference }) => reference).toSorted(), expected.toSorted(), 'entries of foo and below')
      checkEqual((await collect(storage.list())).length, 11, 'number of entries of the whole storage')
    },
  },
  {
    id: 'scope/list-without-below',
    title: 'list({ below: false }) has the entries of exactly this scope',
    requires: ['scope', 'list'],
    async run({ storage }) {
      const unscoped = await storage.store('call_1_0', bytes('content'))
      const inside = await storage.scope('a').store('call_1_0', bytes('content'))
      await storage.scope('a', 'b').store('call_1_0', bytes('content'))
      const listed = async (scope: Required<Storage>): Promise<string[]> =>
        (await collect(scope.list({ below: false }))).map(({ reference }) => reference)
      checkEqual(await listed(storage), [unscoped], 'entries of exactly the unscoped storage')
      checkEqual(await listed(at(storage, ['a'])), [inside], 'entries of exactly a')
    },
  },
  {
    id: 'scope/clear-covers-below',
    title: 'clear empties a scope and those below it, and returns how many entries went',
    requires: ['scope', 'clear', 'list'],
    async run({ storage }) {
      const kept = await storage.store('call_1_0', bytes('content'))
      for (const segments of [['a'], ['a', 'b'], ['a', 'b', 'c']])
        for (const key of ['first', 'second']) await at(storage, segments).store(key, bytes('content'))
      checkEqual(await at(storage, ['a', 'b']).clear(), 4, 'entries cleared from a/b and below')
      checkEqual(await at(storage, ['a']).clear(), 2, 'entries cleared from a')
      checkEqual(await at(storage, ['a']).clear(), 0, 'entries cleared from the empty a')
      checkEqual(
        (await collect(storage.list())).map(({ reference }) => reference),
        [kept],
        'entries left',
      )
    },
  },
  {
    id: 'scope/delete-stays-inside',
    title: "Deleting another scope's reference removes nothing",
    requires: ['scope', 'delete'],
    async run({ storage }) {
      const a = at(storage, ['a'])
      const reference = await a.store('call_1_0', bytes('content'))
      for (const segments of [[], ['b'], ['a', 'b'], ['A']])
        await attempt('deleting it elsewhere', () => at(storage, segments).delete(reference))
      await checkOnlyIn(a, reference, 'content')
    },
  },
  {
    id: 'scope/awkward-segments',
    title: 'Segments may be any string of up to 1 KB: e-mail addresses, ARNs, dots, control characters, emoji',
    requires: ['scope', 'list'],
    async run({ storage }) {
      for (const segment of AWKWARD) {
        const shown = JSON.stringify(segment.slice(0, 40))
        const scope = await attempt(`opening the scope ${shown}`, () => at(storage, [segment, 'below']))
        const reference = await attempt(`storing in ${shown}`, () => scope.store('call_1_0', bytes(shown)))
        await checkOnlyIn(scope, reference, shown)
        checkEqual((await collect(at(storage, [segment]).list())).length, 1, `number of entries in ${shown}`)
      }
      checkEqual((await collect(storage.list())).length, AWKWARD.length, 'number of entries in all')
    },
  },
  {
    id: 'scope/bad-segments-refused',
    title: 'No segments, and segments that are empty, over 1 KB or no strings, are refused with invalid-key',
    requires: ['scope'],
    async run({ storage }) {
      const mistakes: unknown[][] = [
        [],
        [''],
        ['a', ''],
        ['x'.repeat(1025)],
        ['é'.repeat(513)],
        [undefined],
        [null],
        [1],
        [['a']],
      ]
      for (const segments of mistakes)
        await rejectionCode('invalid-key', `opening the scope ${JSON.stringify(segments).slice(0, 40)}`, () =>
          storage.scope(...(segments as string[])).store('call_1_0', bytes('content')),
        )
    },
  },
  {
    id: 'scope/deep',
    title: 'Eight long segments in one scope work',
    requires: ['scope', 'list'],
    async run({ storage }) {
      const segments = Array.from({ length: 8 }, (_, index) => `${index}${'Long segment. '.repeat(70)}`)
      const scope = at(storage, segments)
      const reference = await attempt('storing in a deep scope', () => scope.store('call_1_0', bytes('deep')))
      await checkOnlyIn(scope, reference, 'deep')
      checkEqual((await collect(at(storage, segments.slice(0, 4)).list())).length, 1, 'entries listed from half-way')
    },
  },
  {
    id: 'scope/named-like-an-entry',
    title: 'A scope may have the name of an entry beside it',
    requires: ['scope', 'clear'],
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('entry'))
      const scope = at(storage, [reference])
      const inside = await attempt('storing in a scope named like an entry', () =>
        scope.store('call_1_0', bytes('inside')),
      )
      await checkOnlyIn(storage, reference, 'entry')
      await checkOnlyIn(scope, inside, 'inside')
      await rejectionCode(MISS, 'retrieving scope/entry', () => storage.retrieve(`${reference}/${inside}`))
      await scope.clear()
      await checkOnlyIn(storage, reference, 'entry')
    },
  },
  {
    id: 'scope/equal-content-cleared-elsewhere',
    title: 'Clearing a scope leaves equal content in other scopes in place',
    requires: ['scope', 'clear'],
    async run({ storage }) {
      const first = await storage.scope('a').store('call_1_0', bytes('equal'))
      const second = await storage.scope('b').store('call_1_0', bytes('equal'))
      checkEqual(await at(storage, ['a']).clear(), 1, 'entries cleared')
      await rejectionCode('not-found', 'retrieving what was cleared', () => storage.scope('a').retrieve(first))
      await checkOnlyIn(storage.scope('b'), second, 'equal')
      check(first !== second, 'equal content in two scopes got one reference')
    },
  },
]
