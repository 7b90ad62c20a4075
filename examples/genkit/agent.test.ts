import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { chooseGenkit, investigate } from './agent.ts'

it('the agent finds the line in a log of 12,000 offline, with short prompts', async () => {
  const { answer, prompts, logTokens } = await investigate(chooseGenkit({}), 'chat-1')
  expect(answer).toContain('512 GB of 512 GB used')
  expect(logTokens).toBeGreaterThan(100_000)
  expect(prompts).toHaveLength(3)
  for (const prompt of prompts) expect(prompt.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThan(3_000)
  expect(prompts.at(-1)?.at(-1)).toMatchObject({ role: 'tool', text: expect.stringContaining('8643| 8642 deploy') })
})

it('the example prints the prompts of the model, and exits', async () => {
  const { GEMINI_API_KEY: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'agent.ts')], { env })
  expect(stdout).toMatch(/=== Model call 3: \d{3,4} tokens; the log alone has \d{6} ===/)
  expect(stdout).toMatch(/=== The answer ===\n\nThe deployment failed as a disk was full/)
})
