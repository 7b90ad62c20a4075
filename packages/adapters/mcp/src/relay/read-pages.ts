import { fieldsOf, type Fields, type Response } from './message.ts'

/** Largest number of pages, because a server may return new cursors forever. */
const MAX_PAGES = 1_000

interface PageReading {
  readonly ask: (cursor: string) => Promise<Response>
  /** Takes a page. Returns whether further pages may have new tools. */
  readonly take: (page: Fields) => boolean
  /** Milliseconds for all pages together. */
  readonly maxMs: number
}

/** Whether a value is a cursor. At the end, some servers write `null` or an empty string. */
export const isCursor = (cursor: unknown): cursor is string => typeof cursor === 'string' && cursor !== ''

/** Read further pages of a list. It ends at a repeated cursor, because some servers always send the first page. */
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

export const toolsIn = ({ tools }: Fields): readonly unknown[] => (Array.isArray(tools) ? tools : [])

/** Add the names of a page's tools. Returns `false` if no tool is new, because further pages then do not help. */
export function addNames(names: Set<unknown>, page: Fields): boolean {
  const [tools, before] = [toolsIn(page), names.size]
  for (const tool of tools) names.add(fieldsOf(tool)['name'] ?? tool)
  return tools.length === 0 || names.size > before
}
