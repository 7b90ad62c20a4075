import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toolOf } from '../../test/retrieval-fixture.ts'

const pieces = fc.constantFrom(
  'a',
  'needle',
  '\n',
  '\n\n',
  '\r\n',
  '漢字',
  '👨‍👩‍👧‍👦',
  ' ',
  'x'.repeat(700),
  'e\u0301'.repeat(40),
  'word '.repeat(30),
)
const texts = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''))
const inputs = fc.constantFrom<object>(
  { pattern: 'needle' },
  { pattern: 'needle|a', context_lines: 0 },
  { pattern: '.', ignore_case: true },
  { pattern: 'nowhere(', line_range: { start: 1, end: 3 } },
  { line_range: { start: 1, end: 1 } },
  { line_range: { start: 2, end: 900 } },
  { context_lines: 20 },
  {},
  { reference: 'unknown' },
  { reference: undefined, pattern: 'needle' },
  { pattern: 5 },
  { pattern: 'needle', from_end: true, after: 1 },
  { pattern: 'needle', count_only: true },
  { pattern: '^NEEDLE(' },
  { reference: undefined, pattern: 'needle|a', count_only: true },
  { from_end: true, context_lines: 9 },
  { query: 'a needle in a word' },
  { reference: undefined, query: 'needle' },
  { json_path: '$..a' },
  { sql: 'SELECT a, b FROM t WHERE a = 1' },
  { sql: 'SELECT nothing' },
)

/** Different token counters: by characters, by bytes, by words, and one that does not count spaces. */
const counters = fc.constantFrom<(text: string) => number>(
  (text) => Math.ceil(text.length / 4),
  (text) => new TextEncoder().encode(text).length,
  (text) => text.split(/\b/).length,
  (text) => text.replace(/\s+/g, '').length,
)

describe('an answer of the retrieval tool', () => {
  it('never has more tokens than the limit, for any request and any tokenizer', async () => {
    const property = fc.asyncProperty(
      texts,
      inputs,
      counters,
      fc.integer({ min: 1, max: 400 }),
      async (content, input, countTokens, maxRetrievalTokens) => {
        const tool = toolOf({ log: { content }, other: { content } }, { scoped: true, countTokens, maxRetrievalTokens })
        const { content: blocks } = await tool.execute({ reference: 'log', ...input })
        for (const block of blocks) {
          if (block.type !== 'text') throw new Error(`a ${block.type} block`)
          expect(countTokens(block.text)).toBeLessThanOrEqual(maxRetrievalTokens)
        }
      },
    )
    await fc.assert(property, propertyRuns(150, 10_000))
  })

  it('shows at least one hit if a hit fits into the limit', async () => {
    const property = fc.asyncProperty(texts, fc.nat(20), async (text, context_lines) => {
      const tool = toolOf({ log: { content: `${text}needle` } }, { maxRetrievalTokens: 100 })
      const { content } = await tool.execute({ reference: 'log', pattern: 'needle', context_lines })
      expect(content[0]).toMatchObject({ type: 'text', text: expect.stringMatching(/^> *\d+\| .*needle/m) as string })
    })
    await fc.assert(property, propertyRuns(100, 3_000))
  })

  it.each([
    ['pattern', { pattern: 'needle', context_lines: 0 }],
    ['query', { query: 'needle' }],
    ['json_path', { json_path: '$..name' }],
  ])('never suggests the same call again, if not even one result of a %s fits', async (_name, input) => {
    const content = JSON.stringify(
      Array.from({ length: 9 }, (_, index) => ({ name: `needle ${index}` })),
      null,
      1,
    )
    // The first and the last line of a fence are longer than the limit.
    const countTokens = (text: string): number => text.length + (text.includes('<<<') ? 1_000 : 0)
    const tool = toolOf({ log: { content } }, { scoped: true, countTokens, maxRetrievalTokens: 500 })
    const { content: answer } = await tool.execute({ reference: 'log', ...input })
    expect(answer).toEqual([{ type: 'text', text: expect.stringContaining('Not even one of them fits') as string }])
    expect(JSON.stringify(answer)).not.toContain('To continue')
  })
})
