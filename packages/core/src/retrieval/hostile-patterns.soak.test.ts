import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { textOf, toolOf } from '../../test/retrieval-fixture.ts'

/** Parts from which patterns are put together that hurt a backtracking engine, or its compiler. */
const atoms = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '\\w',
  '\\s',
  '(?:a|a)',
  '(?:a|aa)',
  '(?:a|ab|b)',
  '(a)',
  '[^b]',
  '\\b',
  '(?=a)',
  '(?<=a)',
  '',
)
const repeats = fc.constantFrom(
  '',
  '*',
  '+',
  '?',
  '{2,}',
  '{0,50}',
  '{1,999}',
  '{1000}',
  '{50000}',
  '{99999999}',
  '*?',
  '+?',
)
const endings = fc.constantFrom('$', '!', 'b$', '\\1', '(?!a)', '(?<!a)$', '(?=b)', '[', '(', '\\', '')
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(atoms, repeats).map(([atom, repeat]) => atom + repeat),
    fc.tuple(tie('pattern'), repeats).map(([inner, repeat]) => `(${inner})${repeat}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `${left}${right}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})+`),
    fc.tuple(tie('pattern')).map(([inner]) => `(?:(?=${inner}))*${inner}`),
  ),
}))
const hostile = fc.tuple(fc.constantFrom('', '^', '(?i)', '.*'), pattern, endings).map((parts) => parts.join(''))

/** Known offenders, which every run includes. */
const CLASSICS = [
  '(a+)+$',
  '(a*)*$',
  '(a|a)*$',
  '(a|aa)+$',
  '(.*a){12}$',
  '(.*)*(.*)*(.*)*(.*)*!b',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(\\w+\\s?)*$',
  '(?:a?){500}a{500}b',
  '((a{1,99}){1,99}){1,99}b',
  '(?:x?){99999999}',
  '(?=(a+))\\1*b',
  '(a+)\\1+b',
  '(?<=(a+)+)b',
  '(?:(?:(?:a{0,999}){0,999}){0,999}){0,999}b',
  `${'('.repeat(400)}a+${')+'.repeat(400)}$`,
  '(?<!(a|aa)+)c',
  '[a-z]*[a-z]*[a-z]*[a-z]*[a-z]*!b',
  '(',
  '[z-a]',
]

const COUNT = process.env['SPILLWAY_SOAK'] === undefined ? 60 : 500
const DEADLINE_MS = 50
const line = `${'a'.repeat(1_048_574)}!\n`

let ticks = 0
const interval = setInterval(() => ticks++, 5)
afterAll(() => clearInterval(interval))

it(
  `answers ${COUNT} hostile patterns, or ends them at their deadline, while timers go on`,
  { timeout: COUNT * 2_000 },
  async () => {
    const tool = toolOf({ line: { content: line } }, { deadlineMs: DEADLINE_MS, maxRetrievalTokens: 500 })
    const generated = fc.sample(hostile, { numRuns: COUNT - CLASSICS.length, seed: 20_260_101 })
    const outcomes = new Map<string, number>()
    for (const [index, pattern] of [...CLASSICS, ...generated].entries()) {
      const before = ticks
      const result = await tool.execute({ reference: 'line', pattern, context_lines: 0, ignore_case: index % 5 === 0 })
      const text = textOf(result)
      const outcome = result.isError ? result.code : text.startsWith('[1 match') ? 'match' : 'no match'
      expect(outcome, JSON.stringify(pattern)).toMatch(
        /^(?:match|no match|pattern-timeout|pattern-refused|invalid-input|not-text)$/,
      )
      if (outcome === 'pattern-timeout') {
        expect(text).toContain('Simplify')
        expect(ticks, JSON.stringify(pattern)).toBeGreaterThan(before)
      }
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    expect(outcomes.get('pattern-timeout')).toBeGreaterThan(10)
    expect(outcomes.get('match')).toBeGreaterThan(0)
    expect((outcomes.get('invalid-input') ?? 0) + (outcomes.get('not-text') ?? 0)).toBe(0)
  },
)
