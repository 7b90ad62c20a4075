/** Operators that break one step of a correct driver, like mistakes of a careless backend. */
import type { ByteRange, DriverContent, DriverEntry, EntryInfo, OpenEntry, StorageDriver } from '@spillway/core/driver'

/** Decides which calls of the broken step are faulty. */
export interface Trigger {
  readonly name: string
  /** Steps whose calls the trigger can judge. Defaults to all steps. */
  readonly steps?: readonly (keyof StorageDriver)[]
  readonly isDue: (call: { readonly count: number; readonly id: string; readonly size: number }) => boolean
}

/** A step of a driver, and a way to break it. */
export interface Operator {
  readonly step: keyof StorageDriver
  readonly kind: 'skip' | 'swap' | 'truncate' | 'delay' | 'share' | 'leak' | 'widen' | 'forget'
  readonly what: string
  /** Return methods that replace methods of the driver. `isDue` returns whether this call is faulty. */
  readonly apply: (driver: Complete, isDue: (id: string, size?: number) => boolean) => Partial<StorageDriver>
}

/** A driver with all methods that operators break. */
export type Complete = StorageDriver & Required<Pick<StorageDriver, 'stat' | 'touch' | 'evict' | 'findEviction'>>

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

async function* of(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return new Uint8Array(Buffer.concat(parts))
}

/** Create an operator that changes written data. */
const written =
  (change: (content: Uint8Array, info: EntryInfo) => readonly [Uint8Array, EntryInfo]): Operator['apply'] =>
  (driver, isDue) => ({
    async write(id, chunks, info, lineIndex) {
      const content = await joined(chunks)
      const whole = { ...info, size: content.length }
      const [kept, described] = isDue(id, content.length) ? change(content, whole) : [content, whole]
      return await driver.write(id, of(kept), described, lineIndex)
    },
  })

/** Create an operator that changes the entry info that reading and listing return. */
const described =
  (change: (info: EntryInfo) => EntryInfo): Operator['apply'] =>
  (driver, isDue) => {
    const changed = (id: string, info: EntryInfo): EntryInfo => (isDue(id, info.size) ? change(info) : info)
    return {
      async stat(id) {
        const info = await driver.stat(id)
        return info && changed(id, info)
      },
      async read(id, range) {
        const found = await driver.read(id, range)
        return found && { ...found, info: changed(id, found.info) }
      },
      async *list(prefix, options) {
        for await (const { id, info } of driver.list(prefix, options)) yield { id, info: changed(id, info) }
      },
    }
  }

/** Create an operator that changes content that is read. */
const readAs =
  (change: (found: DriverContent, range: ByteRange | undefined, id: string) => DriverContent): Operator['apply'] =>
  (driver, isDue) => ({
    async read(id, range) {
      const found = await driver.read(id, range)
      return found !== undefined && isDue(id, found.info.size) ? change(found, range, id) : found
    },
    ...(driver.open === undefined
      ? {}
      : {
          async open(id) {
            const open = await driver.open?.(id)
            if (open === undefined || !isDue(id, open.info.size)) return open
            const read: OpenEntry['read'] = async (range) =>
              change({ content: await open.read(range), info: open.info }, range, id).content
            return { info: open.info, read, close: () => open.close() }
          },
        }),
  })

const listed =
  (change: (entries: DriverEntry[], prefix: string) => Iterable<DriverEntry>): Operator['apply'] =>
  (driver, isDue) => ({
    async *list(prefix, options) {
      const entries: DriverEntry[] = []
      for await (const entry of driver.list(prefix, options)) entries.push(entry)
      yield* isDue(prefix, entries.length) ? change(entries, prefix) : entries
    },
  })

const emptied = (content: Uint8Array): Uint8Array => new Uint8Array(content.length)

export const operators: readonly Operator[] = [
  {
    step: 'write',
    kind: 'skip',
    what: 'acknowledges an entry without writing it',
    apply: (driver, isDue) => ({
      async write(id, chunks, info, lineIndex) {
        if (!isDue(id)) return await driver.write(id, chunks, info, lineIndex)
        await joined(chunks)
        return true
      },
    }),
  },
  {
    step: 'remove',
    kind: 'skip',
    what: 'acknowledges a removal without removing',
    apply: (driver, isDue) => ({
      remove: async (id) => (isDue(id) ? true : await driver.remove(id)),
    }),
  },
  {
    step: 'remove',
    kind: 'skip',
    what: 'says that nothing was removed',
    apply: (driver, isDue) => ({
      async remove(id) {
        const removed = await driver.remove(id)
        return isDue(id) ? false : removed
      },
    }),
  },
  {
    step: 'touch',
    kind: 'skip',
    what: 'does not set the last use',
    apply: (driver, isDue) => ({
      async touch(id, at) {
        if (!isDue(id)) return await driver.touch(id, at)
        return (await driver.stat(id)) === undefined ? undefined : at
      },
    }),
  },
  {
    step: 'evict',
    kind: 'skip',
    what: 'acknowledges an eviction without removing',
    apply: (driver, isDue) => ({
      evict: async (id, since, eviction) => (isDue(id) ? true : await driver.evict(id, since, eviction)),
    }),
  },
  {
    step: 'evict',
    kind: 'skip',
    what: 'does not look at the last use',
    apply: (driver, isDue) => ({
      evict: async (id, since, eviction) => await driver.evict(id, isDue(id) ? Infinity : since, eviction),
    }),
  },
  { step: 'list', kind: 'skip', what: 'leaves out the first entry', apply: listed((entries) => entries.slice(1)) },
  {
    step: 'list',
    kind: 'skip',
    what: 'leaves out entries without content',
    apply: listed((entries) => entries.filter(({ info }) => info.size > 0)),
  },
  {
    step: 'collect',
    kind: 'skip',
    what: 'collects no leftovers',
    apply: () => ({ collect: async () => ({ leftovers: 0, bytes: 0 }) }),
  },
  {
    step: 'write',
    kind: 'swap',
    what: 'writes the description of the entry before',
    apply: (driver, isDue) => {
      let previous: Parameters<StorageDriver['write']>[2] | undefined
      return {
        async write(id, chunks, info, lineIndex) {
          const used = isDue(id) ? (previous ?? info) : info
          previous = info
          return await driver.write(id, chunks, used, lineIndex)
        },
      }
    },
  },
  {
    step: 'list',
    kind: 'swap',
    what: 'lists each entry with the description of the next',
    apply: listed((entries) =>
      entries.map(({ id, info }, index) => ({ id, info: entries[(index + 1) % entries.length]?.info ?? info })),
    ),
  },
  {
    step: 'list',
    kind: 'swap',
    what: 'lists an entry twice',
    apply: listed((entries) => [...entries, ...entries.slice(0, 1)]),
  },
  {
    step: 'read',
    kind: 'swap',
    what: 'returns the bytes in another order',
    apply: readAs((found) => ({ ...found, content: found.content.toReversed() })),
  },
  {
    step: 'stat',
    kind: 'swap',
    what: 'swaps key and content type',
    apply: described((info) => ({ ...info, key: info.contentType, contentType: info.key })),
  },
  {
    step: 'stat',
    kind: 'swap',
    what: 'swaps the time of storing and of last use',
    apply: described((info) => ({ ...info, storedAt: info.lastUsedAt })),
  },
  {
    step: 'write',
    kind: 'truncate',
    what: 'drops the last byte',
    apply: written((content, info) => [content.subarray(0, -1), info]),
  },
  {
    step: 'write',
    kind: 'truncate',
    what: 'drops zeros at the end',
    apply: written((content, info) => [content.subarray(0, content.findLastIndex((byte) => byte !== 0) + 1), info]),
  },
  {
    step: 'write',
    kind: 'truncate',
    what: 'cuts keys at 1,000 characters',
    apply: written((content, info) => [content, { ...info, key: info.key.slice(0, 1_000) }]),
  },
  {
    step: 'write',
    kind: 'truncate',
    what: 'cuts content types at the semicolon',
    apply: written((content, info) => [content, { ...info, contentType: info.contentType.replace(/;.*/, '') }]),
  },
  {
    step: 'read',
    kind: 'truncate',
    what: 'returns zeros for the last byte',
    apply: readAs(({ content, info }) => ({
      info,
      content: Uint8Array.from([...content.subarray(0, -1), ...(content.length > 0 ? [0] : [])]),
    })),
  },
  {
    step: 'list',
    kind: 'truncate',
    what: 'lists 1,000 entries at most',
    apply: listed((entries) => entries.slice(0, 1_000)),
  },
  {
    step: 'list',
    kind: 'truncate',
    what: 'lists 2,000 entries at most',
    apply: listed((entries) => entries.slice(0, 2_000)),
  },
  {
    step: 'write',
    kind: 'delay',
    what: 'writes after it has acknowledged',
    apply: (driver, isDue) => ({
      async write(id, chunks, info, lineIndex) {
        if (!isDue(id)) return await driver.write(id, chunks, info, lineIndex)
        const content = await joined(chunks)
        const index = lineIndex?.()
        void Promise.allSettled([later().then(() => driver.write(id, of(content), info, () => index))])
        return true
      },
    }),
  },
  {
    step: 'remove',
    kind: 'delay',
    what: 'removes after it has acknowledged',
    apply: (driver, isDue) => ({
      async remove(id) {
        if (!isDue(id)) return await driver.remove(id)
        const isThere = (await driver.stat(id)) !== undefined
        void Promise.allSettled([later().then(() => driver.remove(id))])
        return isThere
      },
    }),
  },
  {
    step: 'touch',
    kind: 'delay',
    what: 'touches after it has answered',
    apply: (driver, isDue) => ({
      async touch(id, at) {
        if (!isDue(id)) return await driver.touch(id, at)
        const info = await driver.stat(id)
        void Promise.allSettled([later().then(() => driver.touch(id, at))])
        return info && Math.max(at, info.lastUsedAt + 1)
      },
    }),
  },
  {
    step: 'evict',
    kind: 'delay',
    what: 'looks at the last use long before it removes',
    apply: (driver, isDue) => ({
      async evict(id, since, eviction) {
        if (!isDue(id)) return await driver.evict(id, since, eviction)
        const info = await driver.stat(id)
        if (info === undefined || info.lastUsedAt > since) return false
        await later()
        return await driver.evict(id, Infinity, eviction)
      },
    }),
  },
  {
    step: 'read',
    kind: 'share',
    what: 'returns the same memory again',
    apply: (driver, isDue) => {
      const kept = new Map<string, DriverContent>()
      return {
        async read(id, range) {
          const found = await driver.read(id, range)
          const key = `${id} ${range?.offset} ${range?.length}`
          if (found === undefined || !isDue(id, found.info.size)) return found
          const first = kept.get(key)
          if (first === undefined || first.info.storedAt !== found.info.storedAt) kept.set(key, found)
          return { ...found, content: kept.get(key)!.content }
        },
      }
    },
  },
  {
    step: 'stat',
    kind: 'share',
    what: 'remembers descriptions',
    apply: (driver, isDue) => {
      const kept = new Map<string, EntryInfo>()
      return {
        async stat(id) {
          const info = kept.get(id) ?? (await driver.stat(id))
          if (info !== undefined && isDue(id, info.size)) kept.set(id, info)
          return info
        },
      }
    },
  },
  {
    step: 'read',
    kind: 'share',
    what: 'remembers what was not there',
    apply: (driver, isDue) => {
      const missed = new Set<string>()
      return {
        async read(id, range) {
          if (missed.has(id)) return undefined
          const found = await driver.read(id, range)
          if (found === undefined && isDue(id)) missed.add(id)
          return found
        },
      }
    },
  },
  {
    step: 'touch',
    kind: 'share',
    what: 'remembers what was stored',
    apply: (driver, isDue) => {
      const known = new Map<string, number>()
      return {
        async touch(id, at) {
          const touched = (await driver.touch(id, at)) ?? known.get(id)
          if (touched !== undefined && isDue(id)) known.set(id, touched)
          return touched
        },
      }
    },
  },
  {
    step: 'write',
    kind: 'leak',
    what: 'leaves a second record',
    apply: (driver, isDue) => ({
      async write(id, chunks, info, lineIndex) {
        if (isDue(id)) await driver.write(`${id}x`, of(), info)
        return await driver.write(id, chunks, info, lineIndex)
      },
    }),
  },
  {
    step: 'write',
    kind: 'leak',
    what: 'keeps what came before a stream failed',
    apply: (driver, isDue) => ({
      async write(id, chunks, info, lineIndex) {
        if (!isDue(id)) return await driver.write(id, chunks, info, lineIndex)
        const parts: Uint8Array[] = []
        try {
          for await (const chunk of chunks) parts.push(chunk)
        } catch (error) {
          await driver.write(id, of(...parts), info)
          throw error
        }
        return await driver.write(id, of(...parts), info, lineIndex)
      },
    }),
  },
  {
    step: 'write',
    kind: 'leak',
    what: 'shows an entry before its stream has ended',
    apply: (driver, isDue) => ({
      async write(id, chunks, info, lineIndex) {
        if (!isDue(id)) return await driver.write(id, chunks, info, lineIndex)
        const isNew = (await driver.stat(id)) === undefined
        const parts: Uint8Array[] = []
        for await (const chunk of chunks) {
          parts.push(chunk)
          await driver.remove(id)
          await driver.write(id, of(...parts), info)
        }
        await driver.remove(id)
        await driver.write(id, of(...parts), info, lineIndex)
        return isNew
      },
    }),
  },
  {
    step: 'read',
    kind: 'leak',
    what: 'looks into the scope above',
    apply: (driver, isDue) => ({
      async read(id, range) {
        const found = await driver.read(id, range)
        const above = id.split('/').toSpliced(-2, 1).join('/')
        return found === undefined && isDue(id) && above !== id ? await driver.read(above, range) : found
      },
    }),
  },
  {
    step: 'remove',
    kind: 'widen',
    what: 'removes the reference from every scope',
    apply: (driver, isDue) => ({
      async remove(id) {
        const reference = id.slice(id.lastIndexOf('/') + 1)
        if (isDue(id))
          for await (const entry of driver.list(''))
            if (entry.id !== id && entry.id.endsWith(`/${reference}`)) await driver.remove(entry.id)
        return await driver.remove(id)
      },
    }),
  },
  {
    step: 'list',
    kind: 'widen',
    what: 'ignores that listed entries must be below a prefix',
    apply: (driver, isDue) => ({
      list: (prefix, options) => driver.list(isDue(prefix) ? '' : prefix, options),
    }),
  },
  {
    step: 'read',
    kind: 'widen',
    what: 'finds ids whatever their case and underscores',
    apply: (driver, isDue) => ({
      async read(id, range) {
        const found = await driver.read(id, range)
        if (found !== undefined || !isDue(id)) return found
        const plain = (text: string): string => text.replaceAll(/_[0-9a-f]{2}|[^a-z0-9/]/g, '')
        for await (const entry of driver.list(''))
          if (plain(entry.id) === plain(id)) return await driver.read(entry.id, range)
        return undefined
      },
    }),
  },
  {
    step: 'read',
    kind: 'widen',
    what: 'reads to the end of the entry',
    apply: (driver, isDue) => ({
      read: async (id, range) => await driver.read(id, range && isDue(id) ? { ...range, length: 2 ** 40 } : range),
    }),
  },
  {
    step: 'write',
    kind: 'forget',
    what: 'forgets metadata',
    apply: written((content, info) => [content, { ...info, metadata: {} }]),
  },
  {
    step: 'write',
    kind: 'forget',
    what: 'forgets the content',
    apply: written((content, info) => [emptied(content), info]),
  },
  {
    step: 'write',
    kind: 'forget',
    what: 'forgets the line index',
    apply: (driver, isDue) => ({
      write: async (id, chunks, info, lineIndex) =>
        await driver.write(id, chunks, info, isDue(id) ? undefined : lineIndex),
    }),
  },
  {
    step: 'write',
    kind: 'forget',
    what: 'keeps the line index of the entry before',
    apply: (driver, isDue) => {
      let previous: string | undefined
      return {
        write: async (id, chunks, info, lineIndex) =>
          await driver.write(id, chunks, info, () => {
            const own = lineIndex?.()
            const used = own !== undefined && isDue(id) ? (previous ?? own) : own
            if (own !== undefined) previous = own
            return used
          }),
      }
    },
  },
  {
    step: 'findEviction',
    kind: 'forget',
    what: 'forgets what was evicted',
    apply: (driver, isDue) => ({
      findEviction: async (id) => (isDue(id) ? undefined : await driver.findEviction(id)),
    }),
  },
  {
    step: 'findEviction',
    kind: 'forget',
    what: 'forgets the metadata of what was evicted',
    apply: (driver, isDue) => ({
      async findEviction(id) {
        const eviction = await driver.findEviction(id)
        return eviction && isDue(id) ? { ...eviction, metadata: {} } : eviction
      },
    }),
  },
  {
    step: 'write',
    kind: 'forget',
    what: 'writes again what is there, with the new description',
    apply: (driver, isDue) => ({
      async touch(id, at) {
        return isDue(id) ? undefined : await driver.touch(id, at)
      },
      async write(id, chunks, info, lineIndex) {
        const before = await driver.stat(id)
        if (before === undefined || !isDue(id)) return await driver.write(id, chunks, info, lineIndex)
        const content = await joined(chunks)
        await driver.remove(id)
        await driver.write(id, of(content), info, lineIndex)
        return false
      },
    }),
  },
]

/** All triggers. */
export const triggers: readonly Trigger[] = [
  { name: 'always', isDue: () => true },
  { name: 'every third time', isDue: ({ count }) => count % 3 === 0 },
  { name: 'after 40 times', isDue: ({ count }) => count > 40 },
  { name: 'in scopes', isDue: ({ id }) => id.includes('/') },
  { name: 'outside of scopes', isDue: ({ id }) => !id.includes('/') },
  { name: 'above 1 MB', steps: ['write', 'read', 'stat'], isDue: ({ size }) => size > 1_048_576 },
]
