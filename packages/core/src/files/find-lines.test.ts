import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findLines, type FoundLine } from './find-lines.ts'

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
  it("finds the lines of split('\\n') that include the text, wherever the blocks end", async () => {
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
    'finds what lies at %s of a very long line once, and shows what is around it',
    async (at) => {
      const found = await find(`${'x'.repeat(at)}needle${'y'.repeat(1_500_000)}needle\nneedle`, 'needle')
      expect(found.map(({ line }) => line)).toEqual([1, 2])
      expect(found[0]?.text).toMatch(at === 0 ? /^needley+ …$/ : at === 5 ? /^x{5}needley+ …$/ : /^… x*needley* …$/)
      expect(found[0]?.text.length).toBeLessThan(10_010)
      expect(found[1]?.text).toBe('needle')
    },
  )

  it('says that a line is cut of which only the end has the text', async () => {
    const [found] = await find(`${'x'.repeat(262_200)}needle`, 'needle')
    expect(found?.text).toMatch(/^… x+needle$/)
  })

  it('finds a text that is longer than what is read at once', async () => {
    const literal = 'ab'.repeat(400_000)
    const found = await find(`first\n${'x'.repeat(700_000)}${literal}yy\n${literal.slice(1)}`, literal)
    expect(found.map(({ line }) => line)).toEqual([2])
  })
})
