import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readLinePage, type LinePage } from './read-line-page.ts'

async function* blocksOf(text: string, size = 65_536): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size)
}

const read = (text: string, start: number, end: number, countAll = true): Promise<LinePage> =>
  readLinePage(blocksOf(text), { start, end }, countAll)

const texts = fc
  .array(fc.constantFrom('', 'a', 'bc', '\r', 'é', '\u{FEFF}'), { maxLength: 12 })
  .map((lines) => lines.join('\n'))

describe('readLinePage', () => {
  it('leads through every line once from page to page, whether lines are counted or not', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 5 }), fc.boolean(), async (text, length, countAll) => {
        const pages: string[] = []
        for (let start: number | undefined = 1; start !== undefined;) {
          const page: LinePage = await read(text, start, start + length - 1, countAll)
          pages.push(page.text)
          expect(page.lines?.start ?? start).toBe(start)
          if (countAll || !page.goesOn)
            expect(page.totalLines).toBe(text.replace(/\n$/, '').split('\n').length - +!text)
          start = page.goesOn ? page.lines!.end + 1 : undefined
        }
        expect([text, text.replace(/\n$/, '')]).toContain(pages.join('\n'))
      }),
      { numRuns: 500 },
    )
  })

  it("gives what split('\\n') gives, with the empty rest after a final LF only where lines beyond it are asked for", async () => {
    const bound = fc.integer({ min: 0, max: 14 })
    await fc.assert(
      fc.asyncProperty(texts, bound, bound, async (text, first, count) => {
        const expected = text
          .split('\n')
          .slice(first, first + count)
          .join('\n')
        expect((await read(text, first + 1, first + count)).text).toBe(expected)
      }),
      { numRuns: 500 },
    )
  })

  it('stops reading after the page, and leaves the number of lines out', async () => {
    let bytes = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        const block = new TextEncoder().encode('a line\n'.repeat(20_000))
        bytes += block.length
        yield block
      }
    }
    const text = Array<string>(10).fill('a line').join('\n')
    const page = await readLinePage(endless(), { start: 6, end: 15 }, false)
    expect(page).toEqual({ text, lines: { start: 6, end: 15 }, goesOn: true })
    expect(bytes).toBeLessThan(500_000)
    expect(await readLinePage(endless(), { start: 1, end: Infinity }, false)).toMatchObject({ goesOn: true })
  })

  it('ends a page early that grows too large, and says that it goes on', async () => {
    const line = 'x'.repeat(100_000)
    const text = Array<string>(30).fill(line).join('\n')
    const page = await read(text, 1, 500)
    expect(page).toMatchObject({ lines: { start: 1, end: 11 }, totalLines: 30, goesOn: true })
    expect(page.text).toHaveLength(11 * 100_001 - 1)
    expect(await read(text, 30, 500)).toEqual({
      text: line,
      lines: { start: 30, end: 30 },
      totalLines: 30,
      goesOn: false,
    })
  })

  it('cuts a line that is too large by itself, and says so', async () => {
    const page = await read(`${'x'.repeat(3_000_000)}\nafter`, 1, 5)
    expect(page).toMatchObject({ lines: { start: 1, end: 1 }, totalLines: 2, goesOn: true })
    expect(page.text.length).toBeLessThan(1_100_000)
    expect(page.text).toMatch(/x… \[this line goes on: search it for what you need\]$/)
  })

  it.each([
    ['', 1, 5, { text: '', totalLines: 0, goesOn: false }],
    ['a\nb\n', 3, 5, { text: '', totalLines: 2, goesOn: false }],
    ['a\nb\n', 2, 1, { text: '', totalLines: 2, goesOn: true }],
    ['a\nb\n', 2, 2, { text: 'b', lines: { start: 2, end: 2 }, totalLines: 2, goesOn: false }],
    ['a\nb\n', 2, 3, { text: 'b\n', lines: { start: 2, end: 2 }, totalLines: 2, goesOn: false }],
    ['a\nb', 2, Infinity, { text: 'b', lines: { start: 2, end: 2 }, totalLines: 2, goesOn: false }],
  ])('of %j from line %s to %s gives %j', async (text, start, end, page) => {
    expect(await read(text, start, end)).toEqual(page)
  })

  it('decodes invalid bytes as a decoder does that has all of them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 1, max: 20 }), async (bytes, size) => {
        async function* blocks(): AsyncGenerator<Uint8Array> {
          for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size)
        }
        const { text } = await readLinePage(blocks(), { start: 1, end: Infinity }, true)
        expect(text).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
      }),
    )
  })
})
