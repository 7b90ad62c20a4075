import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { readStoredLines } from './read-stored-lines.ts'

describe('readStoredLines', () => {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

  const texts = fc
    .array(fc.constantFrom('', 'a', 'bc', '\r', 'é', '😀', '\u{FEFF}'), { maxLength: 12 })
    .map((lines) => lines.join('\n'))

  it("gives what split('\\n') gives, with the empty rest after a final LF only if lines beyond it are requested", async () => {
    const bound = fc.integer({ min: 0, max: 14 })
    await fc.assert(
      fc.asyncProperty(texts, bound, bound, async (text, first, count) => {
        const storage = tinyStorage()
        const reference = await storage.store('a', encode(text))
        const page = await readStoredLines(storage, reference, { start: first + 1, end: first + count })
        expect(page.text).toBe(
          text
            .split('\n')
            .slice(first, first + count)
            .join('\n'),
        )
        expect(page.totalLines).toBe(text.replace(/\n$/, '').split('\n').length - +!text)
      }),
    )
  })

  it('reads pages that together equal the content, even with very large lines', async () => {
    const storage = tinyStorage()
    const lines = Array.from({ length: 300 }, (_, index) => `${index} ${'é'.repeat((index * 7_919) % 30_000)}`)
    const reference = await storage.store('a', encode(lines.join('\n')))
    const pages: string[] = []
    for (let start = 1; ; start += 100) {
      const page = await readStoredLines(storage, reference, { start, end: start + 99 })
      pages.push(page.text)
      if (!page.goesOn) break
    }
    expect(pages.length).toBe(3)
    expect(pages.join('\n') === lines.join('\n')).toBe(true)
  })

  it.each([
    ['', 1, 5, { text: '', totalLines: 0, goesOn: false }],
    ['a\nb\n', 3, 5, { text: '', totalLines: 2, goesOn: false }],
    ['a\nb\n', 2, 1, { text: '', totalLines: 2, goesOn: true }],
    ['a\nb\n', 2, 2, { text: 'b', lines: { start: 2, end: 2 }, totalLines: 2, goesOn: false }],
    ['a\nb\n', 2, 3, { text: 'b\n', lines: { start: 2, end: 2 }, totalLines: 2, goesOn: false }],
    ['a\nb', 2, Infinity, { text: 'b', lines: { start: 2, end: 2 }, totalLines: 2, goesOn: false }],
  ])('reads of %j from line %s to %s the page %j', async (text, start, end, page) => {
    const storage = tinyStorage()
    const reference = await storage.store('a', encode(text))
    expect(await readStoredLines(storage, reference, { start, end })).toEqual(page)
  })

  it('refuses more lines than may be read, and impossible ranges', async () => {
    const storage = tinyStorage()
    const reference = await storage.store('a', encode('12345678\n12\n'))
    await expect(readStoredLines(storage, reference, { start: 1, end: 2 }, { maxBytes: 9 })).rejects.toMatchObject({
      code: 'too-large',
    })
    expect((await readStoredLines(storage, reference, { start: 2, end: 2 }, { maxBytes: 9 })).text).toBe('12')
    for (const range of [
      { start: 0, end: 1 },
      { start: 1, end: Number.NaN },
      { start: 1.5, end: 2 },
    ])
      await expect(readStoredLines(storage, reference, range)).rejects.toThrow('range must have whole numbers')
    await expect(readStoredLines(storage, 'missing_1', { start: 1, end: 1 })).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})
