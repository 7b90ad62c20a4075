import type { Storage, StoreReceipt } from '../../storage/storage.ts'
import { attempt, check, checkEqual, rejectionCode } from '../conformance-failure.ts'
import type { ConformanceCase } from '../harness.ts'
import { bytes, collect, referencesIn } from '../sample.ts'
import { checkContent, storeWithReceipt } from './combined/methods.ts'

export const listCases: readonly ConformanceCase[] = [
  {
    id: 'list/while-storing-and-deleting',
    title: 'While some entries are stored and removed, each other entry is listed once',
    requires: ['list', 'delete'],
    async run({ storage, thorough }) {
      const staying = new Set<string>()
      const leaving: string[] = []
      for (let index = 0; index < (thorough ? 100 : 40); index += 1) {
        staying.add(await storage.store(`staying_${index}`, bytes(`${index}`)))
        leaving.push(await storage.store(`leaving_${index}`, bytes(`${index}`)))
      }
      const changes = (async () => {
        for (const [index, reference] of leaving.entries()) {
          await storage.delete(reference)
          await storage.store(`coming_${index}`, bytes(`${index}`))
        }
      })()
      for (let round = 0; round < 3; round += 1) {
        const listed = await attempt('listing meanwhile', () => collect(storage.list()))
        const found = listed.map(({ reference }) => reference).filter((reference) => staying.has(reference))
        checkEqual(found.length, staying.size, 'number of staying entries listed')
        checkEqual(new Set(found).size, staying.size, 'number of different staying entries listed')
      }
      await changes
      checkEqual((await collect(storage.list())).length, 2 * staying.size, 'number of entries in the end')
    },
  },
  {
    id: 'stat/describes',
    title: 'stat has the reference, key, content type, size, times and metadata of an entry',
    requires: ['stat', 'clock'],
    async run({ storage, powers: { clock } }) {
      const storedAt = clock.now()
      const reference = await storage.store('call 1/0', bytes('ä 7 bytes'), 'Text/CSV; header=present', {
        metadata: { tool: 'read_table' },
      })
      const info = await storage.stat(reference)
      checkEqual(
        { ...info, storedAt: 0, lastUsedAt: 0 },
        {
          reference,
          key: 'call 1/0',
          contentType: 'Text/CSV; header=present',
          size: 10,
          storedAt: 0,
          lastUsedAt: 0,
          metadata: { tool: 'read_table' },
          state: 'complete',
        },
        'description',
      )
      check(info.storedAt >= storedAt && info.storedAt <= clock.now(), `storedAt is ${info.storedAt}, not ${storedAt}`)
      check(info.lastUsedAt >= info.storedAt, 'lastUsedAt is before storedAt')
    },
  },
]

const gone = (storage: Storage, reference: string): Promise<unknown> =>
  rejectionCode('not-found', `retrieving the deleted ${reference}`, () => storage.retrieve(reference))

export const deleteCases: readonly ConformanceCase[] = [
  {
    id: 'delete/removes',
    title: 'A deleted entry is not-found and not listed, and another entry with equal content is kept',
    requires: ['delete', 'list'],
    async run({ storage }) {
      const first = await storage.store('first', bytes('equal'))
      const second = await storage.store('second', bytes('equal'))
      await storage.delete(first)
      await gone(storage, first)
      await checkContent(storage, second, bytes('equal'), 'an entry with the content of the deleted one')
      checkEqual(await referencesIn(storage), [second], 'entries listed')
    },
  },
  {
    id: 'delete/nothing-is-fine',
    title: 'Deleting an entry many times in parallel, or an entry that never existed, resolves',
    requires: ['delete'],
    async run({ storage }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      const again = Array.from({ length: 10 }, () => storage.delete(reference))
      await attempt('deleting in parallel', () => Promise.all([storage.delete(reference), ...again]))
      await gone(storage, reference)
      await attempt('deleting an entry that never existed', () => storage.delete('call_9_9_abcdefghijklmnopqrst'))
      await attempt('deleting an entry that never existed, if unused', () =>
        storage.delete('call_9_9_abcdefghijklmnopqrst', { unusedSince: Date.now() }),
      )
    },
  },
  {
    id: 'undo/keeps-an-older-entry',
    title: 'An undo removes an entry that was not used since its store, and keeps an entry that was stored again',
    requires: ['delete'],
    async run({ storage }) {
      const first = await storeWithReceipt(storage, 'call_1_0', bytes('content'))
      const second = await storeWithReceipt(storage, 'call_1_0', bytes('content'))
      checkEqual([first.created, second.created], [true, false], 'whether each store created the entry')
      await storage.delete(first.reference, { unusedSince: first.usedAt })
      await checkContent(storage, first.reference, bytes('content'), 'an entry that was stored again')
      const own = await storeWithReceipt(storage, 'call_1_0', bytes('own content'))
      await storage.delete(own.reference, { unusedSince: own.usedAt })
      await gone(storage, own.reference)
    },
  },
  {
    id: 'undo/in-parallel',
    title: 'If equal offloads run in parallel and one offload is undone, the entry is kept for the others',
    requires: ['delete'],
    async run({ storage }) {
      for (let round = 0; round < 20; round += 1) {
        const receipts: StoreReceipt[] = []
        const stores = Array.from({ length: 3 }, async (_, index) => {
          const receipt = await storeWithReceipt(storage, 'call_1_0', bytes(`round ${round}`))
          receipts.push(receipt)
          if (index === round % 3 && receipt.created)
            await storage.delete(receipt.reference, { unusedSince: receipt.usedAt })
        })
        await Promise.all(stores)
        const undone = receipts[round % 3]
        if (undone !== undefined) await checkContent(storage, undone.reference, bytes(`round ${round}`))
      }
    },
  },
]

const BATCH = 50
const TTL_MS = 600_000

export const pagingCases: readonly ConformanceCase[] = [
  {
    id: 'list/beyond-one-page',
    title: 'With every option, a list of more than two pages has each entry once, and clear counts all entries',
    requires: ['list', 'clear', 'scope'],
    async run({ storage, pageSize }) {
      const direct = await storeMany(storage, pageSize + BATCH)
      const all = [...direct, ...(await storeMany(storage.scope('below'), pageSize + BATCH))]
      const known = new Set(all.filter((_, index) => index % 3 === 0))
      for (const [options, expected] of [
        [{}, all],
        [{ below: true }, all],
        [{ below: false }, direct],
        [{ except: known }, all.filter((reference) => !known.has(reference))],
        [{ except: known, below: false }, direct.filter((reference) => !known.has(reference))],
        [{ except: new Set(all) }, []],
      ] as const) {
        const entries = await collect(storage.list(options))
        for (const { key, metadata } of entries)
          checkEqual(key, `call_${metadata['position']}_0`, 'key, by the metadata')
        const listed = entries.map(({ reference }) => reference)
        checkEqual(listed.length, expected.length, `number of entries listed with ${Object.keys(options).join()}`)
        checkEqual(
          listed.toSorted(),
          (expected as readonly string[]).toSorted(),
          `entries listed with ${Object.keys(options).join()}`,
        )
      }
      checkEqual(await storage.clear(), all.length, 'number of entries cleared')
    },
  },
  {
    id: 'clear/beyond-one-page',
    title:
      'Clearing more than one page removes and counts all entries of a scope and of child scopes, and nothing else',
    requires: ['clear', 'list', 'scope'],
    async run({ storage, pageSize }) {
      const besides = [[], ['fo'], ['foobar'], ['Foo'], ['g']].map(async (segments) => {
        const scope = segments.length === 0 ? storage : (storage.scope(...segments) as Required<Storage>)
        const content = bytes(`beside, in ${segments.join()}`)
        return { scope, name: `[${segments.join(', ')}]`, content, reference: await scope.store('call_1_0', content) }
      })
      const staying = await Promise.all(besides)
      const third = Math.ceil((pageSize + BATCH) / 3)
      for (const segments of [['foo'], ['foo', 'a'], ['foo', 'b', 'c']])
        await storeMany(storage.scope(...segments), third)
      const foo = storage.scope('foo') as Required<Storage>
      checkEqual((await referencesIn(foo)).length, 3 * third, 'number of entries listed before')
      checkEqual(await foo.clear(), 3 * third, 'number of entries cleared')
      checkEqual(await foo.clear(), 0, 'number of entries cleared again')
      checkEqual(await referencesIn(foo), [], 'entries left')
      for (const { scope, name, content, reference } of staying)
        await checkContent(scope, reference, content, `an entry of the scope ${name}, which was not cleared`)
    },
  },
  {
    id: 'gc/beyond-one-page',
    title: 'gc removes more than one page of expired entries at once, and no fresh entries between them',
    requires: ['clock', 'gc', 'list'],
    settings: { ttlMs: TTL_MS },
    async run({ storage, powers: { clock }, pageSize }) {
      const { length } = await storeMany(storage, pageSize + BATCH)
      clock.advance(TTL_MS - 10_000)
      const fresh = await storeMany(storage, BATCH, 'call_5')
      clock.advance(10_001)
      checkEqual((await storage.gc()).expired, length, 'number of entries collected')
      checkEqual(await referencesIn(storage), fresh.toSorted(), 'entries left')
      checkEqual((await storage.gc()).expired, 0, 'number of entries collected again')
    },
  },
]

async function storeMany(storage: Storage, count: number, name = 'call'): Promise<string[]> {
  const stored: string[] = []
  for (let start = 0; start < count; start += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - start) }, (_, index) => {
      const position = `${start + index}`
      const content = bytes(position === '7' ? '' : `content ${position}`)
      return storage.store(`${name}_${position}_0`, content, 'text/plain', { metadata: { position } })
    })
    stored.push(...(await Promise.all(batch)))
  }
  return stored
}
