import {
  BoundedMap,
  describeUnknown,
  entryId,
  type DriverEntry,
  type EntryId,
  type EntryInfo,
} from '@spillway/core/driver'
import type { Connection } from './connection.ts'
import { decodeHeader, decodeInfo, indexKey, scopeOfPrefix, scriptKeys, type Keys } from './keys.ts'
import { PAGE, REMOVE } from './scripts.ts'

const PAGE_SIZE = 250
const MAX_PAGE_SIZE = 4_000
const PARALLEL_SCOPES = 32

interface Listed {
  readonly reference: string
  readonly lastUsedAt: number
  /** The first bytes of the entry. Empty if the server evicted it. */
  readonly head: Buffer
}

interface Cursor {
  readonly from: number
  readonly skip: number
  readonly size: number
}

const BEGIN: Cursor = { from: 0, skip: 0, size: PAGE_SIZE }

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

  async *list(prefix: string, latest: number): AsyncGenerator<DriverEntry> {
    for await (const { path, page } of this.#pages(prefix, latest))
      for (const { reference, lastUsedAt, head } of page)
        if (head.length > 0) yield { id: entryId(path, reference), info: describe(head, lastUsedAt) }
  }

  async *removeAll(prefix: string): AsyncGenerator<EntryId> {
    for await (const { path, page } of this.#pages(prefix, Infinity))
      for await (const reference of this.remove(
        path,
        page.map((entry) => entry.reference),
      ))
        yield entryId(path, reference)
  }

  async *remove(path: string, references: readonly string[]): AsyncGenerator<string> {
    const tag = this.#keys.tag(path)
    let rest = references
    let askedAt = this.#now()
    while (rest.length > 0) {
      const reply = await this.#connection.script(REMOVE, scriptKeys(tag, rest), [askedAt, ...rest])
      const [seen, removed, left, latest] = reply as [unknown, Buffer[], Buffer[], unknown]
      rest = [...rest.slice(Number(seen)), ...left.map(String)]
      // Some entries have a later use, or clocks differ. The caller still waits, so remove these entries, too.
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

  /** If an entry is used during the listing, it moves to the end and is skipped there. No entry is missed. */
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
 * Returns the start of the next page: the last time of a full page, and the entries with this time to skip.
 *
 * If all times of a page are equal, the next page must be larger. At the limit, only half of the page is skipped,
 * because entries that are used or removed change later positions.
 */
function cursorAfter({ from, skip, size }: Cursor, lastUsedAt: number, isSeen: boolean): Cursor {
  if (lastUsedAt > from) return { from: lastUsedAt, skip: 0, size: PAGE_SIZE }
  if (size < MAX_PAGE_SIZE) return { from, skip, size: Math.min(2 * size, MAX_PAGE_SIZE) }
  return { from, skip: isSeen ? skip + size / 2 : skip, size }
}

/** Damaged entries are listed too, so that they can be found and removed. */
function describe(head: Buffer, lastUsedAt: number): EntryInfo {
  const header = decodeHeader(head)
  return (header && decodeInfo(head, header, lastUsedAt)) ?? describeUnknown(lastUsedAt)
}

const SCOPES_PAGE = 1_000
const MAX_REMEMBERED = 10_000
const SCOPE_AGE_MS = 3_600_000

/**
 * A sorted set of all scope paths, in which a scope and the scopes below it are a range.
 *
 * In a Cluster, the set is in another slot than most scopes, so updates are not atomic. Writers add their scope before
 * a write, at most once per sixth of `ageMs`. Adding scopes also repairs a set that was evicted. Empty scopes are
 * removed only after this age. Scopes that are not empty after all are added again.
 */
export interface Scopes {
  enter(path: string): Promise<void>
  add(paths: readonly string[]): Promise<void>
  below(prefix: string): AsyncGenerator<string[]>
  prune(path: string): Promise<void>
}

export function scopeSet(connection: Connection, keys: Keys, ageMs: number = SCOPE_AGE_MS): Scopes {
  const entered = new BoundedMap<string, number>(MAX_REMEMBERED)

  async function enter(path: string): Promise<void> {
    if (path === '') return
    const enteredAt = entered.get(path)
    if (enteredAt !== undefined && performance.now() - enteredAt < ageMs / 6) return
    await add([path])
    entered.set(path, performance.now())
  }

  async function add(paths: readonly string[]): Promise<void> {
    const named = paths.filter((path) => path !== '')
    if (named.length === 0) return
    const now = Date.now()
    await Promise.all([
      connection.command('ZADD', keys.entered, ...named.flatMap((path) => [now, path])),
      connection.command('ZADD', keys.scopes, ...named.flatMap((path) => [0, path])),
    ])
  }

  async function* below(prefix: string): AsyncGenerator<string[]> {
    yield [scopeOfPrefix(prefix)]
    // '0' is the character after '/'.
    const end = prefix === '' ? '+' : `(${scopeOfPrefix(prefix)}0`
    let start = prefix === '' ? '-' : `[${prefix}`
    for (;;) {
      const reply = await connection.command('ZRANGEBYLEX', keys.scopes, start, end, 'LIMIT', 0, SCOPES_PAGE)
      const page = (reply as Buffer[]).map(String)
      if (page.length > 0) yield page
      if (page.length < SCOPES_PAGE) return
      start = `(${page.at(-1) ?? ''}`
    }
  }

  async function prune(path: string): Promise<void> {
    if (path === '') return
    const enteredAt = await connection.command('ZSCORE', keys.entered, path)
    if (Number(enteredAt) > Date.now() - ageMs || !(await isEmpty(path))) return
    await connection.command('ZREM', keys.scopes, path)
    await connection.command('ZREM', keys.entered, path)
    if (!(await isEmpty(path))) await add([path])
  }

  async function isEmpty(path: string): Promise<boolean> {
    return Number(await connection.command('EXISTS', indexKey(keys.tag(path)))) === 0
  }

  return { enter, add, below, prune }
}
