import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ask, countTokens, toolOf } from '../../test/retrieval-fixture.ts'

const CALL = /To continue: retrieve_offloaded_content (\{.*\})\]$/

/** Lines of all kinds: short, empty, longer than what is shown, and so long that each match in them counts. */
const line = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('', 'hay', 'a hit', 'hit and hit', 'é hit 😀', '"hit"\t') },
  { weight: 1, arbitrary: fc.constantFrom('hit '.repeat(300), `${'x'.repeat(3_000)}hit`) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.nat(3_000), { minLength: 1, maxLength: 6 })
      .map((gaps) => `${'y'.repeat(4_096)}${gaps.map((gap) => `hit${'é'.repeat(gap)}`).join(' ')}`),
  },
)

const contents = fc
  .record({
    lines: fc.array(line, { maxLength: 80 }),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    isEnded: fc.boolean(),
    mark: fc.constantFrom('', '\uFEFF'),
  })
  .map(({ lines, lineEnd, isEnded, mark }) => `${mark}${lines.join(lineEnd)}${isEnded ? lineEnd : ''}`)

/** Make a call and those by which its answers go on, and return the lines that each shows. */
async function pageThrough(content: string, first: object, maxRetrievalTokens: number): Promise<string[][]> {
  const tool = toolOf({ log: { content } }, { maxRetrievalTokens })
  const pages: string[][] = []
  let input: object | undefined = { reference: 'log', ...first }
  for (let calls = 0; input !== undefined; calls++) {
    if (calls > 1_000) throw new Error(`no end: ${JSON.stringify(input)}`)
    const text = await ask(tool, input)
    expect(countTokens(text)).toBeLessThanOrEqual(maxRetrievalTokens)
    pages.push(text.split('\n').filter((shownLine) => /^[> ] *\d+\| /.test(shownLine)))
    const next: string | undefined = CALL.exec(text)?.[1]
    input = next === undefined ? undefined : (JSON.parse(next) as object)
  }
  return pages
}

/** A hit, or what is shown around one: its line, and for very long lines the units of it from 1. */
interface Place {
  readonly line: number
  readonly start: number
  readonly end: number
}

/** Where the hits are: the line of each, once, or of a very long line each match. */
function hitsOf(content: string): Place[] {
  return content
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((text, index) => {
      const isLong = new TextEncoder().encode(text).length > 4_096
      const matches = [...text.matchAll(/hit/g)].slice(0, isLong ? undefined : 1)
      return matches.map((match) => ({ line: index + 1, start: match.index + 1, end: match.index + 3 }))
    })
}

/** What a line of an answer shows. */
function shownBy(text: string): Place {
  const [, first, last] = /\[columns ([\d,]+)-([\d,]+) of/.exec(text) ?? []
  const number = (written: string): number => Number(written.replaceAll(',', ''))
  return { line: numberOf(text), start: number(first ?? '1'), end: last === undefined ? Infinity : number(last) }
}

function expectEachShown(content: string, pages: readonly (readonly string[])[]): void {
  const windows = pages.map((page) => page.filter((text) => text.startsWith('>')).map(shownBy))
  const shows = (window: Place, hit: Place): boolean =>
    window.line === hit.line && window.start <= hit.start && hit.end <= window.end
  const hits = hitsOf(content)
  for (const hit of hits)
    expect(
      windows.flat().some((window) => shows(window, hit)),
      JSON.stringify(hit),
    ).toBe(true)
  for (const window of windows.flat()) expect(hits.some((hit) => shows(window, hit))).toBe(true)
  for (const page of windows) expect(new Set(page.map(({ line, start }) => `${line}:${start}`)).size).toBe(page.length)
  const whole = windows.flat().filter(({ end }) => end === Infinity)
  expect(new Set(whole.map(({ line }) => line)).size).toBe(whole.length)
}

const numberOf = (shown: string): number => Number(/\d+/.exec(shown)![0])

describe('the calls by which answers go on', () => {
  const tokens = fc.integer({ min: 150, max: 1_500 })

  it('show each hit, and none twice, in the order of the content', async () => {
    const limits = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(contents, limits, fc.nat(3), tokens, async (content, limit, context_lines, maxTokens) => {
        const shown = await pageThrough(content, { pattern: 'hit', context_lines, limit }, maxTokens)
        expectEachShown(content, shown)
        const numbers = shown
          .flat()
          .filter((text) => text.startsWith('>'))
          .map(numberOf)
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
      }),
      propertyRuns(40, 1_500),
    )
  })

  it('show each hit, and none twice, from the end too', async () => {
    const limits = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(contents, limits, tokens, async (content, limit, maxTokens) => {
        const shown = await pageThrough(content, { pattern: 'hit', context_lines: 0, from_end: true, limit }, maxTokens)
        expectEachShown(content, shown)
      }),
      propertyRuns(40, 1_500),
    )
  })

  it('show each line exactly once, as it stands', async () => {
    await fc.assert(
      fc.asyncProperty(contents, tokens, async (content, maxTokens) => {
        const lines = content.replace(/^\uFEFF/, '').split('\n')
        if (lines.at(-1) === '') lines.pop()
        const pages = await pageThrough(content, { line_range: { start: 1, end: 900 } }, maxTokens)
        if (lines.length === 0) return
        const shown = pages.flat()
        expect(shown.map(numberOf)).toEqual(lines.map((_, index) => index + 1))
        for (const [index, text] of shown.entries()) {
          const whole = lines[index]!.replace(/\r$/, (end) =>
            content.endsWith('\r') && index === lines.length - 1 ? end : '',
          )
          const part = /^ *\d+\| ([^…]*)(?:… \[([\d,]+) more characters\])?$/s.exec(text)!
          expect(whole.startsWith(part[1]!.replaceAll('␍', '\r'))).toBe(true)
          if (part[2] === undefined) expect(part[1]!.replaceAll('␍', '\r')).toBe(whole)
        }
      }),
      propertyRuns(40, 1_500),
    )
  })
})
