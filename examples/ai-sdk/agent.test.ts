import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { chooseModel, diagnose } from './agent.ts'

it('the agent finds the line offline, and the model gets few tokens of the log', async () => {
  const { answer, results, netTokens } = await diagnose(chooseModel({}), 'session-1')
  expect(answer).toBe('Line 2712 of the log says why: the certificate of pay.example.com has expired.')
  expect(results.map(({ toolName }) => toolName)).toEqual([
    'readLog',
    'retrieve_offloaded_content',
    'retrieve_offloaded_content',
  ])
  expect(results[0]?.tokens.returned).toBeGreaterThan(50_000)
  for (const { tokens } of results) expect(tokens.seen).toBeLessThanOrEqual(2_500)
  expect(netTokens).toBeGreaterThan(50_000)
})

it('the example prints the results that the model gets, and exits', async () => {
  const { AI_GATEWAY_API_KEY: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'agent.ts')], { env })
  expect(stdout).toMatch(/^--- readLog: the model sees \d{3,4} tokens in place of \d{5,}\n\n\[Offloaded: 1 block/)
  expect(stdout).toContain('> 2712| ')
  expect(stdout).toMatch(/\n\d{5,} tokens were kept out of the context\.\n$/)
})
