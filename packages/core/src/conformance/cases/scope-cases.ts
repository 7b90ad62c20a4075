import type { Storage } from '../../storage/storage.ts'
import type { ConformanceCase } from '../harness.ts'
import { attempt, checkEqual, rejectionCode } from '../conformance-failure.ts'
import { bytes, collect } from '../sample.ts'
import { checkContent } from './combined/methods.ts'

const MISS = ['not-found', 'invalid-reference'] as const

const AWKWARD: readonly string[] = [
  ...['..', '.', '...', '/', '\\', '../..', '/etc', 'C:\\', 'user@example.com', 'User@Example.com', '~', '-', '-rf'],
  ...[
    ...['arn:aws:iam::123456789012:role/Admin', 'https://example.com/?a=b#c', 'con', 'NUL', 'com1', 'aux.txt'],
    ...['a.', 'a '],
  ],
  ...[
    ...['\u0000', '\n', '\u202e', '👩‍👩‍👧', '日本語', '\ud800', '\udc00', '__proto__', 'constructor', '*', '?'],
    ...['"', "'", '$(id)', '%00', '\u00e9', 'e\u0301', 'STRASSE', 'strasse', 'stra\u00dfe', '\u0130', 'i\u0307'],
  ],
  ...[
    ...['x'.repeat(1024), 'é'.repeat(512), '.'.repeat(1024), '.metadata.json', '.metadata', '.gitignore'],
    ...['.tmp', 'undefined'],
  ],
]

const at = (storage: Required<Storage>, segments: readonly string[]): Required<Storage> =>
  segments.length === 0 ? storage : (storage.scope(...segments) as Required<Storage>)

export const scopeCases: readonly ConformanceCase[] = [
  {
    id: 'scope/awkward-segments',
    title:
      'Segments may be any strings up to 1 KB, and each is its own scope: addresses, dots, control characters, Unicode forms',
    requires: ['scope', 'list'],
    async run({ storage }) {
      for (const segment of AWKWARD) {
        const shown = JSON.stringify(segment.slice(0, 40))
        const scope = await attempt(`opening the scope ${shown}`, () => at(storage, [segment, 'below']))
        const reference = await attempt(`storing in ${shown}`, () => scope.store('call_1_0', bytes(shown)))
        for (const view of [scope, at(storage, [segment]).scope('below')])
          await checkContent(view, reference, bytes(shown))
        checkEqual((await collect(at(storage, [segment]).list())).length, 1, `number of entries in ${shown}`)
      }
      checkEqual((await collect(storage.list())).length, AWKWARD.length, 'number of entries in all')
    },
  },
  {
    id: 'scope/bad-segments-refused',
    title:
      'A scope without segments, or with segments that are empty, over 1 KB or not strings, rejects with invalid-key',
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
    id: 'scope/named-like-an-entry',
    title: 'A scope may have the same name as an entry',
    requires: ['scope', 'clear'],
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('entry'))
      const scope = at(storage, [reference])
      const inside = await attempt('storing in a scope named like an entry', () =>
        scope.store('call_1_0', bytes('inside')),
      )
      await checkContent(storage, reference, bytes('entry'))
      await checkContent(scope, inside, bytes('inside'))
      await rejectionCode(MISS, 'retrieving scope/entry', () => storage.retrieve(`${reference}/${inside}`))
      await scope.clear()
      await checkContent(storage, reference, bytes('entry'))
    },
  },
]
