import { afterAll, expect, it } from 'vitest'
import { hostilePatterns } from '../../test/hostile-patterns.ts'
import { textOf, toolOf } from '../../test/retrieval-fixture.ts'

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
    const outcomes = new Map<string, number>()
    for (const [index, pattern] of hostilePatterns(COUNT).entries()) {
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
