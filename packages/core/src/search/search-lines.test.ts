import { chunkedSource as sourceInChunks, endStuckWorkers } from '@spillway-internal/test-inputs'
import { propertyRuns } from '@spillway-internal/test-run'
import { LONG_LINE_LENGTH, visibleText } from '@spillway/text/internal'
import { parseSearchPattern, type ByteSpan, type SearchPattern } from '@spillway/text/internal/patterns'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ContentSource } from '../content/content-source.ts'
import { MAX_WHOLE_BYTES } from '../storage/content-cache.ts'
import { searchLines, type SearchOptions, type SearchResult } from './search-lines.ts'

const ALL = { skip: 0, limit: Infinity, fromEnd: false, deadlineMs: 10_000 }

/** Content that is read in chunks, because its declared size is large. */
const chunkedSource = (bytes: Uint8Array, chunkBytes: number): ContentSource =>
  ({ ...sourceInChunks(bytes, { chunkBytes }), size: MAX_WHOLE_BYTES + bytes.length }) as unknown as ContentSource

const searchChunks = (
  bytes: Uint8Array,
  chunkBytes: number,
  pattern: SearchPattern,
  options: Partial<SearchOptions> = {},
): Promise<SearchResult> =>
  searchLines(chunkedSource(bytes, chunkBytes), pattern, { ...ALL, span: { start: 0, end: bytes.length }, ...options })

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

function patternOf(text: string, ignoreCase = false): SearchPattern {
  return parseSearchPattern(text, { ignoreCase })
}

const search = (text: string, pattern: string, options: Partial<SearchOptions> = {}): Promise<SearchResult> =>
  searchChunks(encode(text), 1 << 20, patternOf(pattern), options)

/** Reference: search one line after the other. */
function expectedHits(bytes: Uint8Array, pattern: SearchPattern): ByteSpan[] {
  const hits: ByteSpan[] = []
  // A match may begin or end within a surrogate pair.
  const bytesBefore = (line: string, unit: number): number =>
    encode(line.slice(0, unit).replace(/[\uD800-\uDBFF]$/, '')).length
  const bytesTo = (line: string, unit: number): number =>
    encode(line.slice(0, /[\uD800-\uDBFF]$/.test(line.slice(0, unit)) ? unit + 1 : unit)).length
  for (let at = 0; at < bytes.length;) {
    const lineFeed = bytes.indexOf(10, at)
    const end = lineFeed < 0 ? bytes.length : lineFeed
    const raw = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(at, end))
    const line = lineFeed >= 0 && raw.endsWith('\r') ? raw.slice(0, -1) : raw
    const regex = new RegExp(pattern.expression, `${pattern.flags}g`)
    const matches = line.length > LONG_LINE_LENGTH ? [...line.matchAll(regex)] : [...line.matchAll(regex)].slice(0, 1)
    for (const [index, match] of matches.entries()) {
      if (index > 0 && match[0] === '') continue
      const end = at + bytesTo(line, match.index + match[0].length)
      hits.push({ start: at + bytesBefore(line, match.index), end })
    }
    at = end + 1
  }
  return hits
}

const WORDS = [
  'ERROR',
  'error',
  'foo',
  'bar baz',
  'status=500',
  'été',
  '東京🚚',
  'a',
  'aa',
  '',
  ' ',
  '\t',
  'x'.repeat(1_500),
]

const LINE_ENDS = ['\n', '\n', '\n', '\r\n', '\r', '\u2028']

const PATTERNS = [
  'foo',
  'ERROR',
  'été',
  '東京',
  'o{2}',
  '^a+$',
  '^$',
  '\\s',
  '[^a]',
  'a*',
  'ERROR.*foo',
  'a.*?aa.*foo',
  'status=5\\d\\d',
  '\\bbar\\b',
  'foo|ERROR|x+$',
  '.$',
  '\\W',
  '(a|b)+c?',
  '(a+)+$',
  'x{3}',
  'no such thing',
  '\\r',
  '(?:🚚|é)$',
  '(?=foo)',
]

const texts = fc
  .array(fc.tuple(fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }), fc.constantFrom(...LINE_ENDS)), {
    maxLength: 40,
  })
  .map((lines) => lines.map(([words, end]) => words.join('') + end).join(''))

describe('searchLines', () => {
  it('finds the matches of each line, in blocks of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.constantFrom(...PATTERNS),
        fc.boolean(),
        fc.integer({ min: 1, max: 20_000 }),
        async (text, written, ignoreCase, chunk) => {
          const bytes = encode(text)
          const pattern = patternOf(written, ignoreCase)
          const expected = expectedHits(bytes, pattern)
          const found = await searchChunks(bytes, chunk, pattern)
          expect(found.hits).toEqual(expected)
          expect(found.total).toBe(expected.length)
          expect(found.searchedTo).toBe(bytes.length)
          const counted = await searchChunks(bytes, chunk, pattern, { limit: 0 })
          expect([counted.total, counted.lines]).toEqual([found.total, found.lines])
        },
      ),
      propertyRuns(330, 10_000),
    )
  })

  it('keeps the first or the last hits after the skipped hits', async () => {
    const text = Array.from({ length: 1_000 }, (_, index) => `line ${index} hit`).join('\n')
    const starts = (await search(text, 'hit')).hits.map(({ start }) => start)
    const kept = async (skip: number, limit: number, fromEnd: boolean): Promise<number[]> =>
      (await search(text, 'hit', { skip, limit, fromEnd })).hits.map(({ start }) => start)
    expect(await kept(0, 3, false)).toEqual(starts.slice(0, 3))
    expect(await kept(998, 5, false)).toEqual(starts.slice(998))
    expect(await kept(0, 3, true)).toEqual(starts.slice(-3))
    expect(await kept(10, 3, true)).toEqual(starts.slice(-13, -10))
    expect(await kept(999, 3, true)).toEqual(starts.slice(0, 1))
    expect(await kept(0, 0, true)).toEqual([])
  })

  it('finds each match across the parts of a line of many megabytes once', async () => {
    const size = 5 * 1_048_576
    const bytes = encode('.'.repeat(size))
    const places = [0, 1_048_570, 1_048_576, 2_000_000, 3_000_001, size - 6]
    for (const place of places) bytes.set(encode('needle'), place)
    for (const [written, ignoreCase] of [
      ['needle', false],
      ['NEEDLE', true],
      ['n[e]+dle', false],
      ['(n|n)e+(d|d)*le', false],
    ] as const) {
      const found = await searchChunks(bytes, 700_000, patternOf(written, ignoreCase))
      expect(found.lines, written).toBe(1)
      expect(
        found.hits.map(({ start }) => start),
        written,
      ).toEqual(places)
    }
    expect((await searchChunks(bytes, 1 << 20, patternOf('^needle'))).total).toBe(1)
    expect((await searchChunks(bytes, 1 << 20, patternOf('needle$'))).hits).toMatchObject([{ end: size }])
    expect((await searchChunks(bytes, 1 << 20, patternOf('^\\.'))).total).toBe(0)
  })

  it('finds a match that starts where a match in the previous part ends', async () => {
    const bytes = encode('1'.repeat(2_500_000))
    for (const length of [3, 5, 7]) {
      const { total } = await searchChunks(bytes, 1 << 20, patternOf(`\\d{${length}}`), { limit: 0 })
      expect(total, `${length} digits`).toBe(Math.floor(bytes.length / length))
    }
  })

  it('finds both frequent and rare literals', async () => {
    const text = Array.from({ length: 50_000 }, (_, index) => (index % 7 === 0 ? 'nothing' : `INFO ${index}`)).join(
      '\n',
    )
    const expected = expectedHits(encode(text), patternOf('INFO'))
    expect((await search(text, 'INFO')).hits).toEqual(expected)
    expect((await search(text, 'INFO', { limit: 5 })).total).toBe(expected.length)
  })

  it('matches lines as answers show them, without escape sequences', async () => {
    const red = (text: string): string => `\u001b[31m${text}\u001b[0m`
    const lines = Array.from({ length: 3_000 }, (_, line) =>
      line % 3 === 0
        ? `${red('a.ts')}:${red(String(line))} - ${red('error')} TS${line}: ü\u001b]0;title\r`
        : `plain error TS${line}`,
    )
    const bytes = encode(lines.join('\n'))
    const shownMatches = async (pattern: string): Promise<string[]> => {
      const { hits, total, lines } = await searchChunks(bytes, 1 << 14, patternOf(pattern))
      expect([total, lines]).toEqual([hits.length, hits.length])
      return hits.map(({ start, end }) => visibleText(new TextDecoder().decode(bytes.subarray(start, end))))
    }
    const found = (which: (line: number) => boolean, text: (line: number) => string): string[] =>
      lines.flatMap((_, line) => (which(line) ? [text(line)] : []))
    expect(await shownMatches('error TS\\d+')).toEqual(
      found(
        () => true,
        (line) => `error TS${line}`,
      ),
    )
    expect(await shownMatches('^a\\.ts:\\d+ - error')).toEqual(
      found(
        (line) => line % 3 === 0,
        (line) => `a.ts:${line} - error`,
      ),
    )
    expect(await shownMatches('(?=TS29\\d\\d:)')).toHaveLength(33)
    // A pattern that names control characters sees the stored text.
    expect(await shownMatches('\\x1b\\[31ma')).toHaveLength(1_000)
    expect(await shownMatches('[[:cntrl:]]\\[0m TS3:')).toEqual([' TS3:'])
    expect(await searchChunks(bytes, 1 << 20, patternOf('error TS'), { limit: 0 })).toMatchObject({ total: 3_000 })
  })

  it('stops before the end of the span', async () => {
    const text = 'hit 1\nhit 2\nhit 3\nhit 4\n'
    const { hits, searchedTo } = await search(text, 'hit', { span: { start: 6, end: 18 } })
    expect(hits.map(({ start }) => start)).toEqual([6, 12])
    expect(searchedTo).toBe(18)
  })

  it('does not count a byte order mark as a part of the first line', async () => {
    expect((await search('\uFEFFfirst\nsecond', '^first$')).hits).toEqual([{ start: 3, end: 8 }])
  })

  it('reports its progress and its hits at the deadline', async () => {
    const text = `${'hit\n'.repeat(20_000)}${`${'a'.repeat(1_000)}!\n`.repeat(3)}hit\n`
    const found = await endStuckWorkers(() => search(text, '^(a|a)*(?!b)$|hit', { deadlineMs: 60_000 }))
    expect(found).toMatchObject({ stopped: 'deadline', total: 16_384, searchedTo: 65_536 })
  })

  it('is not stopped by a deadline that passes with the last line', async () => {
    for (const text of ['hit', 'hit\n']) {
      const found = await search(text, 'hit', { deadlineMs: -1 })
      expect(found).toEqual({ lines: 1, total: 1, hits: [{ start: 0, end: 3 }], searchedTo: text.length })
    }
  })

  it('rejects if the signal has aborted', async () => {
    const controller = new AbortController()
    controller.abort()
    await expect(search('a\n', 'a', { signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' })
  })
})
