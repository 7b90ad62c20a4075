import { isFull } from '@spillway-internal/test-run'
import { wrappedHarness, type StorageWrapping } from '@spillway/core/conformance'
import { storageConformance } from '@spillway/core/conformance/vitest'
import type { ManagedStorage, OpenEntry, StorageDriver } from '@spillway/core/driver'
import { compressed, encrypted } from '@spillway/core/wrappers'
import { TinyDriver } from '../../../packages/core/test/tiny-driver.ts'
import { tinyHarness } from '../../../packages/core/test/tiny-storage.ts'

/** A backend that stores no line index, and cannot describe an entry without its content. */
const forgetful = tinyHarness({
  name: 'forgetful',
  driver: (disk) => {
    const driver = new TinyDriver(disk)
    const { write } = driver
    return Object.assign(driver, {
      stat: undefined,
      write: ((id, chunks, info) => write.call(driver, id, chunks, info)) satisfies StorageDriver['write'],
    }) as StorageDriver
  },
})

/** A backend that can open entries. */
const opening = tinyHarness({
  name: 'opening',
  driver: (disk) =>
    Object.assign(new TinyDriver(disk), {
      async open(id: string): Promise<OpenEntry | undefined> {
        if (disk.isDown) throw new Error('the disk is down')
        const record = disk.records.get(id)
        if (record === undefined) return undefined
        const { content, info } = record
        return {
          info,
          read: async ({ offset, length }) => content.subarray(offset, offset + length),
          close: async () => undefined,
        }
      },
    }),
})

const small = (storage: ManagedStorage): ManagedStorage =>
  compressed(storage, { minBytes: 0, minSaving: 0, blockBytes: 16_384 })

const key = new Uint8Array(32).fill(7)
const wrappings: readonly StorageWrapping[] = [
  { name: 'compressed', wrap: (storage) => compressed(storage) },
  { name: 'compressed in small blocks', wrap: small },
  { name: 'encrypted', wrap: (storage) => encrypted(storage, { key }) },
  { name: 'compressed and encrypted', wrap: (storage) => small(encrypted(storage, { key })) },
]

/** Pairs that cover every path through both wrappers. Full runs have all pairs. */
const SHORT: readonly string[] = [
  'forgetful, compressed in small blocks',
  'tiny, encrypted',
  'opening, compressed and encrypted',
]

/**
 * Cases that a wrapper cannot break: it treats many entries like one entry, 5 MB exceed all its limits, and the harness
 * belongs to the bare backend.
 */
const UNBREAKABLE =
  /\/beyond-one-page$|^scope\/apart-by-|\/(?:round-trip-)?20-mb$|^turns\/tombstones-bounded$|^harness\//

/**
 * Cases with several megabytes or thousands of entries, by the pair that runs them. Full runs have them in all pairs.
 */
const ONCE: Readonly<Record<string, RegExp>> = {
  'forgetful, compressed in small blocks':
    /^store\/at-boundaries$|^open\/removed-while-open$|^outage\/in-the-middle-of-/,
  'tiny, encrypted': /^store\/late-differences$|^outage\/while-open$|^reference\/96-bits$|^abort\/in-the-middle-of-/,
  'opening, compressed and encrypted':
    /^stream\/at-boundaries$|^copy\/round-trip$|^open\/of-large-content$|^open-entry\/grows$|^list\/while-storing-/,
}

for (const wrapping of wrappings)
  for (const harness of [tinyHarness(), forgetful, opening]) {
    const wrapped = wrappedHarness(harness, wrapping)
    if (isFull) storageConformance(wrapped, { thorough: true })
    else if (SHORT.includes(wrapped.name)) {
      const runs = (id: string): boolean =>
        !UNBREAKABLE.test(id) && Object.entries(ONCE).every(([pair, cases]) => pair === wrapped.name || !cases.test(id))
      storageConformance(wrapped, { filter: runs })
    }
  }
