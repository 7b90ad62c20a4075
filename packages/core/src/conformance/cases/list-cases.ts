import type { StoredInfo } from '../../storage/storage.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, check, checkEqual } from '../conformance-failure.ts'
import { bytes, collect } from '../sample.ts'

/** Descriptions and lists. */
export const listCases: readonly ConformanceCase[] = [
  {
    id: 'list/empty',
    title: 'A fresh storage, and a scope that nobody has used, list nothing',
    requires: ['list', 'scope'],
    async run({ storage }) {
      checkEqual(await collect(storage.list()), [], 'entries of a fresh storage')
      checkEqual(
        await attempt('listing an unused scope', () => collect(listOf(storage.scope('unused')))),
        [],
        'entries',
      )
    },
  },
  {
    id: 'list/describes',
    title: 'list and stat describe an entry equally',
    requires: ['list', 'stat'],
    async run({ storage }) {
      await storage.store('call_1_0', bytes('content'), 'Text/CSV; header=present', {
        metadata: { tool: 'read_table' },
      })
      for (const listed of await collect(storage.list()))
        checkEqual(listed, await storage.stat(listed.reference), 'description in the list')
    },
  },
  {
    id: 'list/except',
    title: 'What the caller knows already is left out of a list, in whichever scope, and nothing else',
    requires: ['list', 'scope'],
    async run({ storage }) {
      const references: string[] = []
      for (let index = 0; index < 5; index += 1)
        references.push(await storage.store(`call_${index}`, bytes(`${index}`), 'text/plain'))
      const below = storage.scope('below')
      for (const index of [6, 7]) references.push(await below.store(`call_${index}`, bytes(`${index}`), 'text/plain'))
      const all = await collect(storage.list())
      for (const known of [references.slice(0, 3), references, [], ['call_9_0_aaaaaaaaaaaaaaaaaaaa']]) {
        const except = new Set(known)
        const listed = await attempt('listing the others', () => collect(storage.list({ except })))
        const wanted = all.filter(({ reference }) => !except.has(reference))
        checkEqual(byKey(listed), byKey(wanted), 'entries that are not known')
      }
      const direct = await collect(storage.list({ except: new Set(references.slice(1)), below: false }))
      checkEqual(direct.length, 1, 'number of entries of the very scope')
    },
  },
  {
    id: 'list/while-storing-and-deleting',
    title: 'While entries come and go, those that stay are listed, each once',
    requires: ['list', 'delete'],
    async run({ storage }) {
      const staying = new Set<string>()
      const leaving: string[] = []
      for (let index = 0; index < 100; index += 1) {
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
      checkEqual((await collect(storage.list())).length, 200, 'number of entries in the end')
    },
  },
  {
    id: 'list/left-early',
    title: 'A list may be left early, and the storage goes on working',
    requires: ['list', 'clear'],
    async run({ storage }) {
      for (let index = 0; index < 20; index += 1) await storage.store(`call_${index}`, bytes(`${index}`))
      let seen = 0
      for await (const info of storage.list()) {
        check(info.reference !== '', 'an entry has no reference')
        seen += 1
        if (seen === 3) break
      }
      const reference = await attempt('storing afterwards', () => storage.store('after', bytes('after')))
      await attempt('retrieving afterwards', () => storage.retrieve(reference))
      checkEqual(await storage.clear(), 21, 'number of entries cleared afterwards')
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
        },
        'description',
      )
      check(info.storedAt >= storedAt && info.storedAt <= clock.now(), `storedAt is ${info.storedAt}, not ${storedAt}`)
      check(info.lastUsedAt >= info.storedAt, 'lastUsedAt is before storedAt')
    },
  },
  {
    id: 'stat/last-use',
    title: 'Storing again and retrieving refresh lastUsedAt, and leave storedAt',
    requires: ['stat', 'clock'],
    async run({ storage, powers: { clock } }) {
      const reference = await storage.store('call_1_0', bytes('content'))
      const first = await storage.stat(reference)
      clock.advance(120_000)
      await storage.retrieve(reference)
      const second = await storage.stat(reference)
      clock.advance(120_000)
      await storage.store('call_1_0', bytes('content'))
      const third = await storage.stat(reference)
      check(
        second.lastUsedAt >= first.lastUsedAt + 120_000,
        'retrieving two minutes later has not refreshed lastUsedAt',
      )
      check(third.lastUsedAt >= second.lastUsedAt + 120_000, 'storing two minutes later has not refreshed lastUsedAt')
      checkEqual(third.storedAt, first.storedAt, 'storedAt')
    },
  },
]

const listOf = (storage: { list?(): AsyncIterable<StoredInfo> }): AsyncIterable<StoredInfo> =>
  storage.list?.() ?? empty()

async function* empty(): AsyncGenerator<StoredInfo> {}

const byKey = (entries: readonly StoredInfo[]): readonly StoredInfo[] =>
  entries.toSorted((one, other) => (one.key < other.key ? -1 : 1))
