import { BoundedMap } from '@spillway/text/internal'
import type { AdoptedStorage } from '../content/adopt-storage.ts'
import { isMinted } from '../storage/reference.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { ListOptions, StoredInfo } from '../storage/storage.ts'

/** References of another session that a session may read. `all` means all entries of that session's own scope. */
export type Granted = 'all' | readonly string[]

const MAX_MENTIONED = 1_000
const MAX_SESSIONS = 10_000

/** Content shared between sessions. The key is the path of the reading session as JSON. */
export type SharedContents = BoundedMap<string, SharedContent>
export const sharedContents = (): SharedContents => new BoundedMap(MAX_SESSIONS)

/** The entries that a session may read: its own entries, and entries of other sessions. */
export class SharedContent {
  readonly #own: AdoptedStorage
  readonly #granted = new Map<SharedContent, 'all' | ReadonlySet<string>>()
  /** Scopes below this session in which the framework of a sub-agent stores content. */
  readonly #below = new Set<SharedContent>()

  constructor(own: AdoptedStorage) {
    this.#own = own
  }

  /** Let this session read entries that the other session can read. */
  grant(from: SharedContent, references: Granted): void {
    const known = this.#granted.get(from) ?? new Set()
    const isAll = references === 'all' || known === 'all'
    this.#granted.set(from, isAll ? 'all' : new Set([...known, ...references]))
  }

  /** Let a scope below read entries lent to this session, and let this session read entries of that scope. */
  extendTo(below: SharedContent): void {
    for (const [from, granted] of this.#granted) below.grant(from, granted === 'all' ? 'all' : [...granted])
    this.#below.add(below)
  }

  /** Ask the storages that may have an entry, one after the other, as long as they reject with `not-found`. */
  async read<Result>(reference: string, ask: (storage: AdoptedStorage) => Promise<Result>): Promise<Result> {
    let missing: unknown
    for (const storage of this.#holders(reference, new Set())) {
      try {
        return await ask(storage)
      } catch (error) {
        if (!StorageError.isInstance(error) || error.code !== 'not-found') throw error
        missing = error
      }
    }
    throw missing
  }

  /** `seen` prevents loops, because sessions may lend to each other. */
  *#holders(reference: string, seen: Set<SharedContent>): Generator<AdoptedStorage> {
    if (seen.has(this)) return
    seen.add(this)
    for (const [from, granted] of this.#granted)
      if (granted !== 'all' && granted.has(reference)) yield* from.#holders(reference, seen)
    yield this.#own
    for (const below of this.#below) yield* below.#holders(reference, seen)
    for (const [from, granted] of this.#granted) if (granted === 'all') yield from.#own
  }

  /** List the session's own entries, and the entries that were lent to the session. */
  async *list(options: ListOptions, seen: Set<SharedContent> = new Set()): AsyncGenerator<StoredInfo> {
    if (seen.has(this)) return
    seen.add(this)
    yield* this.#own.list(options)
    for (const below of this.#below) yield* below.list(options, seen)
    for (const [from, granted] of this.#granted)
      if (granted === 'all') yield* from.#own.list(options)
      else for await (const info of from.list(options, seen)) if (granted.has(info.reference)) yield info
  }
}

/** A storage that can also read entries lent by other sessions. */
export function withShared(own: AdoptedStorage, shared: () => SharedContent | undefined): AdoptedStorage {
  const read = <Result>(reference: string, ask: (storage: AdoptedStorage) => Promise<Result>): Promise<Result> =>
    shared()?.read(reference, ask) ?? ask(own)
  return {
    ...own,
    open: (reference, options) => read(reference, (storage) => storage.open(reference, options)),
    describe: (reference, options) => read(reference, (storage) => storage.describe(reference, options)),
    list: (options = {}) => (options.below === false ? shared()?.list(options) : undefined) ?? own.list(options),
  }
}

/** Returns the references in a text, at most 1,000. Only whole words in the form of a reference count. */
export function mentionedReferences(text: string): string[] {
  const found = new Set<string>()
  // Each word of at least this length has a character at one of these positions.
  for (let at = SHORTEST_WORD - 1; at < text.length && found.size < MAX_MENTIONED; at += SHORTEST_WORD) {
    let start = at
    while (start > 0 && isWordCode(text.charCodeAt(start - 1))) start--
    while (at < text.length && isWordCode(text.charCodeAt(at))) at++
    const reference = at - start < SHORTEST_WORD ? '' : text.slice(start, at).replace(/^_+|_+$/g, '')
    if (isMinted(reference)) found.add(reference)
  }
  return [...found]
}

const SHORTEST_WORD = 22
const isWordCode = (code: number): boolean => (code > 96 && code < 123) || (code > 47 && code < 58) || code === 95
