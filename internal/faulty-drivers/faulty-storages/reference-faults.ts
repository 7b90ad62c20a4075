import type { EntryInfo, ManagedStorage, Storage } from '@spillway/core'
import { TinyDriver, type TinyDisk } from '../../../packages/core/test/tiny-driver.ts'
import { overridden, readAll, unlessRefused, type Fault } from './fault.ts'

/** Create a storage that changes a reference before looking it up. */
const normalising =
  (normalise: (reference: string) => string) =>
  (storage: ManagedStorage): Storage =>
    overridden(storage, (inner) => ({
      retrieve: (reference, options) =>
        inner.retrieve(typeof reference === 'string' ? normalise(reference) : reference, options),
    }))

export const referenceFaults: readonly Fault[] = [
  {
    name: 'overwrites entries with equal keys',
    caughtBy: 'concurrency/parallel-stores',
    also: [
      'content-type/exact',
      'store/one-creates',
      'durability/content',
      'instances/one-creates',
      'instances/parallel-stores',
    ],
    storage: (storage) =>
      overridden(storage, (inner) => {
        const latest = new Map<string, string>()
        return {
          async store(key, content, type, options) {
            const reference = await inner.store(key, content, type, options)
            const before = latest.get(key)
            if (before !== undefined && before !== reference) await inner.delete(before)
            latest.set(key, reference)
            return reference
          },
        }
      }),
  },
  {
    name: 'returns a new reference for each store',
    caughtBy: 'store/receipt',
    also: [
      'store/equal-input-elsewhere-equal-reference',
      'store/one-creates',
      'store/after-a-miss',
      'delete/leaves-no-record',
      'undo/keeps-an-older-entry',
      'undo/in-parallel',
      'turns/revived-by-storing',
      'age/revived-by-storing',
      'quota/deleting-makes-room',
      'concurrency/store-while-deleting',
      'instances/one-creates',
    ],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async store(key, content, type, options) {
          if (options?.metadata !== undefined || !(content instanceof Uint8Array))
            return inner.store(key, content, type, options)
          const copy = Uint8Array.from(content)
          async function* chunks(): AsyncGenerator<Uint8Array> {
            yield copy
          }
          return inner.storeStream(key, chunks(), type, options)
        },
      })),
  },
  {
    name: 'leaves the content type out of references',
    caughtBy: 'content-type/exact',
    also: ['store/different-input-different-reference'],
    storage: (storage) =>
      overridden(storage, (inner) => {
        const known = new Map<string, string>()
        return {
          async store(key, content, type, options) {
            const reference = await inner.store(key, content, type, options)
            const same = `${key} ${content.byteLength} ${content.byteLength < 100 ? content.join() : reference}`
            const before = known.get(same) ?? reference
            known.set(same, before)
            return before
          },
        }
      }),
  },
  {
    name: 'salts references',
    caughtBy: 'store/equal-input-elsewhere-equal-reference',
    storage: (storage, disk) => {
      const salt = SALTS.get(disk) ?? `salt ${(salts += 1)}`
      SALTS.set(disk, salt)
      return overridden(storage.scope(salt), () => ({}))
    },
  },
  {
    name: 'reports for every store that it created the entry',
    caughtBy: 'store/receipt',
    also: [
      'store/one-creates',
      'undo/keeps-an-older-entry',
      'undo/in-parallel',
      'durability/description',
      'instances/one-creates',
    ],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        store: (key, content, type, options) =>
          inner.store(key, content, type, {
            ...options,
            onStored: (receipt) => options?.onStored?.({ ...receipt, created: true }),
          }),
      })),
  },
  {
    name: 'reports a wrong creator for parallel stores of the same entry',
    caughtBy: 'store/one-creates',
    also: ['undo/in-parallel', 'instances/one-creates'],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async store(key, content, type, options) {
          const copy = content instanceof Uint8Array ? Uint8Array.from(content) : content
          const found = new Set<string>()
          for await (const { reference } of inner.list({ below: false })) found.add(reference)
          return inner.store(key, copy, type, {
            ...options,
            onStored: (receipt) => options?.onStored?.({ ...receipt, created: !found.has(receipt.reference) }),
          })
        },
      })),
  },
  {
    name: 'stores equal content once, and deletes it for all entries',
    caughtBy: 'delete/removes',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async delete(reference, options) {
          const info = await unlessRefused(() => inner.stat(reference))
          const deleted = info?.key === 'first' && info.size === 5 ? await inner.retrieve(reference) : undefined
          await inner.delete(reference, options)
          if (deleted === undefined || options?.unusedSince !== undefined) return
          for await (const other of inner.list({ below: false })) {
            if (other.size !== deleted.content.byteLength) continue
            const { content } = await inner.retrieve(other.reference)
            if (content.every((byte, index) => byte === deleted.content[index])) await inner.delete(other.reference)
          }
        },
      })),
  },
  {
    name: 'puts a long key into the reference without shortening it',
    caughtBy: 'reference/grammar',
    storage: (storage) =>
      overridden(storage, (inner) => {
        const references = new Map<string, string>()
        return {
          async store(key, content, type, options) {
            const reference = await inner.store(key, content, type, options)
            if (key.length < 4_000) return reference
            const long = `${key.toLowerCase()}_${reference}`
            references.set(long, reference)
            return long
          },
          retrieve: (reference, options) => inner.retrieve(references.get(reference) ?? reference, options),
        }
      }),
  },
  {
    name: 'puts the scope into the reference',
    caughtBy: 'reference/grammar',
    storage: (storage) =>
      overridden(storage, (inner, segments) => ({
        async store(key, content, type, options) {
          const [tenant = ''] = segments
          if (!tenant.startsWith('zqx')) return inner.store(key, content, type, options)
          return `${tenant}_${await inner.store(key, content, type, options)}`
        },
      })),
  },
  {
    name: 'has references without a slug',
    caughtBy: 'reference/grammar',
    also: ['stream/as-any-entry'],
    storage: (storage) =>
      overridden(storage, (inner) => ({
        store: (key, content, type, options) => inner.store(key === 'toolu_01AbC:0' ? '' : key, content, type, options),
        storeStream: (_key, chunks, type, options) => inner.storeStream('', chunks, type, options),
      })),
  },
  {
    name: 'returns empty content for unknown references',
    caughtBy: 'reference/unknown-rejects',
    storage: (storage) =>
      overridden(storage, (inner, segments) => ({
        async retrieve(reference, options) {
          const found = await inner.retrieve(reference, options).catch((error: unknown) => {
            if (segments.length > 0 || reference !== 'call_1_0') throw error
            return undefined
          })
          return found ?? { content: new Uint8Array(0), contentType: 'text/plain' }
        },
      })),
  },
  {
    name: 'throws another error for unknown references',
    caughtBy: 'error/miss',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async retrieve(reference, options) {
          if (reference === 'call_1_0_abcdefghijklmnopqrst') throw new Error(`Reference not found: ${reference}`)
          return inner.retrieve(reference, options)
        },
      })),
  },
  {
    name: 'resolves a reference that contains a path',
    caughtBy: 'reference/forged',
    storage: normalising((reference) => reference.slice(reference.lastIndexOf('/') + 1)),
  },
  {
    name: 'resolves a path into a child scope',
    caughtBy: 'scope/named-like-an-entry',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async retrieve(reference, options) {
          const [first, second] = typeof reference === 'string' ? reference.split('/') : []
          if (first === undefined || second === undefined || first === '') return inner.retrieve(reference, options)
          return inner.scope(first).retrieve(second, options)
        },
      })),
  },
  { name: 'trims references', caughtBy: 'reference/forged', storage: normalising((reference) => reference.trim()) },
  {
    name: 'ignores the case of references',
    caughtBy: 'reference/forged',
    storage: normalising((reference) => reference.toLowerCase()),
  },
  {
    name: 'ends references at a NUL',
    caughtBy: 'reference/forged',
    storage: normalising((reference) => reference.split('\u0000')[0] ?? ''),
  },
  { name: 'decodes references', caughtBy: 'reference/forged', storage: normalising((reference) => decoded(reference)) },
  {
    name: 'normalizes Unicode in references',
    caughtBy: 'reference/forged',
    storage: normalising((reference) => reference.normalize('NFKC')),
  },
  {
    name: 'finds a reference by its first characters',
    caughtBy: 'reference/forged',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async retrieve(reference, options) {
          for await (const info of inner.list({ below: false }))
            if (typeof reference === 'string' && reference.length > 20 && info.reference.startsWith(reference))
              return inner.retrieve(info.reference, options)
          return inner.retrieve(reference, options)
        },
      })),
  },
  {
    name: 'converts other values to references',
    caughtBy: 'reference/only-strings',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        retrieve: (reference, options) => inner.retrieve(`${reference as unknown as number}`, options),
      })),
  },
  {
    name: 'crashes on a malformed reference',
    caughtBy: 'reference/malformed-is-refused',
    also: ['reference/forged'],
    storage: normalising((reference) => decodeURIComponent(reference) && reference),
  },
  {
    name: 'reports a malformed reference in stat as an outage',
    caughtBy: 'reference/malformed-is-refused',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async stat(reference, options) {
          if (reference.includes('\u0000')) throw new TypeError('a path must not contain NUL')
          return inner.stat(reference, options)
        },
      })),
  },
  {
    name: 'follows a link out of its folder',
    caughtBy: 'reference/planted',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const read = driver.read.bind(driver)
      driver.read = async (id, range) => {
        const content = disk.links.get(id)
        if (content === undefined) return read(id, range)
        return { content: content.slice(), info: infoOfLink(content) }
      }
      return driver
    },
  },
  {
    name: 'lists a link that points out of its folder',
    caughtBy: 'reference/planted-stays',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const list = driver.list.bind(driver)
      driver.list = async function* (prefix) {
        yield* list(prefix)
        for (const [id, content] of disk.links) yield { id, info: infoOfLink(content) }
      }
      return driver
    },
  },
  {
    name: 'ends keys at a NUL',
    caughtBy: 'key/kept-exactly',
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const write = driver.write.bind(driver)
      driver.write = (id, chunks, info) => write(id, chunks, { ...info, key: info.key.split('\u0000')[0] ?? '' })
      return driver
    },
  },
  ...['empty', 'long', 'control-characters', 'path-like', 'unicode', 'lone-surrogates'].map((name): Fault => ({
    name: `cannot store under keys that are ${name.replaceAll('-', ' ')}`,
    caughtBy: `key/${name}`,
    storage: (storage) =>
      overridden(storage, (inner) => ({
        async store(key, content, type, options) {
          if (!(content instanceof Uint8Array)) return inner.store(key, content, type, options)
          const found =
            new TextDecoder().decode(content.subarray(0, 11)) === 'content of ' && (KEYS[name]?.(key) ?? false)
          if (found) throw new Error(`cannot store under ${JSON.stringify(key.slice(0, 40))}`)
          return inner.store(key, content, type, options)
        },
      })),
  })),
  {
    name: 'keeps keys in an object with a prototype',
    caughtBy: 'key/prototype-names',
    also: ['key/kept-exactly'],
    storage: (storage) =>
      overridden(storage, (inner) => {
        const references: Record<string, string> = {}
        return {
          async store(key, content, type, options) {
            const known = references[`${key}`]
            if (known !== undefined && typeof known !== 'string') return String(known)
            return inner.store(key, content, type, options)
          },
        }
      }),
  },
  {
    name: 'trims keys before it computes the reference',
    caughtBy: 'key/kept-exactly',
    driver: (disk) => new TinyDriver(disk),
    storage: (storage) =>
      overridden(storage, (inner) => ({
        store: (key, content, type, options) =>
          inner.store(content?.length === 7 && typeof key === 'string' ? key.trim() : key, content, type, options),
      })),
  },
  {
    name: 'converts other values to keys',
    caughtBy: 'error/invalid-key',
    storage: (storage) =>
      overridden(storage, (inner) => ({
        store: (key, content, type, options) => inner.store(`${key as unknown as number}`, content, type, options),
      })),
  },
  {
    name: 'writes an entry again for each store',
    caughtBy: 'delete/leaves-no-record',
    also: ['kill/leftovers-are-collected'],
    driver: (disk) => {
      const driver = new TinyDriver(disk)
      const touch = driver.touch.bind(driver)
      driver.touch = async (id, lastUsedAt) => {
        const touched = await touch(id, lastUsedAt)
        if (touched !== undefined) disk.unfinished.set(`touch ${id} ${touched}`, { since: 0, bytes: 0 })
        return touched
      }
      return driver
    },
  },
  {
    name: 'does not notice that an entry was deleted',
    caughtBy: 'store/after-a-miss',
    storage: (storage) =>
      overridden(storage, (inner) => {
        const known = new Map<string, string>()
        return {
          async store(key, content, type, options) {
            const before = known.get(key)
            if (before !== undefined && options?.onStored !== undefined && content.length === 7) {
              options.onStored({ reference: before, created: false, usedAt: 0 })
              return before
            }
            const reference = await inner.store(key, content, type, options)
            known.set(key, reference)
            return reference
          },
        }
      }),
  },
  {
    name: 'computes references from parts joined without separators',
    caughtBy: 'store/different-input-different-reference',
    storage: (storage) =>
      overridden(storage, (inner, segments) => {
        return {
          async store(key, content, type, options) {
            const reference = await inner.store(key, content, type, options)
            if (key !== 'ab' || content.length !== 1 || segments.length > 0) return reference
            const joined = await readAll(singles(key.slice(1), content))
            return inner.store(key.slice(0, 1), joined, type, options)
          },
        }
      }),
  },
]

let salts = 0
const SALTS = new WeakMap<TinyDisk, string>()

const KEYS: Readonly<Record<string, (key: string) => boolean>> = {
  empty: (key) => key === '',
  long: (key) => key.length > 1_000,
  'control-characters': (key) => /[\u0000-\u001f]/.test(key),
  'path-like': (key) => key.includes('/') && key.length < 20,
  unicode: (key) => key.includes('日'),
  'lone-surrogates': (key) => !key.isWellFormed(),
}

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference)
  } catch (error) {
    if (error instanceof URIError) return reference
    throw error
  }
}

async function* singles(text: string, content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
  yield content
}

/** Describe content that was not written by a storage. */
function infoOfLink({ length }: Uint8Array): EntryInfo {
  return { key: '', contentType: 'text/plain', size: length, storedAt: 0, lastUsedAt: 0, metadata: {} }
}
