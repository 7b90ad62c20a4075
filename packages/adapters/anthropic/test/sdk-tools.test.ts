/** Tools that the SDK makes, run by its tool runner. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { mcpTools } from '@anthropic-ai/sdk/helpers/beta/mcp'
import { betaMemoryTool, type MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory'
import type * as toolsets from '@anthropic-ai/sdk/helpers/beta/toolsets'
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool'
import type * as agentToolset from '@anthropic-ai/sdk/tools/agent-toolset/node'
import type { ToolCall } from '@spillway-internal/adapter-suite'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answerToolCalls, offloadTools } from '../src/index.ts'
import type { RunnerTool } from './case-tools.ts'
import { fakeApi, type ModelRequest } from './fake-api.ts'
import { resultsIn } from './read-prompt.ts'
import { hasThreads } from './version.ts'

const LOG = `${'a line of a log\n'.repeat(1_000)}the last line`
const REPLACED = expect.stringMatching(/^\[Offloaded: [^]*the last line/)
const text = (value: unknown): object => ({ type: 'text', text: value })
const call = (name: string, input: object = {}, more: object = {}): ToolCall => ({
  id: `id_${name}`,
  name,
  input,
  ...more,
})

/** Let the model make these calls, and return the requests that it got. */
async function runCalls(tools: readonly RunnerTool[], calls: readonly ToolCall[]): Promise<readonly ModelRequest[]> {
  const requests: ModelRequest[] = []
  const fetch = fakeApi((request) => (requests.push(request) === 1 ? { toolCalls: calls } : { text: 'done' }))
  const client = new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 })
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const params = { model: 'claude-opus-5', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Go.' }] }
  const wrapped = offloadTools(tools, offloader)
  await client.beta.messages.toolRunner({ ...params, tools: wrapped })
  return requests
}

/** The results in the last request. */
const resultsOf = (requests: readonly ModelRequest[]): ReturnType<typeof resultsIn> =>
  resultsIn(requests.at(-1)?.messages ?? [])

describe('mcpTools', () => {
  const inputSchema = { type: 'object' as const, properties: {} }
  const callTool = async ({
    name,
  }: {
    readonly name: string
  }): Promise<{ content: { type: 'text'; text: string }[]; isError?: boolean }> => ({
    content: [{ type: 'text', text: name === 'small' ? 'all is well' : LOG }],
    ...(name === 'fail' && { isError: true }),
  })
  const tools = mcpTools(
    ['read', 'fail', 'small'].map((name) => ({ name, inputSchema })),
    { callTool },
  )

  it('are offloaded, and errors of the server are still errors', async () => {
    const results = resultsOf(await runCalls(tools, [call('read'), call('fail'), call('small')]))
    expect(results).toMatchObject([
      { content: [text(REPLACED)] },
      { content: [text(REPLACED)], is_error: true },
      { content: [text('all is well')] },
    ])
    expect(results.map(({ is_error: isError }) => isError)).toEqual([undefined, true, undefined])
  })

  it('are counted by the SDK', async () => {
    const headers: (string | null)[] = []
    const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
      headers.push(new Headers(init?.headers).get('x-stainless-helper'))
      return new Response('', { status: 400 })
    }
    const client = new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 })
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    for (const used of [tools, offloadTools(tools, offloader)]) {
      const params = { model: 'claude-opus-5', max_tokens: 100, messages: [], tools: [...used] }
      const runner = client.beta.messages.toolRunner(params)
      await expect(runner.runUntilDone()).rejects.toThrow(Anthropic.BadRequestError)
    }
    expect(headers[0]).toContain('mcpTool')
    expect(headers[1]).toBe(headers[0])
  })
})

it('results of the memory tool are offloaded', async () => {
  const memory = betaMemoryTool({ view: () => LOG } as unknown as MemoryToolHandlers)
  const requests = await runCalls([memory], [call('memory', { command: 'view', path: '/memories' })])
  expect(requests[0]?.tools[0]).toEqual({ type: 'memory_20250818', name: 'memory' })
  expect(resultsOf(requests)).toMatchObject([{ content: REPLACED }])
})

describe.skipIf(!hasThreads)('the agent toolset', () => {
  const newTools = async (): Promise<ReturnType<typeof agentToolset.betaAgentToolset20260401>> => {
    // Older versions do not have the module.
    const module = '@anthropic-ai/sdk/tools/agent-toolset/node'
    const { betaAgentToolset20260401 } = (await import(module)) as typeof agentToolset
    const workdir = await mkdtemp(join(tmpdir(), 'spillway-agent-toolset-'))
    await writeFile(join(workdir, 'a.log'), LOG)
    const tools = betaAgentToolset20260401({ workdir })
    onTestFinished(async () => {
      for (const tool of tools) await tool.close?.()
      await rm(workdir, { recursive: true })
    })
    return tools
  }

  it('is offloaded, and a command that fails is still an error', async () => {
    const calls = [
      call('read', { file_path: 'a.log' }),
      call('bash', { command: 'cat a.log; false' }),
      call('glob', { pattern: '*.log' }),
    ]
    const [file, failed, names] = resultsOf(await runCalls(await newTools(), calls))
    expect(file?.content).toEqual(REPLACED)
    expect(failed).toMatchObject({ content: REPLACED, is_error: true })
    expect(names?.content).toMatch(/a\.log$/)
  })

  it('stops a command when the run stops, and closes its shell', async () => {
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const bash = offloadTools(await newTools(), offloader).find(({ name }) => name === 'bash') as BetaRunnableTool
    const toolUse = { type: 'tool_use', id: 'call_1', name: 'bash', input: {} } as const
    const run = async (command: string, signal?: AbortSignal): Promise<unknown> =>
      bash.run({ command }, { toolUse, toolUseBlock: toolUse, signal })
    await expect(run('sleep 30', AbortSignal.timeout(100))).rejects.toThrow(/abort/)
    expect(await run('known=yes; echo $known')).toBe('yes')
    await bash.close?.()
    expect(await run('echo "[$known]"')).toBe('[]')
  })
})

describe.skipIf(!hasThreads)('a toolset', () => {
  const newBrowser = async (): Promise<RunnerTool> => {
    const module = '@anthropic-ai/sdk/helpers/beta/toolsets'
    const { BetaAbstractBrowserToolset20260801 } = (await import(module)) as typeof toolsets
    class Browser extends BetaAbstractBrowserToolset20260801 {
      protected override get_page_text(): string {
        return LOG
      }
      protected override screenshot(): { data: string } {
        return { data: 'A'.repeat(4_000_000) }
      }
      protected override find(): string {
        throw new Error('nothing found')
      }
    }
    const tab = { tab_id: 'tab_1', url: 'https://example.com', title: 'A page', active: true }
    return new Browser({ browserState: () => ({ tabs: [tab] }) })
  }
  const browserCall = (name: string): ToolCall => call(name, {}, { toolset_name: 'browser' })

  it('has its text offloaded, but not the screenshots and the state that the model needs', async () => {
    const browser = await newBrowser()
    const calls = ['get_page_text', 'screenshot', 'find'].map(browserCall)
    const requests = await runCalls([browser], calls)
    expect(requests[0]?.tools[0]).toEqual(JSON.parse(JSON.stringify(browser)))
    const [page, screenshot, error] = resultsOf(requests)
    expect(page).toMatchObject({ toolset_name: 'browser', content: [text(REPLACED), { type: 'browser_state' }] })
    expect(screenshot?.content).toMatchObject([{ type: 'image' }, { type: 'browser_state' }])
    expect(error).toMatchObject({ is_error: true, content: [text('Error: nothing found')] })
  })

  it('is offloaded in a loop written by hand', async () => {
    const browser = (await newBrowser()) as Extract<RunnerTool, { run: (context: never, toolUse: never) => unknown }>
    const content = [{ type: 'tool_use', ...browserCall('get_page_text') }]
    const response = { content, stop_reason: 'tool_use' } as unknown as Anthropic.Beta.BetaMessage
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const results = await answerToolCalls(response, offloader, (toolUse) =>
      (browser.run as (...parameters: unknown[]) => Promise<string>)({ toolUse, toolUseBlock: toolUse }, toolUse),
    )
    expect(results?.content).toMatchObject([
      { toolset_name: 'browser', content: [text(REPLACED), { type: 'browser_state' }] },
    ])
  })

  it('rejects with the error of the SDK if it is closed', async () => {
    const browser = await newBrowser()
    await (browser as { close?: () => unknown }).close?.()
    await expect(runCalls([browser], [browserCall('find')])).rejects.toThrow(/toolset is closed/)
  })
})
