import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { readStoredLines } from './read-stored-lines.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const texts = fc
  .array(fc.constantFrom('', 'a', 'bc', '\r', 'é', '😀', '\u{FEFF}'), { maxLength: 12 })
  .map((lines) => lines.join('\n'))

describe('readStoredLines', () => {
  it("gives what split('\\n') gives, with the empty rest after a final LF only where lines beyond it are asked for", async () => {
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

  it('reads pages that joined are the content, however large its lines are', async () => {
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

  it('refuses lines that are more than may be read, and impossible ranges', async () => {
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
