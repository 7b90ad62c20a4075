import { describe, expect, it } from 'vitest'
import { divideTurn, limitsOf, resolveLimits, type LimitOptions, type TurnResult } from './result-limits.ts'

const limitsFor = (toolName: string, options: LimitOptions) => limitsOf(resolveLimits(options), toolName)

describe('resolveLimits', () => {
  it('takes shares of the context window within their bounds', () => {
    const share = (max: number) => ({ share: 0.02, min: 1_000, max })
    expect(resolveLimits({ contextWindow: 200_000, maxResultTokens: share(9_000) }).maxResultTokens).toBe(4_000)
    expect(resolveLimits({ contextWindow: 200_000, maxResultTokens: share(3_000) }).maxResultTokens).toBe(3_000)
    expect(resolveLimits({ contextWindow: 8_000, maxResultTokens: share(9_000) }).maxResultTokens).toBe(1_000)
  })

  it.each<[string, LimitOptions, string]>([
    ['a share without a window', { maxTurnTokens: { share: 0.1 } }, 'maxTurnTokens is a share of the context window'],
    [
      'a share above 1',
      { contextWindow: 1_000, maxResultTokens: { share: 20 } },
      'maxResultTokens must be a number, or have a share',
    ],
    ['a window of 0', { contextWindow: 0 }, 'contextWindow must be a positive number'],
    [
      'a preview of a tool over its limit',
      { tools: { bash: { previewTokens: 3_000 } } },
      'tools["bash"].previewTokens (3000)',
    ],
    ['an unknown setting', { tools: { bash: { maxTokens: 3 } as object } }, 'Unknown setting tools["bash"].maxTokens'],
    ['a budget of 0', { maxTurnTokens: 0 }, 'maxTurnTokens must be a positive number'],
  ])('refuses %s and names it', (_name, options, message) => {
    expect(() => resolveLimits(options)).toThrow(message)
  })
})

describe('limitsOf', () => {
  const tools = {
    bash: { maxResultTokens: 1_000 },
    'mcp__github__*': { maxResultTokens: 2_000 },
    'mcp__*__list_*': { maxResultTokens: 3_000 },
    list_issues: { maxResultTokens: 4_000 },
  }

  it.each([
    ['bash', 1_000],
    ['mcp__github__search', 2_000],
    ['mcp__github__list_all', 2_000],
    ['mcp__jira__list_all', 3_000],
    ['mcp__shell__bash', 1_000],
    ['other', 2_500],
    ['toString', 2_500],
  ])('finds the settings of %s by exact name first, then by the longest pattern', (name, expected) => {
    expect(limitsFor(name, { tools }).maxResultTokens).toBe(expected)
  })

  it("shrinks the preview below a tool's limit", () => {
    expect(limitsFor('bash', { tools, previewTokens: 2_000 }).previewTokens).toBe(400)
    expect(limitsFor('other', { tools, previewTokens: 2_000 }).previewTokens).toBe(2_000)
  })

  it('matches a hostile pattern in linear time', () => {
    const pattern = `${'*a'.repeat(2_000)}*b`
    expect(limitsFor('a'.repeat(20_000), { tools: { [pattern]: { maxResultTokens: 1_000 } } }).maxResultTokens).toBe(
      2_500,
    )
  })
})

describe('divideTurn', () => {
  const limits = resolveLimits({})
  const result = (tokens: number, of: Partial<TurnResult> = {}): TurnResult => ({
    tokens,
    limits,
    isError: false,
    isFixed: false,
    ...of,
  })

  it('changes nothing if all results fit, with small results whole and large results as previews', () => {
    expect(divideTurn([result(2_000), result(500_000), result(700)], 4_000)).toEqual([Infinity, Infinity, Infinity])
  })

  it('keeps small results whole, and divides the remaining tokens evenly', () => {
    expect(divideTurn([result(300), result(2_400), result(100), result(2_400)], 3_000)).toEqual([
      Infinity,
      1_300,
      Infinity,
      1_300,
    ])
  })

  it('gives errors their tokens first', () => {
    expect(divideTurn([result(2_000), result(2_000, { isError: true })], 3_000)).toEqual([1_000, Infinity])
  })

  it('counts results that are kept in the context, for example answers of the retrieval tool', () => {
    expect(divideTurn([result(2_000, { isFixed: true }), result(2_000)], 3_000)).toEqual([Infinity, 1_000])
  })

  it('keeps a reference for each result even if the budget is too small', () => {
    expect(divideTurn([result(2_000, { isFixed: true }), result(2_000), result(1_000)], 100)).toEqual([
      Infinity,
      210,
      210,
    ])
  })
})
