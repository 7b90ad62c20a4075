import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Fields, Response } from './message.ts'
import { addNames, readPages } from './read-pages.ts'

const answer = (result: Fields): Response => ({ jsonrpc: '2.0', id: 1, result })

/** Read the pages of a server, and return the requested cursors. */
async function cursorsAsked(
  answerOf: (cursor: string, count: number) => Response | Promise<Response>,
  first: unknown = 'a',
): Promise<string[]> {
  const asked: string[] = []
  const names = new Set<unknown>()
  await readPages(first, {
    ask: async (cursor) => answerOf(cursor, asked.push(cursor)),
    take: (page) => addNames(names, page),
    maxMs: 5_000,
  })
  return asked
}

afterEach(() => void vi.useRealTimers())

describe('readPages', () => {
  it('follows cursors to the last page', async () => {
    expect(await cursorsAsked((cursor) => answer(cursor === 'a' ? { nextCursor: 'b' } : {}))).toEqual(['a', 'b'])
  })

  it.each([null, '', 7, {}])('requests nothing if the cursor is %j', async (cursor) => {
    expect(await cursorsAsked(() => answer({}), cursor)).toEqual([])
  })

  it('stops at a cursor that it has used before', async () => {
    expect(await cursorsAsked(() => answer({ nextCursor: 'a' }))).toEqual(['a'])
    const circle = { a: 'b', b: 'c', c: 'a' } as Readonly<Record<string, string>>
    expect(await cursorsAsked((cursor) => answer({ nextCursor: circle[cursor] }))).toEqual(['a', 'b', 'c'])
  })

  it('stops at a page without new items, but continues at an empty page', async () => {
    const pages = [[], [{ name: 'x' }], [{ name: 'x' }], [{ name: 'y' }]]
    const asked = await cursorsAsked((_cursor, count) => answer({ tools: pages[count - 1], nextCursor: String(count) }))
    expect(asked).toHaveLength(3)
  })

  it('stops after 1,000 pages of a server that returns pages without end', async () => {
    const asked = await cursorsAsked((_cursor, count) =>
      answer({ tools: [{ name: count }], nextCursor: String(count) }),
    )
    expect(asked).toHaveLength(1_000)
  })

  it('stops at an error', async () => {
    expect(await cursorsAsked(() => ({ jsonrpc: '2.0', id: 1, error: {} }))).toEqual(['a'])
  })

  it('stops at its deadline while a page is not answered', async () => {
    vi.useFakeTimers()
    const reading = cursorsAsked((cursor) => (cursor === 'a' ? answer({ nextCursor: 'b' }) : new Promise(() => {})))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await reading).toEqual(['a', 'b'])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('addNames', () => {
  it('adds each name once, and all tools without a name', () => {
    const names = new Set<unknown>()
    addNames(names, { tools: [{ name: 'a', page: 1 }, { title: 'b' }, 'c'] })
    addNames(names, { tools: [{ name: 'a', page: 2 }, { title: 'b' }] })
    expect([...names]).toEqual(['a', { title: 'b' }, 'c', { title: 'b' }])
  })

  it('returns false for a page without new tools', () => {
    const names = new Set<unknown>()
    const pages = [[], [{ name: 'a' }], [{ name: 'a' }], [{ name: 'a' }, { name: 'b' }], []]
    expect(pages.map((tools) => addNames(names, { tools }))).toEqual([true, true, false, true, true])
  })
})
