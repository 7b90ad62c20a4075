import type { DriverListOptions, ManagedStorage, Storage, StoreOptions } from '@spillway/core'
import { StorageError } from '@spillway/core/driver'
import { TinyDriver } from '../../../packages/core/test/tiny-driver.ts'
import { overridden, readAll, type Fault } from './fault.ts'

const changedInfo =
  (change: (metadata: Readonly<Record<string, string>>) => Readonly<Record<string, string>>) =>
  (storage: ManagedStorage): Storage =>
    overridden(storage, (inner) => ({
      store: (key, content, type, options) => inner.store(key, content, type, withMetadata(options, change)),
    }))

const withMetadata = (
  options: StoreOptions | undefined,
  change: (metadata: Readonly<Record<string, string>>) => Readonly<Record<string, string>>,
): StoreOptions | undefined =>
  options?.metadata == null ? options : { ...options, metadata: change(options.metadata) }

export const entryFaults: readonly Fault[] = [
  {
    name: 'returns the last use as the time of storing',
    caughtBy: 'stat/last-use',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async stat(reference, options) {
          const info = await inner.stat(reference, options)
          return { ...info, storedAt: info.lastUsedAt }
        },
      })),
  },
  {
    name: 'returns the size in characters',
    caughtBy: 'stat/describes',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async stat(reference, options) {
          const info = await inner.stat(reference, options)
          const { content } =
            info.size === 10 ? await inner.retrieve(reference) : { content: new Uint8Array(info.size) }
          return { ...info, size: info.size === 10 ? new TextDecoder().decode(content).length : info.size }
        },
      })),
  },
  {
    name: 'lists without metadata',
    caughtBy: 'stat/last-use',
    also: ['metadata/kept-exactly', 'durability/description'],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async *list(options) {
          for await (const info of inner.list(options)) yield { ...info, metadata: {} }
        },
      })),
  },
  {
    name: 'fails if an entry is deleted during a listing',
    caughtBy: 'list/while-storing-and-deleting',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      driver.list = async function* (prefix) {
        await driver.reach()
        for (const id of [...disk.records.keys()]) {
          if (!id.startsWith(prefix)) continue
          const record = disk.records.get(id)
          if (record === undefined) throw new Error(`${id} has gone`)
          yield { id, info: record.info }
        }
      }
      return driver
    },
  },
  {
    name: 'holds a lock until a list has ended',
    caughtBy: 'list/left-open',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      let isListing = false
      const list = driver.list.bind(driver)
      driver.list = async function* (prefix) {
        isListing = true
        yield* list(prefix)
        isListing = false
      }
      const write = driver.write.bind(driver)
      driver.write = async (id, chunks, info) => {
        if (isListing && info.key === 'after') throw new Error('the database is locked')
        return write(id, chunks, info)
      }
      return driver
    },
  },
  {
    name: 'lists entries that the caller has excluded',
    caughtBy: 'list/beyond-one-page',
    storage: (storage) =>
      overridden(storage, (inner) => ({ list: (options) => inner.list({ ...options, except: undefined }) })),
  },
  {
    name: 'ends a list at the first entry that the caller has excluded',
    caughtBy: 'list/beyond-one-page',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const list = driver.list.bind(driver)
      driver.list = async function* (prefix: string, { except }: DriverListOptions = {}) {
        for await (const entry of list(prefix)) {
          if (except?.(entry.id) === true) return
          yield entry
        }
      }
      return driver
    },
  },
  {
    name: 'fails to list a scope that was never used',
    caughtBy: 'harness/fresh',
    storage: (storage) =>
      overridden(storage, (inner, segments) => ({
        list(options) {
          if (segments[0] === 'unused') throw new Error('no such directory')
          return inner.list(options)
        },
      })),
  },
  {
    name: 'loses line ends in metadata',
    caughtBy: 'metadata/kept-exactly',
    storage: changedInfo((metadata) =>
      Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, value.replaceAll('\r\n', ' ')])),
    ),
  },
  {
    name: 'drops empty values of metadata',
    caughtBy: 'metadata/kept-exactly',
    storage: changedInfo((metadata) =>
      Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== '')),
    ),
  },
  {
    name: 'omits empty metadata',
    caughtBy: 'metadata/kept-exactly',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async stat(reference, options) {
          const info = await inner.stat(reference, options)
          if (Object.keys(info.metadata).length > 0 || info.key !== 'undefined') return info
          return { ...info, metadata: undefined as unknown as Record<string, string> }
        },
      })),
  },
  {
    name: 'shares its metadata object with the caller',
    caughtBy: 'metadata/copied',
    storage: (storage) =>
      overridden(storage, (inner) => {
        const shared = new Map<string, Record<string, string>>()
        return {
          async stat(reference, options) {
            const info = await inner.stat(reference, options)
            const metadata = shared.get(reference) ?? { ...info.metadata }
            shared.set(reference, metadata)
            return { ...info, metadata }
          },
        }
      }),
  },
  {
    name: 'accepts any metadata',
    caughtBy: 'metadata/bad-refused',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        store: (key, content, type, options) =>
          inner.store(key, content, type, options?.metadata === null ? { ...options, metadata: {} } : options),
      })),
  },
  {
    name: 'leaves out the last byte of a range',
    caughtBy: 'range/equals-slice',
    also: [
      'open/equals-slice',
      'open/of-large-content',
      'open/removed-while-open',
      'range/of-large-content',
      'outage/retrieve-range',
    ],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const read = driver.read.bind(driver)
      driver.read = (id, range) =>
        read(id, range === undefined || range.length === 0 ? range : { ...range, length: range.length - 1 })
      return driver
    },
  },
  {
    name: 'refuses a range beyond the end',
    caughtBy: 'range/equals-slice',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async retrieveRange(reference, range, options) {
          const found = await inner.retrieveRange(reference, range, options)
          if (found.size === 1_000 && range.offset > found.size && range.length > 0) throw new RangeError('416')
          return found
        },
      })),
  },
  {
    name: 'treats a range of no bytes as a range without an end',
    caughtBy: 'range/equals-slice',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async retrieveRange(reference, range, options) {
          if (range?.length !== 0) return inner.retrieveRange(reference, range, options)
          const { content, contentType } = await inner.retrieve(reference, options)
          if (content.length === 0) throw new RangeError('416')
          return { content: content.slice(range.offset), contentType, size: content.length }
        },
      })),
  },
  {
    name: 'returns a wrong byte at the boundary of two chunks',
    caughtBy: 'range/of-large-content',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async retrieveRange(reference, range, options) {
          const found = await inner.retrieveRange(reference, range, options)
          const boundary = 262_144 - range?.offset
          if (found.size > 1_000_000 && boundary >= 0 && boundary < found.content.length) found.content[boundary] = 0
          return found
        },
      })),
  },
  {
    name: 'returns the size of a range as the size of the content',
    caughtBy: 'range/equals-slice',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async retrieveRange(reference, range, options) {
          const found = await inner.retrieveRange(reference, range, options)
          return { ...found, size: found.content.length }
        },
      })),
  },
  {
    name: 'accepts a negative offset of a range',
    caughtBy: 'range/bad-ranges-refused',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        retrieveRange: (reference, range, options) =>
          inner.retrieveRange(reference, range?.offset < 0 ? { ...range, offset: 0 } : range, options),
      })),
  },
  {
    name: 'returns its own buffer for a range',
    caughtBy: 'content/own-memory',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const read = driver.read.bind(driver)
      driver.read = async (id, range) => {
        const record = disk.records.get(id)
        if (range === undefined || record === undefined || disk.isDown) return read(id, range)
        return { content: record.content.subarray(range.offset, range.offset + range.length), info: record.info }
      }
      return driver
    },
  },
  {
    name: 'ends a stream at an empty chunk',
    caughtBy: 'stream/many-small-chunks',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async storeStream(key, chunks, type, options) {
          async function* untilEmpty(): AsyncGenerator<Uint8Array> {
            for await (const chunk of chunks) {
              if (chunk.length === 0) return
              yield chunk
            }
          }
          return inner.storeStream(key, untilEmpty(), type, options)
        },
      })),
  },
  {
    name: 'keeps the buffers of a stream',
    caughtBy: 'stream/reused-buffer',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        storeStream: (key, chunks, type, options) =>
          inner.storeStream(key, chunks, type, { ...options, transfer: true }),
      })),
  },
  {
    name: 'refuses empty streams',
    caughtBy: 'stream/many-small-chunks',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async storeStream(key, chunks, type, options) {
          const iterator = chunks[Symbol.asyncIterator]()
          const first = await iterator.next()
          if (first.done === true) throw new Error('there is nothing to store')
          async function* all(): AsyncGenerator<Uint8Array> {
            yield first.value
            yield* { [Symbol.asyncIterator]: () => iterator }
          }
          return inner.storeStream(key, all(), type, options)
        },
      })),
  },
  {
    name: 'shows an entry while it is written',
    caughtBy: 'stream/invisible-while-long',
    also: ['kill/acknowledged-survive'],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const write = driver.write.bind(driver)
      driver.write = async (id, chunks, info) => {
        const visible = async function* (): AsyncGenerator<Uint8Array> {
          const parts: Uint8Array[] = []
          try {
            for await (const chunk of chunks) {
              parts.push(chunk)
              const size = parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
              if (size > 100_000) disk.records.set(id, { content: chunk, info: { ...info, size } })
              yield chunk
            }
          } finally {
            disk.records.delete(id)
          }
        }
        return write(id, visible(), info)
      }
      return driver
    },
  },
  {
    name: 'reports the failure of a stream as its own failure',
    caughtBy: 'stream/failing-source',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async storeStream(key, chunks, type, options) {
          try {
            return await inner.storeStream(key, chunks, type, options)
          } catch (cause) {
            if (!(cause instanceof Error) || cause.message !== 'the source failed') throw cause
            throw new StorageError('unavailable', 'The stream could not be stored.', { cause })
          }
        },
      })),
  },
  {
    name: 'stores the part of a stream that arrived before its failure',
    caughtBy: 'stream/failing-source',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async storeStream(key, chunks, type, options) {
          const before: Uint8Array[] = []
          async function* noted(): AsyncGenerator<Uint8Array> {
            for await (const chunk of chunks) {
              before.push(Uint8Array.from(chunk))
              yield chunk
            }
          }
          try {
            return await inner.storeStream(key, noted(), type, options)
          } catch (error) {
            if (error instanceof Error && error.message === 'the source failed')
              await inner.store(key, before[0] ?? new Uint8Array(0), type)
            throw error
          }
        },
      })),
  },
  {
    name: 'leaves its temporary file when a stream fails',
    caughtBy: 'stream/failing-leaves-no-record',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const write = driver.write.bind(driver)
      driver.write = async (id, chunks, info) => {
        try {
          return await write(id, chunks, info)
        } catch (error) {
          if (!disk.isDown) disk.unfinished.set(id, { since: disk.now(), bytes: 0 })
          throw error
        }
      }
      return driver
    },
  },
  {
    name: 'stores the part of an aborted stream that has arrived',
    caughtBy: 'stream/aborted',
    also: ['stream/aborted-while-waiting'],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async storeStream(key, chunks, type, options) {
          const { signal } = options ?? {}
          if (signal === undefined || signal.aborted) return inner.storeStream(key, chunks, type, options)
          const content = await untilAborted(chunks, signal)
          return inner.store(key, content, type)
        },
      })),
  },
  {
    name: 'encodes a stream of text',
    caughtBy: 'content/other-arrays-refused',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async storeStream(key, chunks, type, options) {
          async function* encoded(): AsyncGenerator<Uint8Array> {
            for await (const chunk of chunks as AsyncIterable<unknown>)
              yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : (chunk as Uint8Array)
          }
          return inner.storeStream(key, encoded(), type, options)
        },
      })),
  },
  {
    name: 'buffers a stream and cuts it at 16 MB',
    caughtBy: 'stream/20-mb',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async storeStream(key, chunks, type, options) {
          if (key !== 'large' || options !== undefined) return inner.storeStream(key, chunks, type, options)
          const content = await readAll(chunks)
          return inner.store(key, content.subarray(0, 16 * 1024 * 1024), type)
        },
      })),
  },
]

async function untilAborted(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Uint8Array> {
  const aborted = new Promise<IteratorResult<Uint8Array>>((resolve) =>
    signal.addEventListener('abort', () => resolve({ done: true, value: undefined })),
  )
  async function* read(): AsyncGenerator<Uint8Array> {
    const source = chunks[Symbol.asyncIterator]()
    for (;;) {
      const next = await Promise.race([source.next(), aborted])
      if (next.done === true) return
      yield next.value
    }
  }
  return readAll(read())
}
