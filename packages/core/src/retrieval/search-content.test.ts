import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PatternMatcher } from '../platform/platform.ts'
import { chooseMatcher } from './choose-matcher.ts'
import type { ContentSource } from '../content/content-source.ts'
import { RetrievalError } from './retrieval-error.ts'
import { searchContent } from './search-content.ts'

const pieces = fc.constantFrom(
  'a',
  'b',
  'ab',
  'A',
  '\n',
  '\n',
  '\r\n',
  '\r',
  'é',
  '😀',
  ' ',
  '.',
  'aaaaaaaaaaaaaaaaaaaa',
)
const texts = fc.array(pieces, { maxLength: 80 }).map((parts) => parts.join(''))
const patterns = fc.constantFrom(
  'a',
  'ab',
  'A',
  '.',
  'é',
  'b+',
  '^a',
  'a$',
  'a.b',
  '^$',
  'x',
  '(a)\\1',
  '(?<=a)b',
  '\\bb',
  'a(',
  '(?i)a',
)
const ranges = fc.option(fc.record({ start: fc.integer({ min: 1, max: 12 }), length: fc.nat(20) }), { nil: undefined })

function sourceOf(text: string, blockBytes: number): ContentSource {
  const content = new TextEncoder().encode(text)
  return {
    reference: 'ref',
    contentType: 'text/plain',
    size: content.length,
    whole: async () => content,
    async *blocks() {
      for (let offset = 0; offset < content.length; offset += blockBytes)
        yield content.subarray(offset, offset + blockBytes)
    },
  }
}

/** What a search should find, line by line over the whole text. */
function naiveSearch(text: string, source: string, ignoreCase: boolean, start: number, end: number, context: number) {
  const lines = text.split('\n')
  const ended = lines.length - 1
  if (lines.at(-1) === '') lines.pop()
  const cleaned = lines.map((line, index) => (index < ended ? line.replace(/\r$/, '') : line))
  const flags = ignoreCase || source.startsWith('(?i)') ? 'is' : 's'
  const regex = new RegExp(source === 'a(' ? 'a\\(' : source.replace('(?i)', ''), flags)
  const last = Math.min(end, cleaned.length)
  const hits = cleaned.flatMap((line, index) =>
    index + 1 >= start && index < last && regex.test(line) ? [index + 1] : [],
  )
  const shown = new Set<number>()
  for (const hit of hits) {
    for (let line = Math.max(start, hit - context); line <= Math.min(last, hit + context); line++) shown.add(line)
  }
  const numbers = [...shown].sort((a, b) => a - b)
  return {
    hits,
    total: cleaned.length,
    lines: numbers.map((number) => ({ number, text: cleaned[number - 1]!, match: hits.includes(number) })),
  }
}

describe('searchContent', () => {
  it('finds what a loop over the lines finds, whatever the size of blocks', async () => {
    const property = fc.asyncProperty(
      texts,
      patterns,
      fc.boolean(),
      ranges,
      fc.nat(4),
      fc.integer({ min: 1, max: 30 }),
      async (text, pattern, ignoreCase, asked, contextLines, blockBytes) => {
        const range = asked && { start: asked.start, end: asked.start + asked.length }
        const expected = naiveSearch(text, pattern, ignoreCase, range?.start ?? 1, range?.end ?? Infinity, contextLines)
        const { matcher } = chooseMatcher(pattern, { ignoreCase, deadlineMs: 60_000 })
        // Batches of a few lines, with every line whole.
        const small: PatternMatcher = { maxTextLength: 4_000, match: (batch, from) => matcher.match(batch, from) }
        const options = { contextLines, keep: 4_000, limit: Infinity }
        const search = searchContent(sourceOf(text, blockBytes), small, range, options)
        if (range !== undefined && range.start > expected.total && expected.total > 0) {
          await expect(search).rejects.toSatisfy(
            (error) => error instanceof RetrievalError && error.code === 'invalid-range',
          )
          return
        }
        const found = await search
        expect(found.hits).toBe(expected.hits.length)
        expect(
          found.views.map((view) => ({ number: view.number, text: view.text, match: view.match !== undefined })),
        ).toEqual(expected.lines)
        if (range === undefined) expect(found.searched).toBe(expected.total)
      },
    )
    await fc.assert(property, { numRuns: 400 })
  })

  it('finds matches in lines longer than a batch, at their columns', async () => {
    const lines = fc.array(
      fc.record({ before: fc.nat(400), match: fc.boolean(), after: fc.nat(400), end: fc.constantFrom('\n', '\r\n') }),
      { minLength: 1, maxLength: 5 },
    )
    const property = fc.asyncProperty(
      lines,
      fc.constantFrom('needle', 'n[e]{2}dle', '(?<=x|^)needle(?=y|$)'),
      async (parts, pattern) => {
        const text = parts
          .map((part) => 'x'.repeat(part.before) + (part.match ? 'needle' : '') + 'y'.repeat(part.after) + part.end)
          .join('')
        const { matcher } = chooseMatcher(pattern, { ignoreCase: false, deadlineMs: 60_000 })
        const small: PatternMatcher = { maxTextLength: 100, match: (batch, from) => matcher.match(batch, from) }
        const options = { contextLines: 1, keep: 20, limit: Infinity }
        const found = await searchContent(sourceOf(text, 37), small, undefined, options)
        const expected = parts.flatMap((part, index) => (part.match ? [{ number: index + 1, start: part.before }] : []))
        const hits = found.views.filter((view) => view.match !== undefined)
        expect(hits.map((view) => ({ number: view.number, start: view.match!.start }))).toEqual(expected)
        for (const view of hits) {
          const { before, after } = parts[view.number - 1]!
          expect(view.length).toBe(before + 6 + after)
          expect(view.text.slice(view.match!.start - view.offset, view.match!.end - view.offset)).toBe('needle')
        }
      },
    )
    await fc.assert(property, { numRuns: 200 })
  })

  it('does not take the start or end of a part of a long line for that of the line', async () => {
    const text = `${'ab'.repeat(500)}\n${'ab'.repeat(500)}c\n`
    const hitsOf = async (pattern: string): Promise<number[]> => {
      const { matcher } = chooseMatcher(pattern, { ignoreCase: false, deadlineMs: 60_000 })
      const small: PatternMatcher = { maxTextLength: 101, match: (batch, from) => matcher.match(batch, from) }
      const found = await searchContent(sourceOf(text, 64), small, undefined, {
        contextLines: 0,
        keep: 10,
        limit: Infinity,
      })
      return found.views.map((view) => view.match!.start)
    }
    expect(await hitsOf('^b')).toEqual([])
    expect(await hitsOf('^a')).toEqual([0, 0])
    expect(await hitsOf('b$')).toEqual([999])
    expect(await hitsOf('a$')).toEqual([])
    expect(await hitsOf('c$')).toEqual([1000])
  })

  it('counts all matches, though it keeps no more than fits', async () => {
    const { matcher } = chooseMatcher('hit', { ignoreCase: false, deadlineMs: 60_000 })
    const source = sourceOf('a hit\n'.repeat(5_000), 1_000)
    const found = await searchContent(source, matcher, undefined, { contextLines: 5, keep: 100, limit: 200 })
    expect(found.hits).toBe(5_000)
    expect(found.views.length).toBeLessThan(30)
    expect(found.firstLeftOut).toBe(found.views.length + 1)
    expect(found.lastLine).toBe(5_000)
  })
})
