import { isFull } from '@spillway-internal/test-run'
import { expect, test } from 'vitest'
import { generateLog } from '../report/generate-log.ts'
import type { TokenRow } from './measure-tokens.ts'

const LIMIT = 2_500

test('in each framework, the replacement of a log and both answers about it are within the limit', async ({ skip }) => {
  // The suite of each adapter has the same case.
  skip(!isFull, 'full run')
  const { measureTokens } = await import('./measure-tokens.ts')
  const rows = await measureTokens(generateLog(90_000))
  const alone = new Map(rows.filter(({ way }) => /^(?:`\w+` )?alone$/.test(way)).map((row) => [row.framework, row]))
  const ours = rows.filter(({ isOurs }) => isOurs)
  expect([...new Set(ours.map(({ framework }) => framework))]).toEqual([
    'AI SDK',
    'LangChain',
    'LangGraph',
    'deepagents',
    'Mastra',
    'Google ADK',
    'Anthropic',
    'Claude Agent SDK',
    'Strands',
    'OpenAI Agents SDK',
    'Genkit',
    'VoltAgent',
    'LlamaIndex',
  ])
  for (const row of ours) {
    expect(row.results, nameOf(row)).toHaveLength(3)
    for (const tokens of row.results) expect(tokens, nameOf(row)).toBeLessThanOrEqual(LIMIT)
    const { lastPrompt = Infinity } = alone.get(row.framework) ?? {}
    expect(row.lastPrompt, nameOf(row)).toBeLessThan(lastPrompt / 2)
  }
})

const nameOf = ({ framework, way }: TokenRow): string => `${framework}, ${way}`
