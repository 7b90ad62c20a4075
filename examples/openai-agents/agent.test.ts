import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { chooseModel, investigate } from './agent.ts'

it('the agent finds the line in a log of 12,000 offline, with short inputs', async () => {
  const { answer, inputs, logTokens } = await investigate(chooseModel({}), 'session-1')
  expect(answer).toContain('512 GB of 512 GB used')
  expect(logTokens).toBeGreaterThan(100_000)
  expect(inputs).toHaveLength(3)
  for (const input of inputs) expect(input.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThan(3_000)
  expect(inputs.at(-1)?.at(-1)).toMatchObject({
    type: 'function_call_result',
    text: expect.stringContaining('8643| 8642 deploy'),
  })
})

it('the example prints the inputs of the model, and exits', async () => {
  const { OPENAI_API_KEY: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'agent.ts')], { env })
  expect(stdout).toMatch(/=== Model call 2: \d{3,4} tokens; the log alone has \d{6} ===/)
  expect(stdout).toMatch(/=== The answer ===\n\nThe deployment failed as a disk was full/)
})
