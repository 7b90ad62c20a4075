import type { DriverEntry, EntryId, EntryInfo } from '@spillway/core/driver'
import type { Connection } from './connection.ts'
import { decodeHeader, decodeInfo } from './entry-header.ts'
import { idIn, indexKey, scriptKeys, type Keys } from './keys.ts'
import { PAGE, REMOVE } from './scripts.ts'
import type { Scopes } from './scopes.ts'

const PAGE_SIZE = 250
const MAX_PAGE_SIZE = 4_000
/** Scopes whose first page is asked for at the same time. */
const PARALLEL_SCOPES = 32
const UNKNOWN_CONTENT_TYPE = 'application/octet-stream'

interface Listed {
  readonly reference: string
  readonly lastUsedAt: number
  /** What the entry begins with; empty where the server has evicted it. */
  readonly head: Buffer
}

/** Where a page begins. */
interface Cursor {
  readonly from: number
  /** How many of those from there on to leave out. */
  readonly skip: number
  readonly size: number
}

const BEGIN: Cursor = { from: 0, skip: 0, size: PAGE_SIZE }

/** List entries of a scope and those below it, and remove all of them. */
export class EntryLister {
  readonly #connection: Connection
  readonly #keys: Keys
  readonly #scopes: Scopes
  readonly #now: () => number

  constructor(connection: Connection, keys: Keys, scopes: Scopes, now: () => number) {
    this.#now = now
    this.#connection = connection
    this.#keys = keys
    this.#scopes = scopes
  }

  /** List entries that were last used at `latest` or before. */
  async *list(prefix: string, latest: number): AsyncGenerator<DriverEntry> {
    for await (const { path, page } of this.#pages(prefix, latest))
      for (const { reference, lastUsedAt, head } of page)
        if (head.length > 0) yield { id: idIn(path, reference), info: describe(head, lastUsedAt) }
  }

  /** Remove all entries, and name each that was removed. */
  async *removeAll(prefix: string): AsyncGenerator<EntryId> {
    for await (const { path, page } of this.#pages(prefix, Infinity))
      for await (const reference of this.remove(
        path,
        page.map((entry) => entry.reference),
      ))
        yield idIn(path, reference)
  }

  /** Remove entries of one scope and name those that there were. */
  async *remove(path: string, references: readonly string[]): AsyncGenerator<string> {
    const tag = this.#keys.tag(path)
    let rest = references
    let askedAt = this.#now()
    while (rest.length > 0) {
      const reply = await this.#connection.script(REMOVE, scriptKeys(tag, rest), [askedAt, ...rest])
      const [seen, removed, left, latest] = reply as [unknown, Buffer[], Buffer[], unknown]
      rest = [...rest.slice(Number(seen)), ...left.map(String)]
      // Clocks differ, or it was used just now: we have the answer, so this is no call that was given up.
      if (left.length > 0) askedAt = Number(latest)
      yield* removed.map(String)
    }
  }

  async *#pages(prefix: string, latest: number): AsyncGenerator<{ path: string; page: readonly Listed[] }> {
    for await (const paths of this.#scopes.below(prefix))
      for (let at = 0; at < paths.length; at += PARALLEL_SCOPES) {
        const some = paths.slice(at, at + PARALLEL_SCOPES)
        const firsts = await Promise.all(some.map((path) => this.#page(path, BEGIN, latest)))
        for (const [index, path] of some.entries()) yield* this.#pagesOf(path, firsts[index] ?? [], latest)
      }
  }

  /** Entries that are used meanwhile move to the end: they come again, and are left out then. None is missed. */
  async *#pagesOf(
    path: string,
    first: readonly Listed[],
    latest: number,
  ): AsyncGenerator<{ path: string; page: readonly Listed[] }> {
    const seen = new Set<string>()
    let cursor = BEGIN
    let page = first
    for (;;) {
      const fresh = page.filter(({ reference }) => !seen.has(reference))
      for (const { reference } of fresh) seen.add(reference)
      if (fresh.length > 0) yield { path, page: fresh }
      const last = page.at(-1)
      if (last === undefined || page.length < cursor.size) return
      cursor = cursorAfter(cursor, last.lastUsedAt, fresh.length === 0)
      page = await this.#page(path, cursor, latest)
    }
  }

  async #page(path: string, { from, skip, size }: Cursor, latest: number): Promise<Listed[]> {
    const until = latest === Infinity ? '+inf' : latest
    const reply = await this.#connection.script(PAGE, [indexKey(this.#keys.tag(path))], [from, until, size, skip])
    const words = reply as Buffer[]
    const page: Listed[] = []
    for (let at = 0; at + 2 < words.length; at += 3) {
      const [reference, score, head] = words.slice(at, at + 3) as [Buffer, Buffer, Buffer]
      page.push({ reference: String(reference), lastUsedAt: Number(score), head })
    }
    return page
  }
}

/**
 * Say where the page after a full one begins: with those of the time at which that ended, some of which have been seen.
 * Where it has nothing else, it must be larger. Where it is as large as may be and has nothing new, a half of it is left
 * out: only a half, since those that are used or removed meanwhile make the others move up.
 */
function cursorAfter({ from, skip, size }: Cursor, lastUsedAt: number, isSeen: boolean): Cursor {
  if (lastUsedAt > from) return { from: lastUsedAt, skip: 0, size: PAGE_SIZE }
  if (size < MAX_PAGE_SIZE) return { from, skip, size: Math.min(2 * size, MAX_PAGE_SIZE) }
  return { from, skip: isSeen ? skip + size / 2 : skip, size }
}

/** Describe an entry for a listing: a damaged one too, since otherwise nobody could find and remove it. */
function describe(head: Buffer, lastUsedAt: number): EntryInfo {
  const header = decodeHeader(head)
  const info = header && decodeInfo(head, header, lastUsedAt)
  const damaged = {
    key: '',
    contentType: UNKNOWN_CONTENT_TYPE,
    size: 0,
    storedAt: lastUsedAt,
    lastUsedAt,
    metadata: {},
  }
  return info ?? damaged
}
