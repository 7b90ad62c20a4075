import type { ConformanceCase } from '../conformance-case.ts'
import { attempt, checkBytes, checkEqual, rejectionCode } from '../conformance-failure.ts'
import { bytes, collect, pattern, pause } from '../sample.ts'

/** Concurrent use is safe. */
export const concurrencyCases: readonly ConformanceCase[] = [
  {
    id: 'concurrency/parallel-stores',
    title: 'Of 200 different contents stored in parallel under one key none is lost or mixed up',
    level: 'two-method',
    async run({ storage }) {
      const contents = Array.from({ length: 200 }, (_, index) => pattern(index * 17, index + 1))
      const references = await attempt('storing in parallel', () =>
        Promise.all(contents.map((content) => storage.store('call_1_0', content, 'application/octet-stream'))),
      )
      checkEqual(new Set(references).size, 200, 'number of different references')
      await Promise.all(
        references.map(async (reference, index) => {
          const found = await attempt(`retrieving ${reference}`, () => storage.retrieve(reference))
          checkBytes(found.content, contents[index] as Uint8Array, `content of ${reference}`)
        }),
      )
    },
  },
  {
    id: 'concurrency/parallel-stores-are-listed',
    title: 'All of 200 entries stored in parallel, in several scopes, are listed',
    requires: ['list', 'scope'],
    async run({ storage }) {
      const references = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          storage.scope(`scope ${index % 7}`).store('call_1_0', bytes(`${index}`)),
        ),
      )
      const listed = (await collect(storage.list())).map(({ reference }) => reference)
      checkEqual(listed.toSorted(), references.toSorted(), 'entries listed')
    },
  },
  {
    id: 'concurrency/retrieve-while-deleting',
    title: 'Retrieving while an entry is deleted gives all of its content or not-found',
    requires: ['delete'],
    async run({ storage }) {
      const content = pattern(200_000, 43)
      for (let round = 0; round < 10; round += 1) {
        const reference = await storage.store('call_1_0', content)
        const retrieve = async (): Promise<void> => {
          let found: Uint8Array
          try {
            found = (await storage.retrieve(reference)).content
          } catch (error) {
            await rejectionCode('not-found', 'retrieving while deleting', () => Promise.reject(error))
            return
          }
          checkBytes(found, content, 'content')
        }
        await Promise.all([retrieve(), retrieve(), storage.delete(reference), retrieve(), retrieve()])
        await rejectionCode('not-found', 'retrieving afterwards', () => storage.retrieve(reference))
      }
    },
  },
  {
    id: 'concurrency/store-while-deleting',
    title: 'What a store creates while a delete of the same entry runs is there afterwards',
    requires: ['delete'],
    async run({ storage }) {
      for (let round = 0; round < 20; round += 1) {
        const content = pattern(round * 1_000, 47)
        const reference = await storage.store('call_1_0', content, 'text/plain')
        let created = false
        const deleted = storage.delete(reference)
        await pause(round)
        await storage.store('call_1_0', content, 'text/plain', { onStored: (receipt) => (created = receipt.created) })
        await deleted
        // A store that found the entry may have come before the delete; one that created it has come after.
        if (!created) continue
        const found = await attempt('retrieving what was created', () => storage.retrieve(reference))
        checkBytes(found.content, content, 'content')
      }
    },
  },
]
