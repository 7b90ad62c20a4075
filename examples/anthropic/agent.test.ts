import { expect, it } from 'vitest'
import { chooseModel, investigate } from './agent.ts'

it('the agent finds the line in a log of 12,000 offline, with short prompts', async () => {
  const { client, model } = chooseModel({})
  const { answer, prompts, logTokens } = await investigate(client, model, 'session-1')
  expect(answer).toContain('512 GB of 512 GB used')
  expect(logTokens).toBeGreaterThan(100_000)
  expect(prompts).toHaveLength(3)
  for (const prompt of prompts) expect(prompt.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThan(3_000)
  expect(prompts.at(-1)?.at(-1)).toMatchObject({ role: 'user', text: expect.stringContaining('8643| 8642 deploy') })
})
