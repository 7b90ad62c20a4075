import { StorageError as StrandsStorageError } from '@strands-agents/sdk'
import type { Sandbox } from '@strands-agents/sdk/sandbox'
import type { Storage as StrandsStorage } from '@strands-agents/sdk/storage'
import { StorageError, type Storage } from '@spillway/core'
import { filePathOf, StoredFiles } from '@spillway/core/files'

const NAMESPACED: unique symbol = Symbol.for('strands.storage.namespaced') as never
const METHODS = ['store', 'retrieve', 'scope', 'list', 'delete'] as const

type ScopedStorage = Storage & Required<Pick<Storage, (typeof METHODS)[number]>>

/** A storage with Strands' unified interface: values under keys, which can be overwritten. */
export interface KeyedStorage extends StrandsStorage {
  /** A view of the keys that begin with `prefix` and a slash. */
  namespace(prefix: string): KeyedStorage
  /** A view of the content stored for a sandbox. Absent if all sandboxes share one storage. */
  forSandbox?(sandbox: Sandbox): KeyedStorage
}

/**
 * Give a storage Strands' unified interface, for its `ContextOffloader` and for everything else that takes a `Storage`.
 *
 * Each key has its own scope. The newest entry in this scope is the value. Readers get a complete value, old or new,
 * even after a crash. If several writes run concurrently, one of the values is kept.
 *
 * Keys have no `.` segments or control characters, at most 1,023 characters, and at most 16 segments together with the
 * storage's scope. Pass a scope that is used for nothing else.
 *
 * Missing and evicted values read as `null`. Failures reject with the `StorageError` of Strands, whose `cause` is
 * Spillway's.
 *
 * @param storage - A storage with scopes, or a function that makes one for a sandbox, called once for each.
 * @throws TypeError if a storage lacks a method. For a sandbox, `forSandbox` throws this error.
 *
 * @example
 * ```ts
 * import { InMemoryStorage } from '@spillway/memory'
 * import { strandsStorage } from '@spillway/strands/storage'
 * import { ContextOffloader } from '@strands-agents/sdk/vended-plugins/context-offloader'
 *
 * const storage = strandsStorage(new InMemoryStorage({ evictAfterTurns: null }).scope('session-1'))
 * const plugin = new ContextOffloader({ storage }) // new Agent({ plugins: [plugin] })
 *
 * await storage.write('notes/today', new TextEncoder().encode('buy milk'))
 * console.assert((await storage.list('notes/')).join() === 'notes/today')
 * console.assert((await storage.read('notes/tomorrow')) === null && plugin.name === 'strands:context-offloader')
 * ```
 */
export function strandsStorage(storage: Storage | ((sandbox: Sandbox) => Storage)): KeyedStorage {
  if (typeof storage !== 'function') return keyedView(scoped(storage))
  const bySandbox = new WeakMap<Sandbox, ScopedStorage>()
  return keyedView((sandbox) => {
    const bound = bySandbox.get(sandbox) ?? scoped(storage(sandbox))
    bySandbox.set(sandbox, bound)
    return bound
  })
}

function keyedView(
  storage: ScopedStorage | ((sandbox: Sandbox) => ScopedStorage),
  namespace?: readonly string[],
): KeyedStorage {
  const below = (segments: readonly string[]): ScopedStorage => {
    if (typeof storage === 'function')
      throw new StrandsStorageError(
        'Each sandbox has its own storage. Call forSandbox(sandbox), and use the storage that it returns.',
      )
    return segments.length === 0 ? storage : scoped(storage.scope(...segments))
  }
  const withFile = <Result>(
    key: string,
    work: (files: StoredFiles, path: string) => Promise<Result>,
  ): Promise<Result> =>
    explained(async () => {
      const segments = segmentsOf(key)
      if (segments.length === 0) throw new StrandsStorageError('A storage key must not be empty.')
      const all = [...(namespace ?? []), ...segments]
      return await work(new StoredFiles(below(all)), `/${all.join('/')}`)
    })
  return {
    write: (key, data) =>
      withFile(key, async (files, path) => {
        const { content, contentType } = unframe(data)
        await files.write(path, content, contentType)
      }),
    read: (key) =>
      withFile(key, async (files, path) => {
        const framed = await files.read(path, async (file) => frame(file.contentType, await file.readBytes()))
        if (framed !== undefined) return framed
        if ((await files.list()).size === 0) return null
        throw new StrandsStorageError(`The value of '${key}' has a damaged or foreign entry. Write it again.`)
      }),
    delete: (key) => withFile(key, async (files, path) => void (await files.remove(path))),
    list: (query) =>
      explained(async () => {
        const segments = [...(namespace ?? []), ...segmentsOf(query)]
        // The text after the last slash may be the beginning of a name.
        const folders = query === '' || query.endsWith('/') ? segments : segments.slice(0, -1)
        const start = ['', ...folders, ...(folders === segments ? [''] : segments.slice(-1))].join('/')
        const keys: string[] = []
        for await (const info of below(folders).list()) {
          const path = filePathOf(info)
          if (path?.startsWith(start) === true) keys.push(path.slice(['', ...(namespace ?? []), ''].join('/').length))
        }
        return [...new Set(keys)].sort()
      }),
    namespace: (prefix) => keyedView(storage, [...(namespace ?? []), ...segmentsOf(prefix)]),
    ...(namespace && { [NAMESPACED]: true }),
    ...(typeof storage === 'function' && {
      forSandbox: (sandbox: Sandbox) => keyedView(storage(sandbox), namespace),
    }),
  }
}

/** Split a key, with the rules of Strands' own backends. */
function segmentsOf(key: string): string[] {
  const segments = key.split('/').filter((segment) => segment !== '')
  if (!key.includes('\\') && !segments.includes('..')) return segments
  throw new StrandsStorageError(`${JSON.stringify(key)} is not a storage key. Leave backslashes and '..' segments out.`)
}

function scoped(storage: Storage): ScopedStorage {
  for (const method of METHODS)
    if (typeof (storage as Partial<Storage> | null)?.[method] !== 'function')
      throw new TypeError(
        `storage must have the method ${method}(). Use a backend of Spillway, such as FileStorage, or createStorage().`,
      )
  return storage as ScopedStorage
}

/** Convert errors to the class that users of Strands expect. */
async function explained<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw StorageError.isInstance(error) ? new StrandsStorageError(error.message, { cause: error }) : error
  }
}

/** Strands' offloader frames content: two bytes with the length of the content type, the content type, the content. */
const LENGTH_BYTES = 2
/** The type of content without a frame. */
const UNFRAMED = 'application/octet-stream'
/** Only ASCII, so that encoding gives the same bytes. */
const CONTENT_TYPE = /^[\w.+-]{1,99}\/[\w.+-]{1,99}$/

/** Bytes that {@link frame} would not restore are returned whole as content. */
export function unframe(data: Uint8Array): { readonly contentType: string; readonly content: Uint8Array } {
  const start = LENGTH_BYTES + (data[1] ?? 0)
  const contentType = String.fromCharCode(...data.subarray(LENGTH_BYTES, start))
  const isFrame = data[0] === 0 && CONTENT_TYPE.test(contentType) && contentType !== UNFRAMED && start <= data.length
  return isFrame ? { contentType, content: data.subarray(start) } : { contentType: UNFRAMED, content: data }
}

export function frame(contentType: string, content: Uint8Array): Uint8Array {
  if (contentType === UNFRAMED) return content
  const start = new TextEncoder().encode(`\0${String.fromCharCode(contentType.length)}${contentType}`)
  const data = new Uint8Array(start.length + content.length)
  data.set(start)
  data.set(content, start.length)
  return data
}
