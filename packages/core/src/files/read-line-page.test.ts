import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { adoptStorage } from '../content/adopt-storage.ts'
import { findLines, readLinePage, readStoredLines, type FoundLine, type LinePage } from './read-line-page.ts'

async function read(text: string, start: number, end: number): Promise<LinePage> {
  const storage = tinyStorage()
  const reference = await storage.store('a', new TextEncoder().encode(text))
  return await readLinePage(adoptStorage(storage), reference, { start, end })
}

const texts = fc
  .array(fc.constantFrom('', 'a', 'bc', '\r', 'é', '\u{FEFF}'), { maxLength: 12 })
  .map((lines) => lines.join('\n'))

describe('readLinePage', () => {
  it('shows every line once if all pages are read', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 5 }), async (text, length) => {
        const pages: string[] = []
        for (let start: number | undefined = 1; start !== undefined;) {
          const page: LinePage = await read(text, start, start + length - 1)
          pages.push(page.text)
          expect(page.lines?.start ?? start).toBe(start)
          expect(page.totalLines).toBe(text.replace(/\n$/, '').split('\n').length - +!text)
          start = page.goesOn ? page.lines!.end + 1 : undefined
        }
        expect([text, text.replace(/\n$/, '')]).toContain(pages.join('\n'))
      }),
    )
  })

  it('ends a page early if it grows too large, and says that more follows', async () => {
    const line = 'x'.repeat(100_000)
    const text = Array<string>(30).fill(line).join('\n')
    const page = await read(text, 1, 500)
    expect(page).toMatchObject({ lines: { start: 1, end: 10 }, totalLines: 30, goesOn: true })
    expect(page.text).toHaveLength(10 * 100_001 - 1)
    const last = { text: line, lines: { start: 30, end: 30 }, totalLines: 30, goesOn: false }
    expect(await read(text, 30, 500)).toEqual(last)
  })

  it('cuts a line that is too large for a page between characters, and says so', async () => {
    const page = await read(`x${'é'.repeat(1_500_000)}\nafter`, 1, 5)
    expect(page).toMatchObject({ lines: { start: 1, end: 1 }, totalLines: 2, goesOn: true })
    expect(page.text).toMatch(/^xé{524287}… \[this line continues: search it for what you need\]$/)
  })

  it.each([
    ['', 1, 5, { text: '', totalLines: 0, goesOn: false }],
    ['a\nb\n', 3, 5, { text: '', totalLines: 2, goesOn: false }],
    ['a\nb\n', 2, 1, { text: '', totalLines: 2, goesOn: true }],
    ['a\nb\n', 2, 2, { text: 'b', lines: { start: 2, end: 2 }, totalLines: 2, goesOn: false }],
    ['a\nb\n', 2, 3, { text: 'b\n', lines: { start: 2, end: 2 }, totalLines: 2, goesOn: false }],
    ['a\nb', 2, Infinity, { text: 'b', lines: { start: 2, end: 2 }, totalLines: 2, goesOn: false }],
  ])('reads from %j the lines from %s to %s as %j', async (text, start, end, page) => {
    expect(await read(text, start, end)).toEqual(page)
  })
})

describe('readStoredLines', () => {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

  const texts = fc
    .array(fc.constantFrom('', 'a', 'bc', '\r', 'é', '😀', '\u{FEFF}'), { maxLength: 12 })
    .map((lines) => lines.join('\n'))

  it("returns the lines of split('\\n'), with the empty text after a final LF only if lines beyond it are requested", async () => {
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

async function find(text: string, literal: string, size = 65_536): Promise<FoundLine[]> {
  const bytes = new TextEncoder().encode(text)
  async function* blocks(): AsyncGenerator<Uint8Array> {
    for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size)
  }
  const found: FoundLine[] = []
  for await (const line of findLines('/a.txt', blocks(), literal)) found.push(line)
  return found
}

describe('findLines', () => {
  it("finds the lines of split('\\n') that include the text, for any block boundaries", async () => {
    const texts = fc.array(fc.constantFrom('foo', 'o', 'bar', '\n', '\r\n', 'é', '😀', '\u{FEFF}'), { maxLength: 20 })
    const literal = fc.constantFrom('', 'o', 'foo', 'obar', 'é', '\r', 'o\nb', '\u{FEFF}')
    await fc.assert(
      fc.asyncProperty(texts, literal, fc.integer({ min: 1, max: 30 }), async (parts, searched, size) => {
        const text = parts.join('')
        const expected = text.split('\n').flatMap((line, index) => (line.includes(searched) ? [[index + 1, line]] : []))
        expect((await find(text, searched, size)).map((found) => [found.line, found.text])).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  it.each([0, 5, 262_100, 262_138, 262_144, 524_283, 1_000_000])(
    'finds text at %s of a very long line once, and shows the text around it',
    async (at) => {
      const found = await find(`${'x'.repeat(at)}needle${'y'.repeat(1_500_000)}needle\nneedle`, 'needle')
      expect(found.map(({ line }) => line)).toEqual([1, 2])
      expect(found[0]?.text).toMatch(at === 0 ? /^needley+ …$/ : at === 5 ? /^x{5}needley+ …$/ : /^… x*needley* …$/)
      expect(found[0]?.text.length).toBeLessThan(10_010)
      expect(found[1]?.text).toBe('needle')
    },
  )

  it('says that a line was cut if only its end has the text', async () => {
    const [found] = await find(`${'x'.repeat(262_200)}needle`, 'needle')
    expect(found?.text).toMatch(/^… x+needle$/)
  })

  it('finds a text that is longer than one read', async () => {
    const literal = 'ab'.repeat(400_000)
    const found = await find(`first\n${'x'.repeat(700_000)}${literal}yy\n${literal.slice(1)}`, literal)
    expect(found.map(({ line }) => line)).toEqual([2])
  })
})
