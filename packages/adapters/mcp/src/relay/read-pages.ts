import { fieldsOf, type Fields, type Response } from './message.ts'

/** More pages than this are not asked for: a server may answer with new cursors for ever. */
const MAX_PAGES = 1_000

/** How {@link readPages} reads the pages of a list. */
interface PageReading {
  /** Ask the server for the page behind a cursor. */
  readonly ask: (cursor: string) => Promise<Response>
  /** Take the result of a page, and return whether further pages may have something new. */
  readonly take: (page: Fields) => boolean
  /** Milliseconds for all pages together. */
  readonly maxMs: number
}

/** Whether `nextCursor` of a page leads to another page; some servers write `null` or an empty text at the end. */
export const isCursor = (cursor: unknown): cursor is string => typeof cursor === 'string' && cursor !== ''

/**
 * Read the pages of a list that follow `nextCursor`, until the server has no more.
 *
 * Ends early at an error, at a cursor that was used before, after 1,000 pages, and when the time is up: servers and
 * proxies between exist that answer every cursor with the first page. What was taken until then counts.
 */
export async function readPages(nextCursor: unknown, { ask, take, maxMs }: PageReading): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, maxMs, undefined)
  const used = new Set<string>()
  try {
    for (let cursor = nextCursor; isCursor(cursor) && !used.has(cursor) && used.size < MAX_PAGES;) {
      used.add(cursor)
      const response = await Promise.race([ask(cursor), timeUp])
      if (response === undefined || response.error !== undefined) return
      const page = fieldsOf(response.result)
      if (!take(page)) return
      cursor = page['nextCursor']
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Collects the items of pages by a key, each once. */
export class UniqueItems {
  readonly #key: string
  readonly #items = new Map<unknown, unknown>()

  /** @param key - The field that tells items apart; an item without it is told apart from all others. */
  constructor(key: string) {
    this.#key = key
  }

  /** Add the items of a page; returns `false` if the page repeats only what is known, so that no further page helps. */
  add(items: readonly unknown[]): boolean {
    const before = this.#items.size
    for (const item of items) {
      const key = fieldsOf(item)[this.#key] ?? item
      if (!this.#items.has(key)) this.#items.set(key, item)
    }
    return items.length === 0 || this.#items.size > before
  }

  get keys(): ReadonlySet<unknown> {
    return new Set(this.#items.keys())
  }

  get values(): readonly unknown[] {
    return [...this.#items.values()]
  }
}
