import type { DriverContent, EntryId, NewEntryInfo, StorageDriver } from '@spillway/core'
import { TinyDriver, type TinyDisk } from '../../../packages/core/test/tiny-driver.ts'
import { overridden, readAll, type Fault } from './fault.ts'

const MB_16 = 16 * 1024 * 1024

async function* only(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}

/** Create a driver that changes content before it writes it. */
const writing =
  (change: (content: Uint8Array, info: NewEntryInfo) => Uint8Array) =>
  (disk: TinyDisk): StorageDriver => {
    const driver = new TinyDriver(disk)
    const write = driver.write.bind(driver)
    driver.write = async (id, chunks, info) => write(id, only(change(await readAll(chunks), info)), info)
    return driver
  }

/** Create a driver that changes content after it has read it. */
const reading =
  (change: (found: DriverContent, id: EntryId, disk: TinyDisk) => DriverContent) =>
  (disk: TinyDisk): StorageDriver => {
    const driver = new TinyDriver(disk)
    const read = driver.read.bind(driver)
    driver.read = async (id, range) => {
      const found = await read(id, range)
      return found === undefined ? undefined : change(found, id, disk)
    }
    return driver
  }

export const contentFaults: readonly Fault[] = [
  {
    name: "keeps the caller's buffer",
    caughtBy: 'content/input-copied-at-once',
    also: ['content/kinds-of-bytes'],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        store: (key, content, type, options) => inner.store(key, content, type, { ...options, transfer: true }),
      })),
  },
  {
    name: 'copies a buffer too late',
    caughtBy: 'content/input-copied-at-once',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async store(key, content, type, options) {
          await Promise.resolve()
          return inner.store(key, content, type, options)
        },
      })),
  },
  {
    name: 'copies a Buffer with Buffer.slice, which shares its memory',
    caughtBy: 'content/kinds-of-bytes',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        store: (key, content, type, options) =>
          inner.store(key, content.slice?.() ?? content, type, { ...options, transfer: true }),
      })),
  },
  {
    name: 'returns its own buffer',
    caughtBy: 'content/own-memory',
    also: ['content/transferred'],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const read = driver.read.bind(driver)
      driver.read = async (id, range) => {
        await driver.reach()
        return range === undefined ? disk.records.get(id) : read(id, range)
      }
      return driver
    },
  },
  {
    name: 'refuses empty content',
    caughtBy: 'content/round-trip-small-content',
    also: [
      'open/equals-slice',
      'reference/grammar',
      'range/equals-slice',
      'delete/leaves-no-record',
      'clear/leaves-no-record',
      'gc/leaves-no-record',
      'concurrency/parallel-stores',
      'concurrency/store-while-deleting',
      'durability/content',
      'kill/acknowledged-survive',
      'kill/leftovers-are-collected',
      'instances/one-creates',
    ],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async store(key, content, type, options) {
          if (content?.byteLength === 0) throw new Error('there is nothing to store')
          return inner.store(key, content, type, options)
        },
      })),
  },
  {
    name: 'cuts content over 16 MB',
    caughtBy: 'content/round-trip-20-mb',
    also: ['open/of-large-content', 'stream/20-mb'],
    driver: writing((content) => content.subarray(0, MB_16)),
  },
  {
    name: 'decodes and encodes text before storing it',
    caughtBy: 'content/round-trip-text',
    also: ['gc/removes-the-expired'],
    driver: writing((content, { contentType }) =>
      contentType === 'text/plain' && content.length < 100 && content[0] !== 243
        ? new TextEncoder().encode(new TextDecoder().decode(content))
        : content,
    ),
  },
  {
    name: 'changes line ends',
    caughtBy: 'content/round-trip-text',
    driver: writing((content, { contentType }) =>
      contentType === 'text/plain' && content.length < 100 && content.includes(13) && !content.includes(0)
        ? content.filter((byte) => byte !== 13)
        : content,
    ),
  },
  {
    name: 'ends content at the first NUL',
    caughtBy: 'content/round-trip-small-content',
    driver: writing((content) => (content.length === 256 ? content.subarray(0, content.indexOf(0)) : content)),
  },
  {
    name: 'stores the whole buffer of a view',
    caughtBy: 'content/round-trip-small-content',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        store: (key, content, type, options) =>
          inner.store(key, content?.byteLength === 200 ? new Uint8Array(content.buffer) : content, type, options),
      })),
  },
  {
    name: 'accepts text as content',
    caughtBy: 'content/other-arrays-refused',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        store: (key, content: unknown, type, options) =>
          inner.store(
            key,
            typeof content === 'string' ? new TextEncoder().encode(content) : (content as Uint8Array),
            type,
            options,
          ),
      })),
  },
  {
    name: 'returns content that was cut on the disk',
    caughtBy: 'check/damaged',
    driver: reading((found, id, disk) => {
      const size = disk.records.get(id)?.content.byteLength ?? found.info.size
      return { ...found, info: { ...found.info, size } }
    }),
  },
  {
    name: 'has another default content type',
    caughtBy: 'content-type/exact',
    also: ['store/after-a-miss', 'turns/revived-by-storing'],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        store: (key, content, type = 'application/octet-stream', options = {}) =>
          inner.store(key, content, type, options),
      })),
  },
  {
    name: 'writes content types in lower case',
    caughtBy: 'content-type/exact',
    also: [
      'open/equals-slice',
      'range/equals-slice',
      'stream/many-small-chunks',
      'durability/content',
      'kill/acknowledged-survive',
      'kill/leftovers-are-collected',
    ],
    driver: reading((found) => ({
      ...found,
      info: { ...found.info, contentType: found.info.contentType.toLowerCase() },
    })),
  },
  {
    name: 'drops the parameters of content types',
    caughtBy: 'content-type/exact',
    also: [
      'open/equals-slice',
      'range/equals-slice',
      'durability/content',
      'kill/acknowledged-survive',
      'kill/leftovers-are-collected',
    ],
    driver: reading((found) => ({
      ...found,
      info: { ...found.info, contentType: found.info.contentType.replace(/;.*/, '').trim() },
    })),
  },
  {
    name: 'loses content types of concurrent writers',
    caughtBy: 'content-type/exact',
    also: ['durability/content', 'instances/parallel-stores'],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const types = sharedTypes(disk)
      const write = driver.write.bind(driver)
      driver.write = async (id, chunks, info) => {
        const map = new Map(types.map)
        const created = await write(id, chunks, info)
        types.map = map.set(id, info.contentType)
        return created
      }
      const read = driver.read.bind(driver)
      driver.read = async (id, range) => {
        const found = await read(id, range)
        if (found === undefined) return undefined
        return { ...found, info: { ...found.info, contentType: types.map.get(id) ?? 'application/octet-stream' } }
      }
      return driver
    },
  },
  {
    name: 'accepts any text as a content type',
    caughtBy: 'content-type/only-mime-types',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        store: (key, content, type, options) =>
          inner.store(key, content, type === 'text' ? 'text/plain' : type, options),
      })),
  },
]

const TYPES = new WeakMap<TinyDisk, { map: Map<EntryId, string> }>()

function sharedTypes(disk: TinyDisk): { map: Map<EntryId, string> } {
  const types = TYPES.get(disk) ?? { map: new Map<EntryId, string>() }
  TYPES.set(disk, types)
  return types
}
