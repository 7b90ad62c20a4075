import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, check, checkEqual, rejection, rejectionCode } from '../conformance-failure.ts'
import { forgedReferences, MALFORMED_REFERENCES } from '../forged-references.ts'
import { bytes, collect } from '../sample.ts'

const GRAMMAR = /^[a-z0-9_]{1,64}$/
const UNKNOWN = 'call_1_0_abcdefghijklmnopqrst'
const MISS = ['not-found', 'invalid-reference'] as const
const FORGED = 300
const FORGED_THOROUGH = 10_000

/** Do what may find nothing to do, or be refused as a miss. */
async function missOrNothing(what: string, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    await rejectionCode(MISS, what, () => Promise.reject(error))
  }
}

/** References are opaque, and only those that were given out lead anywhere. */
export const referenceCases: readonly ConformanceCase[] = [
  {
    id: 'reference/grammar',
    title: 'References have at most 64 characters of a-z, 0-9 and _, whatever the key',
    async run({ storage }) {
      const keys = [
        'call_1_0',
        '',
        'A'.repeat(5000),
        '../../etc/passwd',
        's3://bucket/key',
        '日本語',
        '\u0000\n',
        '___',
      ]
      for (const key of keys) {
        const reference = await attempt(`storing under ${JSON.stringify(key.slice(0, 40))}`, () =>
          storage.store(key, bytes(key)),
        )
        check(GRAMMAR.test(reference), `${JSON.stringify(reference)} has other characters, or too many`)
      }
    },
  },
  {
    id: 'reference/slug',
    title: 'A reference starts with a slug of its key, for people',
    async run({ storage }) {
      const reference = await storage.store('toolu_01AbC:0', bytes('content'))
      check(reference.startsWith('toolu_01abc_0_'), `${reference} does not start with toolu_01abc_0_`)
    },
  },
  {
    id: 'reference/names-no-scope',
    title: 'The scope does not show in a reference',
    requires: ['scope'],
    async run({ storage }) {
      const reference = await storage.scope('zqxtenant', 'zqxsession').store('call_1_0', bytes('content'))
      check(!reference.includes('zqx'), `${reference} shows its scope`)
    },
  },
  {
    id: 'reference/unknown-rejects',
    title: 'Retrieving what was never stored rejects',
    level: 'two-method',
    async run({ storage }) {
      await storage.store('call_1_0', bytes('content'))
      await rejection(`retrieving ${UNKNOWN}`, () => storage.retrieve(UNKNOWN))
      await rejection('retrieving the key', () => storage.retrieve('call_1_0'))
    },
  },
  {
    id: 'reference/unknown-is-not-found',
    title: 'What was never stored is not-found, not retryable, and the error names the reference',
    async run({ storage }) {
      const error = await rejectionCode('not-found', `retrieving ${UNKNOWN}`, () => storage.retrieve(UNKNOWN))
      checkEqual(error.reference, UNKNOWN, 'reference of the error')
      checkEqual(error.retryable, false, 'retryable')
      check(error.message !== '', 'the error has no message')
    },
  },
  {
    id: 'reference/unknown-has-no-description',
    title: 'What was never stored has no description and no range',
    requires: ['stat', 'retrieveRange'],
    async run({ storage }) {
      const range = { offset: 0, length: 1 }
      await rejectionCode('not-found', `describing ${UNKNOWN}`, () => storage.stat(UNKNOWN))
      await rejectionCode('not-found', `a range of ${UNKNOWN}`, () => storage.retrieveRange(UNKNOWN, range))
    },
  },
  {
    id: 'reference/malformed-is-refused',
    title:
      'Paths, URIs and what else is no reference are refused, in no other way than as not-found or invalid-reference',
    async run({ storage }) {
      await storage.store('call_1_0', bytes('content'))
      for (const forged of MALFORMED_REFERENCES)
        await rejectionCode(MISS, `retrieving ${JSON.stringify(forged.slice(0, 80))}`, () => storage.retrieve(forged))
    },
  },
  {
    id: 'reference/malformed-is-refused-everywhere',
    title: 'stat and retrieveRange refuse malformed references as retrieve does, and delete removes nothing for them',
    requires: ['stat', 'retrieveRange', 'delete', 'list'],
    async run({ storage }) {
      await storage.store('call_1_0', bytes('content'))
      const range = { offset: 0, length: 1 }
      for (const forged of MALFORMED_REFERENCES) {
        const shown = JSON.stringify(forged.slice(0, 80))
        await rejectionCode(MISS, `describing ${shown}`, () => storage.stat(forged))
        await rejectionCode(MISS, `a range of ${shown}`, () => storage.retrieveRange(forged, range))
        await missOrNothing(`deleting ${shown}`, () => storage.delete(forged))
      }
      checkEqual((await collect(storage.list())).length, 1, 'number of entries left')
    },
  },
  {
    id: 'reference/only-strings',
    title: 'What is no string is an invalid reference',
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
        await rejectionCode('invalid-reference', `retrieving a ${typeof mistake}`, () =>
          storage.retrieve(mistake as string),
        )
    },
  },
  {
    id: 'reference/forged',
    title: 'Forged references, thousands of them, end as not-found or invalid-reference and as nothing else',
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
    title: 'Foreign data next to the storage cannot be reached by any reference',
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
    title: 'Foreign data next to the storage is not listed, described or removed',
    requires: ['plant', 'list', 'stat', 'delete', 'clear'],
    async run({ storage, powers }) {
      const own = await storage.store('call_1_0', bytes('content'))
      const forged = await powers.plant(bytes('foreign'))
      for (const reference of forged) {
        await rejectionCode(MISS, `describing the foreign ${JSON.stringify(reference)}`, () => storage.stat(reference))
        await missOrNothing(`deleting the foreign ${JSON.stringify(reference)}`, () => storage.delete(reference))
      }
      checkEqual(
        (await collect(storage.list())).map(({ reference }) => reference),
        [own],
        'entries listed',
      )
      checkEqual(await storage.clear(), 1, 'entries cleared')
    },
  },
]
