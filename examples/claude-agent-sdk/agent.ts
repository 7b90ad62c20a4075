/**
 * An agent that finds out why a deployment failed, from a log that is far too large for a prompt. It prints the results
 * that the model got, and the tokens that the log would have cost without Spillway.
 *
 * `node agent.ts` runs offline, with a model that follows a script. With ANTHROPIC_API_KEY set, a real model does the work.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { query, type Options } from '@anthropic-ai/claude-agent-sdk'
import { offloadOptions } from '@spillway/claude-agent-sdk'
import { ContextOffloader, estimateTokens } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { startOfflineModel, textOf, type Block } from './offline-model.ts'

const LOG = Array.from({ length: 12_000 }, (_, line) =>
  line === 8_642
    ? `${line} deploy worker-7: quota exceeded for disk "builds": 512 GB of 512 GB used`
    : `${line} deploy worker-${line % 12}: step finished in ${(line * 7) % 900} ms`,
).join('\n')

/** The result of a run. */
export interface Report {
  /** The final answer of the agent. */
  readonly answer: string
  /** The result of each tool call that the model got. */
  readonly results: readonly string[]
  /** Tokens that the log would cost in each prompt. */
  readonly logTokens: number
}

/** Ask the agent why the deployment failed, in a folder with the log. */
export async function investigate(options: Options): Promise<Report> {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const folder = await mkdtemp(join(tmpdir(), 'deployment-'))
  const results: string[] = []
  try {
    await writeFile(join(folder, 'deploy.log'), LOG)
    const messages = query({
      prompt: 'Why did the last deployment fail? Its log is deploy.log.',
      options: offloadOptions({ cwd: folder, tools: ['Bash'], allowedTools: ['Bash'], ...options }, offloader),
    })
    for await (const message of messages) {
      if (message.type === 'user') results.push(textOf(message.message.content as string | Block[]))
      if (message.type === 'result' && message.subtype === 'success')
        return { answer: message.result, results, logTokens: estimateTokens(LOG) }
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  throw new Error('The agent ended without an answer.')
}

/** Ask a model that follows a script: show the log, search it, and state the cause. */
export async function investigateOffline(): Promise<Report> {
  const home = await mkdtemp(join(tmpdir(), 'home-'))
  const model = await startOfflineModel((call, seen) => {
    if (call === 0) return { name: 'Bash', input: { command: 'cat deploy.log', description: 'Show the log' } }
    if (call > 1) return `The deployment failed as a disk was full: "${/^> *\d+\| (.*)$/m.exec(seen)?.[1]}".`
    const [, reference] = /\[Stored references:\]\n {2}(\w+)/.exec(seen) ?? []
    const input = { reference, pattern: 'quota|error|failed', context_lines: 1 }
    return { name: 'mcp__spillway__retrieve_offloaded_content', input }
  })
  try {
    // The environment excludes the user's own settings, and allows only connections to this machine.
    const env = {
      PATH: process.env['PATH'],
      HOME: home,
      CLAUDE_CONFIG_DIR: home,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }
    return await investigate({ env, settingSources: [] })
  } finally {
    model.close()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

if (process.argv[1] === import.meta.filename) {
  const isReal = Boolean(process.env['ANTHROPIC_API_KEY'])
  const { answer, results, logTokens } = await (isReal ? investigate({}) : investigateOffline())
  for (const [index, result] of results.entries())
    console.log(
      `\n=== Result ${index + 1}: ${estimateTokens(result)} tokens; the log has ${logTokens} ===\n\n${result}`,
    )
  console.log(`\n=== The answer ===\n\n${answer}`)
}
