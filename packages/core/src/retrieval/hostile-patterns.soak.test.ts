import { isFull } from '@spillway-internal/test-run'
import { afterAll, expect, it } from 'vitest'
import { hostilePatterns } from '@spillway-internal/test-inputs'
import { createLinearMatcher, parseSearchPattern } from '@spillway/text/internal/patterns'
import { ask, textOf, toolOf } from '../../test/retrieval-fixture.ts'

const COUNT = isFull ? 500 : 30
const DEADLINE_MS = 50
/** A pattern of a thousand repeated groups reads 1 MB in three seconds of processor time. */
const LINEAR_DEADLINE_MS = 60_000
const line = `${'a'.repeat(1_048_574)}!\n`

let ticks = 0
const interval = setInterval(() => ticks++, 5)
afterAll(() => clearInterval(interval))

it(
  `the retrieval tool answers ${COUNT} hostile patterns, or stops look-around and backreferences at their deadline, while timers fire`,
  { timeout: COUNT * 10_000 },
  async () => {
    const tool = toolOf({ line: { content: line } }, { deadlineMs: DEADLINE_MS, maxRetrievalTokens: 500 })
    const honest = toolOf({ line: { content: line } }, { deadlineMs: LINEAR_DEADLINE_MS, maxRetrievalTokens: 500 })
    const outcomes = new Map<string, number>()
    for (const [index, pattern] of hostilePatterns(COUNT).entries()) {
      const before = ticks
      const ignoreCase = index % 5 === 0
      const { expression, flags } = parseSearchPattern(pattern, { ignoreCase })
      const isLinear = pattern.length <= 1_000 && createLinearMatcher(expression, flags) !== undefined
      const call = { reference: 'line', pattern, context_lines: 0, ignore_case: ignoreCase }
      const result = await (isLinear ? honest : tool).execute(call)
      const text = textOf(result)
      const outcome = result.isError ? result.code : text.startsWith('[1 match') ? 'match' : 'no match'
      expect(outcome, JSON.stringify(pattern)).toMatch(
        isLinear ? /^(?:match|no match)$/ : /^(?:match|no match|pattern-timeout|pattern-refused)$/,
      )
      if (outcome === 'pattern-timeout') {
        expect(text).toContain('look-around')
        expect(ticks, JSON.stringify(pattern)).toBeGreaterThan(before)
      }
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    expect(outcomes.get('pattern-timeout')).toBeGreaterThan(COUNT / 10)
    expect(await ask(honest, { reference: 'line', pattern: 'a!$' })).toMatch(/^\[1 match/)
  },
)
