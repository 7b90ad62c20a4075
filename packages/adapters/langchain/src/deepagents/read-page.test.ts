import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPage, type Page } from './read-page.ts'

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let offset = 0; offset < bytes.length; offset += 65_536) yield bytes.subarray(offset, offset + 65_536)
}

const read = (text: string, offset: number, limit: number, countAll = true): Promise<Page> =>
  readPage(chunksOf(text), offset, limit, countAll)

describe('readPage', () => {
  it('leads through every line once by nextOffset, whether lines are counted or not', async () => {
    const lines = fc.array(fc.constantFrom('', 'a', 'bc', '\r'), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 5 }), fc.boolean(), async (parts, limit, countAll) => {
        const text = parts.join('\n')
        const contents: string[] = []
        for (let offset: number | undefined = 0; offset !== undefined;) {
          const page: Page = await read(text, offset, limit, countAll)
          contents.push(page.content)
          if (countAll && page.startLine !== undefined) expect(page.totalLines).toBeDefined()
          offset = page.nextOffset
        }
        expect([text, text.replace(/\n$/, '')]).toContain(contents.join('\n'))
      }),
    )
  })

  it('stops reading after the page, and leaves the number of lines out', async () => {
    let chunks = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        chunks += 1
        yield new TextEncoder().encode('a line\n'.repeat(10))
      }
    }
    const page = await readPage(endless(), 5, 10, false)
    expect(page).toEqual({
      content: Array<string>(10).fill('a line').join('\n'),
      startLine: 6,
      endLine: 15,
      nextOffset: 15,
    })
    expect(chunks).toBe(2)
  })

  it('ends a page early that grows too large, and says where to go on', async () => {
    const line = 'x'.repeat(100_000)
    const text = Array<string>(30).fill(line).join('\n')
    const page = await read(text, 0, 500)
    expect(page).toMatchObject({ startLine: 1, endLine: 11, nextOffset: 11, totalLines: 30 })
    expect(page.content).toHaveLength(11 * 100_001 - 1)
    expect(await read(text, 29, 500)).toEqual({ content: line, startLine: 30, endLine: 30, totalLines: 30 })
  })

  it('cuts a line that is too large by itself, and says so', async () => {
    const page = await read(`${'x'.repeat(3_000_000)}\nafter`, 0, 5)
    expect(page).toMatchObject({ startLine: 1, endLine: 1, nextOffset: 1, totalLines: 2 })
    expect(page.content.length).toBeLessThan(1_100_000)
    expect(page.content).toMatch(/x… \[this line goes on: search it for what you need\]$/)
  })

  it.each([
    [Number.NaN, 1, 'a'],
    [-3, 1, 'a'],
    [0.9, 1.9, 'a'],
    [1, Infinity, ''],
    [0, -1, ''],
    [9, 9, ''],
  ])('takes offset %s and limit %s as deepagents does', async (offset, limit, content) => {
    expect((await read('a\nb', offset, limit)).content).toBe(content)
  })
})
