import { collect } from '../../../packages/core/src/conformance/sample.ts'
import type { EntryId, StorageDriver } from '@spillway/core'
import { TinyDriver, type TinyDisk } from '../../../packages/core/test/tiny-driver.ts'
import type { Fault } from './fault.ts'

const PAGE = 500

/** Create a driver that removes entries by prefix with the given function, which gets the stored names. */
const removingBy =
  (removed: (disk: TinyDisk, prefix: string) => Iterable<EntryId>) =>
  (disk: TinyDisk): StorageDriver => {
    const driver = new TinyDriver(disk)
    return Object.assign(driver, {
      async *removeAll(prefix: string) {
        await driver.reach()
        for (const id of removed(disk, prefix)) {
          disk.records.delete(id)
          yield id
        }
      },
    })
  }

const below = (disk: TinyDisk, prefix: string): EntryId[] =>
  [...disk.records.keys()].filter((id) => id.startsWith(prefix)).toSorted()

export const pagingFaults: readonly Fault[] = [
  {
    name: 'lists the entries of one page only',
    caughtBy: 'list/beyond-one-page',
    also: ['clear/beyond-one-page', 'gc/beyond-one-page'],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const list = driver.list.bind(driver)
      driver.list = async function* (prefix) {
        let entries = 0
        for await (const entry of list(prefix)) if ((entries += 1) <= 1_000) yield entry
      }
      return driver
    },
  },
  {
    name: 'begins a page with the last entry of the previous page',
    caughtBy: 'list/beyond-one-page',
    also: ['clear/beyond-one-page'],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const list = driver.list.bind(driver)
      driver.list = async function* (prefix) {
        let entries = 0
        for await (const entry of list(prefix)) {
          yield entry
          if ((entries += 1) % PAGE === 0) yield entry
        }
      }
      return driver
    },
  },
  {
    name: 'clears one page only',
    caughtBy: 'clear/beyond-one-page',
    driver: removingBy((disk, prefix) => below(disk, prefix).slice(0, 1_000)),
  },
  {
    name: 'skips as many entries as it has cleared',
    caughtBy: 'clear/beyond-one-page',
    driver: removingBy(function* (disk, prefix) {
      for (let page: EntryId[], passed = 0; ; passed += PAGE) {
        page = below(disk, prefix).slice(passed, passed + PAGE)
        if (page.length === 0) return
        yield* page
      }
    }),
  },
  {
    name: 'clears all entries after the end of a page, even of other scopes',
    caughtBy: 'clear/beyond-one-page',
    driver: removingBy(function* (disk, prefix) {
      const page = below(disk, prefix).slice(0, PAGE)
      yield* page
      const last = page.at(-1)
      if (page.length === PAGE && last !== undefined) yield* below(disk, '').filter((id) => id > last)
    }),
  },
  {
    name: 'clears entries without reporting them',
    caughtBy: 'clear/beyond-one-page',
    driver: removingBy(function* (disk, prefix) {
      for (const [index, id] of below(disk, prefix).entries())
        if (index % 100 === 99) disk.records.delete(id)
        else yield id
    }),
  },
  {
    name: 'skips a page of expired entries for each page that it removes',
    caughtBy: 'gc/beyond-one-page',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const list = driver.list.bind(driver)
      return Object.assign(driver, {
        async *list(prefix: string, { unusedSince }: { readonly unusedSince?: number } = {}) {
          if (unusedSince === undefined) return yield* list(prefix)
          await driver.reach()
          for (let passed = 0; ; passed += PAGE) {
            const due = [...disk.records].filter(([, { info }]) => info.lastUsedAt <= unusedSince)
            const page = due.filter(([id]) => id.startsWith(prefix)).slice(passed, passed + PAGE)
            if (page.length === 0) return
            for (const [id, { info }] of page) yield { id, info }
          }
        },
      })
    },
  },
  {
    name: 'stops expiring at the first fresh entry',
    caughtBy: 'gc/beyond-one-page',
    also: ['gc/removes-the-expired'],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const list = driver.list.bind(driver)
      return Object.assign(driver, {
        async *list(prefix: string, { unusedSince = Infinity }: { readonly unusedSince?: number } = {}) {
          const entries = await collect(list(prefix))
          for (const entry of entries.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
            if (entry.info.lastUsedAt > unusedSince) return
            yield entry
          }
        },
      })
    },
  },
]
