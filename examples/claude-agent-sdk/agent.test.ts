import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { estimateTokens } from '@spillway/core'
import { expect, it } from 'vitest'
import { investigateOffline } from './agent.ts'

/** Return whether the SDK's binary, an optional package for each platform, is installed. */
function hasBinary(): boolean {
  const sdk = createRequire(fileURLToPath(import.meta.resolve('@anthropic-ai/claude-agent-sdk')))
  try {
    sdk.resolve(`@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/package.json`)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    return false
  }
}

it.skipIf(!hasBinary())(
  'the agent finds the line in a log of 12,000 offline, with short results',
  async () => {
    const { answer, results, logTokens } = await investigateOffline()
    expect(answer).toContain('512 GB of 512 GB used')
    expect(logTokens).toBeGreaterThan(100_000)
    expect(results).toHaveLength(2)
    for (const result of results) expect(estimateTokens(result)).toBeLessThan(2_500)
    expect(results[1]).toContain('8643| 8642 deploy')
  },
  60_000,
)
