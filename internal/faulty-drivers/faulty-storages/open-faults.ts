import { LINE_BLOCK_BYTES } from '@spillway/text/internal/lines'
import type { EntryId, OpenContent, OpenEntry, Storage } from '@spillway/core'
import { TinyDriver, type TinyDisk } from '../../../packages/core/test/tiny-driver.ts'
import { overridden, unlessRefused, type Fault } from './fault.ts'

/** A driver with `open`. `read` reads an opened entry, whether or not the driver still has the entry. */
class OpeningDriver extends TinyDriver {
  readonly #read: (content: Uint8Array, offset: number, length: number, isThere: boolean) => Uint8Array

  constructor(
    disk: TinyDisk,
    read: (content: Uint8Array, offset: number, length: number, isThere: boolean) => Uint8Array,
  ) {
    super(disk)
    this.#read = read
  }

  async open(id: EntryId): Promise<OpenEntry | undefined> {
    await this.reach()
    const record = this.disk.records.get(id)
    if (record === undefined) return undefined
    const { content, info } = record
    return {
      info,
      read: async ({ offset, length }) => this.#read(content, offset, length, this.disk.records.has(id)),
      close: async () => undefined,
    }
  }
}

const slice = (content: Uint8Array, offset: number, length: number): Uint8Array =>
  content.subarray(offset, offset + length)

/** Create a storage that caches opened entries, and does not look at the storage again. */
const opening = (keyOf: (reference: string, segments: readonly string[]) => string): Required<Fault>['storage'] => {
  return (storage) => {
    const kept = new Map<string, OpenContent>()
    return overridden(storage, (inner, segments) => ({
      async open(reference, options) {
        const key = keyOf(reference, segments)
        const open = kept.get(key) ?? (await inner.open(reference, options))
        kept.set(key, open)
        return {
          ...open,
          contentType: open.contentType,
          size: open.size,
          read: (...range) => open.read(...range),
          close: async () => undefined,
        }
      },
    }))
  }
}

/** Create a storage that changes the content of opened entries. */
const changing =
  (change: (open: OpenContent, inner: Required<Storage>) => Partial<OpenContent>): Required<Fault>['storage'] =>
  (storage) =>
    overridden(storage, (inner) => ({
      async open(reference, options) {
        const open = await inner.open(reference, options)
        const { contentType, size } = open
        return {
          contentType,
          size,
          read: (offset, length) => open.read(offset, length),
          lineIndex: (rebuild) => (open as Required<OpenContent>).lineIndex(rebuild),
          close: () => open.close(),
          ...change(open, inner),
        }
      },
    }))

export const openFaults: readonly Fault[] = [
  {
    name: 'returns the content type of text for all opened entries',
    caughtBy: 'open/equals-slice',
    storage: changing(() => ({ contentType: 'text/plain' })),
  },
  {
    name: 'loses a byte between two blocks that it reads',
    caughtBy: 'open/of-large-content',
    also: ['open/equals-slice'],
    driver: (disk) =>
      new OpeningDriver(disk, (content, offset, length) => {
        const part = slice(content, offset, length).slice()
        const boundary = LINE_BLOCK_BYTES - offset
        if (boundary > 0 && boundary < part.length) part.fill(part[boundary] === 0 ? 1 : 0, boundary, boundary + 1)
        return part
      }),
  },
  {
    name: 'reads blocks only from their beginning',
    caughtBy: 'open/of-large-content',
    also: ['open/removed-while-open'],
    driver: (disk) =>
      new OpeningDriver(disk, (content, offset, length) =>
        length > 1_000_000 && length < content.length
          ? slice(content, offset - (offset % LINE_BLOCK_BYTES), length)
          : slice(content, offset, length),
      ),
  },
  {
    name: 'returns the bytes of another concurrent read',
    caughtBy: 'open/of-large-content',
    storage: (storage) => {
      let under: Promise<Uint8Array> | undefined
      return changing((open) => ({
        async read(offset, length) {
          const isShared = under !== undefined && length > 4
          const read = (isShared && under) || open.read(offset, length)
          under = read
          try {
            return (await read).subarray(0, length)
          } finally {
            under = undefined
          }
        },
      }))(storage, undefined as never, undefined as never)
    },
  },
  {
    name: 'uses one line index for all entries of the same size',
    caughtBy: 'open/line-index',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const commit = driver.commit.bind(driver)
      const first = new Map<number, string>()
      driver.commit = (id, content, info) => {
        const { lineIndex } = info as { lineIndex?: string }
        if (lineIndex === undefined) return commit(id, content, info)
        first.set(content.length, first.get(content.length) ?? lineIndex)
        return commit(id, content, { ...info, lineIndex: first.get(content.length)! })
      }
      return driver
    },
  },
  {
    name: 'opens missing entries as empty content',
    caughtBy: 'open/removed',
    also: ['outage/open'],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        open: async (reference, options) =>
          (await unlessRefused(() => inner.open(reference, options))) ?? {
            contentType: 'text/plain',
            size: 0,
            read: async () => new Uint8Array(0),
            close: async () => undefined,
          },
      })),
  },
  {
    name: 'caches opened entries by reference without their scope',
    caughtBy: 'open/removed',
    storage: opening((reference) => reference),
  },
  {
    name: 'caches opened entries forever',
    caughtBy: 'open/removed',
    storage: opening((reference, segments) => [...segments, reference].join('/')),
  },
  {
    name: 'returns zeros for an entry that was removed while it was open',
    caughtBy: 'open/removed-while-open',
    driver: (disk) =>
      new OpeningDriver(disk, (content, offset, length, isThere) => {
        const part = slice(content, offset, length)
        return isThere ? part : new Uint8Array(part.length)
      }),
  },
  {
    name: 'does not count opening as use',
    caughtBy: 'turns/every-use',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async open(reference, options) {
          const info = await inner.stat(reference, options)
          return {
            contentType: info.contentType,
            size: info.size,
            read: async (offset, length) => (await inner.retrieve(reference)).content.subarray(offset, offset + length),
            close: async () => undefined,
          }
        },
      })),
  },
]
