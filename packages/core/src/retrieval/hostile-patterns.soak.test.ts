import { isFull } from '@spillway-internal/test-run'
import { afterAll, expect, it } from 'vitest'
import { hostilePatterns } from '@spillway-internal/test-inputs'
import { ask, textOf, toolOf } from '../../test/retrieval-fixture.ts'

const COUNT = isFull ? 500 : 30
const DEADLINE_MS = 50
const line = `${'a'.repeat(1_048_574)}!\n`

let ticks = 0
const interval = setInterval(() => ticks++, 5)
afterAll(() => clearInterval(interval))

it(
  `the retrieval tool answers ${COUNT} hostile patterns, or ends them at their deadline, while timers fire`,
  { timeout: COUNT * 10_000 },
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
    const honest = toolOf({ line: { content: line } }, { maxRetrievalTokens: 500 })
    expect(await ask(honest, { reference: 'line', pattern: 'a!$' })).toMatch(/^\[1 match/)
    expect((outcomes.get('invalid-input') ?? 0) + (outcomes.get('not-text') ?? 0)).toBe(0)
  },
)
