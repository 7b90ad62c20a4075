import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { chooseModel, investigate } from './agent.ts'

it('the agent finds the line in a log of 12,000 offline, with few tokens in the prompts and in the memory', async () => {
  const { answer, results, logTokens, netTokens, memoryCharacters } = await investigate(
    chooseModel({}),
    'conversation-1',
  )
  expect(answer).toContain('512 GB of 512 GB used')
  expect(logTokens).toBeGreaterThan(100_000)
  expect(results.map(({ toolName }) => toolName)).toEqual(['read_deploy_log', 'retrieve_offloaded_content'])
  for (const { tokens } of results) expect(tokens).toBeLessThanOrEqual(2_500)
  expect(results[1]?.seen).toContain('8643| 8642 deploy')
  expect(netTokens).toBeGreaterThan(100_000)
  expect(memoryCharacters).toBeLessThan(15_000)
})

it('the example prints the results that the model gets, and exits', async () => {
  const { OPENAI_API_KEY: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'agent.ts')], {
    env: { ...env, NODE_ENV: 'production' },
  })
  expect(stdout).toMatch(/--- read_deploy_log: the model sees \d{3,4} tokens in place of \d{6}\n\n\[Offloaded: 1 block/)
  expect(stdout).toMatch(/\n\d{5,} tokens were kept out of the context\.\n/)
})
