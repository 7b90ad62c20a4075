import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { PatternSearch } from './pattern-search.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

async function find(text: string, pattern: string, limit?: number) {
  const storage = tinyStorage()
  const reference = await storage.store('a', encode(text))
  return await new PatternSearch(pattern, { ignoreCase: true }).find(storage, reference, { limit })
}

describe('PatternSearch', () => {
  it('finds each matching line once, with its number, up to the limit', async () => {
    const lines = fc.array(fc.constantFrom('', 'error', 'an Error', 'fine', 'é error'), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 5 }), async (texts, limit) => {
        const expected = texts.flatMap((text, index) => (/error/i.test(text) ? [{ line: index + 1, text }] : []))
        const found = await find(texts.join('\n'), 'err.r$', limit)
        expect(found.lines).toEqual(expected.slice(0, limit))
        if (expected.length < limit) expect(found.isComplete).toBe(true)
        if (expected.length > limit) expect(found.isComplete).toBe(false)
      }),
    )
  })

  it('finds each of several very long lines once, even if it has many matches', async () => {
    const long = 'needle '.repeat(20_000)
    const found = await find(`${long}\nfine\n${long}\na needle\n`, 'needle', 3)
    expect(found.lines.map(({ line }) => line)).toEqual([1, 3, 4])
    expect(found.lines[0]?.text.length).toBeLessThan(10_010)
    expect(found.lines[0]?.text.endsWith(' …')).toBe(true)
  })

  it('finds lines that have thousands of matches each, and returns each line once', async () => {
    const text = `${'a'.repeat(9_000)}\n`.repeat(20)
    expect((await find(text, 'a')).lines.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
    expect((await find(text, 'a', 5)).lines).toHaveLength(5)
  })

  it('finds more lines than one batch holds', async () => {
    const { lines, isComplete } = await find('a\n'.repeat(2_500), 'a')
    expect([lines.length, lines.at(-1)?.line, isComplete]).toEqual([2_500, 2_500, true])
  })

  it('searches for an invalid expression literally, and reports the problem', async () => {
    expect(new PatternSearch('fine|(').problem).toBe('Unterminated group')
    expect((await find('a (b\nfine|(', 'fine|(')).lines).toEqual([{ line: 2, text: 'fine|(' }])
  })

  it('stops a pattern that would hang, with one time limit for all contents', async () => {
    const storage = tinyStorage()
    const reference = await storage.store('a', encode(`${'a'.repeat(5_000)}!\n`.repeat(40)))
    const search = new PatternSearch(String.raw`^(a+)+\1$`, { deadlineMs: 200 })
    expect((await search.find(storage, reference)).isComplete).toBe(false)
    expect(search.isOver).toBe(true)
    const matching = await storage.store('b', encode('aa\n'))
    expect(await search.find(storage, matching)).toEqual({ lines: [], isComplete: false })
    expect((await find('aa\n', String.raw`^(a+)+\1$`)).lines).toHaveLength(1)
  })

  it('refuses an empty pattern', () => {
    expect(() => new PatternSearch('')).toThrow('pattern must be a non-empty string')
    expect(() => new PatternSearch('a', { deadlineMs: 0 })).toThrow('deadlineMs')
  })

  it('rejects with the error of the storage', async () => {
    await expect(new PatternSearch('a').find(tinyStorage(), 'missing_1')).rejects.toMatchObject({ code: 'not-found' })
  })
})
