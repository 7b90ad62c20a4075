import { propertyRuns } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { visibleText } from '@spillway/text/internal'
import { ask, countTokens, toolOf } from '../../test/retrieval-fixture.ts'
import { oneLine } from './write-answer.ts'

const CALL = /To continue: retrieve_offloaded_content (\{.*\})\]$/

/** Lines of all kinds: short, empty, longer than an answer shows, and so long that each match in them is a hit. */
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

/** Contents whose lines are longer than an answer: prose, minified formats, wide characters, escape sequences, bad bytes. */
const longLine = fc.oneof(
  fc.constantFrom(
    'A sentence with a hit in it. ',
    'é hit 😀 漢字 ',
    '\u001b[31mhit\u001b[0m \r',
    '{"a":"hit"},',
    '<p>hit</p>',
    'hit',
  ),
  fc.constantFrom('👨‍👩‍👧‍👦', 'e\u0301', '\u0000\u0007', 'x'),
)
const longContents = fc
  .array(fc.tuple(longLine, fc.integer({ min: 1, max: 300 }), fc.constantFrom('', '', '\n', '\r\n')), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.map(([text, times, end]) => text.repeat(times) + end).join(''))

/** Make a call, and then each call that continues the previous answer. Return all answers. */
async function follow(content: string | Uint8Array, first: object, maxRetrievalTokens: number): Promise<string[]> {
  const tool = toolOf({ log: { content } }, { maxRetrievalTokens })
  const answers: string[] = []
  let input: object | undefined = { reference: 'log', ...first }
  while (input !== undefined) {
    if (answers.length > 2_000) throw new Error(`no end: ${JSON.stringify(input)}`)
    const text = await ask(tool, input)
    expect(countTokens(text)).toBeLessThanOrEqual(maxRetrievalTokens)
    answers.push(text)
    const next: string | undefined = CALL.exec(text)?.[1]
    input = next === undefined ? undefined : (JSON.parse(next) as object)
  }
  return answers
}

const shownLines = (answer: string): string[] => answer.split('\n').filter((line) => /^[> ] *\d+\| /.test(line))

const numberOf = (shown: string): number => Number(/\d+/.exec(shown)![0])

/** A line or a part of a line. Positions are in bytes of the content, from 0. */
interface Place {
  readonly line: number
  readonly start: number
  readonly end: number
}

/** Positions of the hits: the first match of each line, or all matches of a line that is very long without escape sequences. */
function hitsOf(content: string): Place[] {
  const bytes = (text: string): number => new TextEncoder().encode(text).length
  let start = 0
  return content.split('\n').flatMap((text, index) => {
    const base = start
    start += bytes(text) + 1
    const isLong = visibleText(text.replace(/\r$/, '')).length > 4_096
    const matches = [...text.matchAll(/hit/g)].slice(0, isLong ? undefined : 1)
    return matches.map((match) => {
      const at = base + bytes(text.slice(0, match.index))
      return { line: index + 1, start: at, end: at + 3 }
    })
  })
}

/** The part of the content that a line of an answer shows. */
function shownBy(text: string): Place {
  const [, first, last] = /\[bytes ([\d,]+)-([\d,]+) of/.exec(text) ?? []
  const number = (written: string): number => Number(written.replaceAll(',', ''))
  const start = first === undefined ? 0 : number(first) - 1
  return { line: numberOf(text), start, end: last === undefined ? Infinity : number(last) }
}

/** Check that answers show all hits, and that their counts add up to the number of hits. */
function expectHits(content: string, answers: readonly string[]): void {
  const hits = hitsOf(content)
  const windows = answers.map((answer) =>
    shownLines(answer)
      .filter((text) => text.startsWith('>'))
      .map(shownBy),
  )
  const shows = (window: Place, hit: Place): boolean =>
    window.line === hit.line && window.start <= hit.start && hit.end <= window.end
  for (const hit of hits)
    expect(
      windows.flat().some((window) => shows(window, hit)),
      JSON.stringify(hit),
    ).toBe(true)
  for (const window of windows.flat()) expect(hits.some((hit) => shows(window, hit))).toBe(true)
  for (const page of windows) {
    const parts = page.toSorted((a, b) => a.line - b.line || a.start - b.start)
    for (const [index, part] of parts.entries()) {
      if (parts[index + 1]?.line === part.line) expect(parts[index + 1]!.start).toBeGreaterThanOrEqual(part.end)
    }
  }
  const whole = windows.flat().filter(({ end }) => end === Infinity)
  expect(new Set(whole.map(({ line }) => line)).size).toBe(whole.length)
}

/** Number of matches that an answer claims to show: in its note, or in the header of the last answer. */
function countShown(answer: string): number {
  const number = (text: string | undefined): number => Number((text ?? '1').replaceAll(',', ''))
  const note = /\[Shown: ([\d,]+) of/.exec(answer)
  if (note !== null) return number(note[1])
  const span = /^\[Matche?s? ([\d,]+)(?:-([\d,]+))? of/.exec(answer)
  if (span !== null) return span[2] === undefined ? 1 : number(span[2]) - number(span[1]) + 1
  return number(/^\[(?:First |Last )?([\d,]+)/.exec(answer)?.[1])
}

describe('following the calls at the end of answers', () => {
  const tokens = fc.integer({ min: 150, max: 1_500 })

  it.each([{}, { from_end: true }])('shows each hit once: %o', async (order) => {
    await fc.assert(
      fc.asyncProperty(contents, fc.nat(3), tokens, async (content, context_lines, maxTokens) => {
        const answers = await follow(content, { pattern: 'hit', context_lines, ...order }, maxTokens)
        expectHits(content, answers)
        if ('from_end' in order) return
        const numbers = answers
          .flatMap((answer) => shownLines(answer).filter((text) => text.startsWith('>')))
          .map(numberOf)
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
      }),
      propertyRuns(40, 1_500),
    )
  })

  it('shows many hits of a long line in each answer', async () => {
    await fc.assert(
      fc.asyncProperty(
        longContents,
        fc.integer({ min: 400, max: 2_500 }),
        fc.boolean(),
        async (content, maxTokens, from_end) => {
          const answers = await follow(content, { pattern: 'hit', context_lines: 0, from_end }, maxTokens)
          expectHits(content, answers)
          const counts = answers.map(countShown)
          expect(counts.reduce((sum, count) => sum + count, 0)).toBe(hitsOf(content).length)
          expect(answers.length).toBeLessThan(8 + (6 * content.length) / (maxTokens * 4))
        },
      ),
      propertyRuns(40, 1_500),
    )
  })

  it.each([
    {},
    { line_range: { start: 1, end: 9_000 } },
    { byte_range: { start: 1, end: 9_000_000 } },
    { context_lines: 9_000 },
  ])('shows each character exactly once: %o', async (input) => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(contents, longContents), tokens, async (content, maxTokens) => {
        const answers = await follow(content, input, maxTokens)
        if (content.replace(/^\uFEFF/, '') === '') return
        const whole = content.split('\r\n').map(visibleText).join('\r\n')
        if (answers.length === 1 && !answers[0]!.startsWith('[')) expect(answers[0]).toBe(whole)
        else expect(textOf(answers)).toBe(visible(content))
        expect(answers.length).toBeLessThan(4 + (4 * content.length) / ((maxTokens - 110) * 4))
      }),
      propertyRuns(40, 1_500),
    )
  })

  it('shows the last lines first with from_end, and each character once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(contents, longContents), tokens, async (content, maxTokens) => {
        const answers = await follow(content, { from_end: true, context_lines: 9_000 }, maxTokens)
        if (content.replace(/^\uFEFF/, '') === '') return
        // The end of a line that does not fit in an answer is shown before its start.
        const cut = answers.findIndex((text) => text.startsWith('[Bytes'))
        const pages = cut < 0 ? answers : answers.slice(0, cut)
        const before = cut < 0 ? [] : [...answers.slice(cut + 1), answers[cut]!]
        expect(textOf([...before, ...pages.toReversed()])).toBe(visible(content))
      }),
      propertyRuns(40, 1_500),
    )
  })

  it('starts the end of a long line after an escape sequence', async () => {
    const content = '\u001b[31mhit\u001b[0m '.repeat(2_000)
    for (let maxTokens = 600; maxTokens < 620; maxTokens++) {
      const answers = await follow(content, { from_end: true }, maxTokens)
      expect(textOf([...answers.slice(1), answers[0]!])).toBe('hit '.repeat(2_000))
    }
  })

  it('shows each hit and each character of a line of wide characters once', async () => {
    const content = `${'漢字 hit 😀 é'.repeat(1_000)}${'東'.repeat(22_500)}${'hit'.repeat(125)}${'é'.repeat(12_500)}hit`
    for (const from_end of [false, true]) {
      const answers = await follow(content, { pattern: 'hit', context_lines: 0, from_end }, 700)
      expectHits(content, answers)
      expect(answers.map(countShown).reduce((sum, count) => sum + count, 0)).toBe(1_126)
      expect(answers.length).toBeLessThan(from_end ? 18 : 12)
    }
    const pages = await follow(content, {}, 5_000)
    expect(textOf(pages)).toBe(content)
    expect(pages.length).toBeLessThan(6)
  })

  it('shows each byte of text that is not UTF-8 exactly once', async () => {
    const bytes = fc
      .uint8Array({ minLength: 1, maxLength: 6_000 })
      // At the start, 0xfe and 0xff may be a mark of UTF-16.
      .map((all) => all.map((byte, index) => (byte < 32 || (index === 0 && byte >= 0xfe) ? 0xe9 : byte)))
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        const answers = await follow(content, { byte_range: { start: 1, end: content.length } }, 150)
        expect(textOf(answers)).toBe(visible(new TextDecoder().decode(content)))
      }),
      propertyRuns(40, 1_500),
    )
  })
})

/** Join the texts of answers. A line that is cut in one answer continues in the next. */
function textOf(answers: readonly string[]): string {
  let text = ''
  let last = 0
  for (const answer of answers) {
    for (const line of shownLines(answer)) {
      const number = numberOf(line)
      const [, shown] = /^ *\d+\| (.*)$/s.exec(line)!
      if (number === last) {
        expect(text.endsWith('…')).toBe(true)
        expect(shown!.startsWith('…')).toBe(true)
        text = text.slice(0, -1) + shown!.slice(1)
      } else {
        expect(number).toBe(last + 1)
        text += (last === 0 ? '' : '\n') + shown!
      }
      last = number
    }
  }
  return text
}

/** Content in the form in which numbered lines show it. */
function visible(content: string): string {
  const lines = content.replace(/^\uFEFF/, '').split('\n')
  const whole = lines.at(-1) === '' ? lines.slice(0, -1) : lines
  return whole.map((line, index) => oneLine(index < lines.length - 1 ? line.replace(/\r$/, '') : line)).join('\n')
}
