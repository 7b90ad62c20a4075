import { propertyRuns } from '@spillway-internal/test-run'
import { parseSearchPattern } from '@spillway/text/internal/patterns'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adoptStorage } from '../content/adopt-storage.ts'
import { openContentSource, type ContentSource } from '../content/content-source.ts'
import { searchLines } from './search-lines.ts'
import { viewHits, type LineView } from './view-hits.ts'

async function sourceOf(text: string): Promise<ContentSource> {
  const content = new TextEncoder().encode(text)
  const store = async (): Promise<string> => 'log_1'
  const storage = adoptStorage({ store, retrieve: async () => ({ content, contentType: 'text/plain' }) })
  return await openContentSource(storage, 'log_1', { blockBytes: 65_536 })
}

async function viewsOf(text: string, pattern: string, contextLines = 0, keep = 100_000): Promise<readonly LineView[]> {
  const source = await sourceOf(text)
  const parsed = parseSearchPattern(pattern, { ignoreCase: false })
  const { hits } = await searchLines(source, parsed, { skip: 0, limit: 1_000, fromEnd: false, deadlineMs: 5_000 })
  return (await viewHits(source, hits, { contextLines, keep, limit: Infinity })).views
}

function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line, index) => (index < lines.length - 1 || text.endsWith('\n') ? line.replace(/\r$/, '') : line))
}

const texts = fc
  .array(fc.constantFrom('hit', 'hit é 🚚', 'x', '', 'y\r', 'z'.repeat(30_000), `${'w'.repeat(5_000)}hit`), {
    maxLength: 30,
  })
  .chain((lines) => fc.constantFrom(lines.join('\n'), `${lines.join('\n')}\n`, `\uFEFF${lines.join('\r\n')}`))

describe('viewHits', () => {
  it('shows the lines of hits and the lines around them with the line numbers of an editor', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(4), async (text, contextLines) => {
        const lines = linesOf(text)
        const views = await viewsOf(text, 'hit', contextLines)
        const hits = lines.flatMap((line, index) => (line.includes('hit') ? [index] : []))
        const expected = lines.flatMap((line, index) =>
          hits.some((hit) => Math.abs(hit - index) <= contextLines) ? [{ number: index + 1, text: line }] : [],
        )
        expect(views.map(({ number, text: shown }) => ({ number, text: shown }))).toEqual(expected)
        for (const { number, match } of views) {
          const at = lines[number - 1]!.indexOf('hit')
          expect(match).toEqual(at < 0 ? undefined : { start: at, end: at + 3 })
        }
      }),
      propertyRuns(100, 3_000),
    )
  })

  it('shows the text around a match in a line longer than the kept length', async () => {
    for (const size of [10_000, 300_000]) {
      const text = `first\n${'a'.repeat(size)}NEEDLE${'b'.repeat(size)}\nlast\n`
      const [view] = await viewsOf(text, 'NEEDLE', 0, 100)
      const hit = { start: 6 + size, end: 12 + size }
      expect(view).toMatchObject({ number: 2, line: { start: 6, end: 12 + 2 * size }, hit, isWhole: false })
      expect(view!.text.slice(view!.match!.start, view!.match!.end)).toBe('NEEDLE')
      expect(view!.text.indexOf('NEEDLE') + view!.start).toBe(6 + size)
    }
  })

  it.each([3, 300, 30_000])(
    'shows the last of %i progress states in a line, or the state with the hit',
    async (count) => {
      const states = Array.from({ length: count }, (_, index) => `at ${index + 1} of ${count}`)
      const text = `first\n${states.join('\r')}\r\nNEEDLE\nbuilt\b\b\b\b\bdone\n`
      const views = await viewsOf(text, 'NEEDLE', 2, 4_000)
      expect(views.map((view) => view.text)).toEqual(['first', `at ${count} of ${count}`, 'NEEDLE', 'done'])
      if (count > 300) return
      const [view] = await viewsOf(text, 'at 2 of', 0, 4_000)
      const start = 'first\n'.length + states[0]!.length + 1
      expect(view).toMatchObject({ text: states[1], start, isWhole: false, match: { start: 0, end: 7 } })
      const [first] = await viewsOf(text, 'at 1 of', 0, 4_000)
      expect(first).toMatchObject({ text: states[0], start: 6, isWhole: false })
    },
  )

  it('shows a line with an empty match next to a carriage return', async () => {
    for (const [text, pattern] of [
      ['a\r', '$'],
      ['\ra', '^'],
      ['\r', '$'],
    ] as const) {
      const [view] = await viewsOf(text, pattern)
      expect(view).toMatchObject({ text, isWhole: true })
    }
  })

  it('shows the first line for a hit at a byte order mark', async () => {
    const { views } = await viewHits(await sourceOf('\uFEFFname\n'), [{ start: 0, end: 0 }], {
      contextLines: 0,
      keep: 100,
      limit: 100,
    })
    expect(views).toMatchObject([{ text: 'name', isWhole: true }])
  })

  it('does not split a character of a very long line', async () => {
    const [view] = await viewsOf(`${'é'.repeat(200_000)}NEEDLE${'東'.repeat(100_000)}`, 'NEEDLE', 0, 51)
    expect(view!.text.slice(view!.match!.start, view!.match!.end)).toBe('NEEDLE')
    expect(view!.text).not.toContain('\uFFFD')
  })

  it('shows each match of a very long line separately', async () => {
    const views = await viewsOf(`${'hit '.repeat(2_000)}\n`, 'hit', 5, 50)
    expect(views).toHaveLength(1_000)
    expect(views.map(({ hit }) => hit!.start)).toEqual(Array.from({ length: 1_000 }, (_, index) => 4 * index))
  })

  it('stops at its limit, and reports how many hits are shown', async () => {
    const source = await sourceOf('hit\n'.repeat(100))
    const pattern = parseSearchPattern('hit', { ignoreCase: false })
    const { hits } = await searchLines(source, pattern, { skip: 0, limit: 50, fromEnd: false, deadlineMs: 5_000 })
    const { views, shown } = await viewHits(source, hits, { contextLines: 1, keep: 10, limit: 90 })
    expect(shown).toBe(views.filter(({ match }) => match !== undefined).length)
    expect(shown).toBeLessThan(15)
  })
})
