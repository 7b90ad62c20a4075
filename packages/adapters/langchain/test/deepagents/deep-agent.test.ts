import type { ModelTurn, SeenPrompt, ToolCall } from '@spillway-internal/adapter-suite'
import { ContextOffloader, type ContextOffloaderOptions } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { createDeepAgent, GENERAL_PURPOSE_SUBAGENT } from 'deepagents'
import { tool } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { deepAgentMiddleware } from '../../src/deepagents/index.ts'
import { FakeChatModel } from '../fake-chat-model.ts'

const LOG = Array.from({ length: 4_000 }, (_, line) => `line ${line}: ${line === 3_210 ? 'FAILED' : 'ok'}`).join('\n')
const readLog = tool(() => LOG, { name: 'read_log', description: 'Read the log.', schema: z.object({}) })

function offloaderOf(options: Partial<ContextOffloaderOptions> = {}): ContextOffloader {
  return new ContextOffloader({ storage: new InMemoryStorage(), ...options })
}

const call = (name: string, input: object, id: string = name): ToolCall => ({ id, name, input })
const textOf = (prompt: SeenPrompt | undefined, toolCallId: string): string =>
  prompt?.results
    .find((result) => result.toolCallId === toolCallId)
    ?.content.map((block) => (block.type === 'text' ? block.text : ''))
    .join('') ?? ''

/** Make a model that calls the tools of each step in turn, then ends; it keeps the prompts that it saw. */
function scripted(...steps: readonly ((prompt: SeenPrompt) => readonly ToolCall[])[]): {
  readonly model: FakeChatModel
  readonly prompts: SeenPrompt[]
} {
  const prompts: SeenPrompt[] = []
  const model = new FakeChatModel((prompt): ModelTurn => {
    prompts.push(prompt)
    const step = steps[prompts.length - 1]
    return step === undefined ? { text: 'done' } : { toolCalls: step(prompt) }
  })
  return { model, prompts }
}

const thread = (id: string): { configurable: { thread_id: string } } => ({ configurable: { thread_id: id } })
const referenceIn = (text: string): string => /\[Stored references:\]\n {2}(\S+)/.exec(text)?.[1] ?? 'none'

describe('deepAgentMiddleware', () => {
  it('lets the retrieval tool read offloaded content', async () => {
    const offloader = offloaderOf()
    const { model, prompts } = scripted(
      () => [call('read_log', {})],
      (prompt) => {
        const reference = referenceIn(textOf(prompt, 'read_log'))
        return [call('retrieve_offloaded_content', { reference, pattern: 'FAILED', context_lines: 0 })]
      },
    )
    const agent = createDeepAgent({ model, tools: [readLog], middleware: [deepAgentMiddleware(offloader)] })
    await agent.invoke({ messages: 'Go.' }, thread('a'))
    const last = prompts.at(-1)
    expect(textOf(last, 'read_log')).toMatch(/^\[Offloaded: 1 block/)
    expect(textOf(last, 'retrieve_offloaded_content')).toContain('> 3211| line 3210: FAILED')
  })

  it('leaves the answers of the file tools unchanged at any size', async () => {
    const offloader = offloaderOf({ maxResultTokens: 200 })
    const { model, prompts } = scripted(
      () => [call('write_file', { file_path: '/log.txt', content: LOG })],
      () => [call('read_file', { file_path: '/log.txt', limit: 500 }), call('grep', { pattern: 'ok' })],
    )
    const middleware = [deepAgentMiddleware(offloader)]
    await createDeepAgent({ model, middleware }).invoke({ messages: 'Go.' })
    expect(textOf(prompts.at(-1), 'read_file')).toContain('line 499: ok')
    expect(textOf(prompts.at(-1), 'grep')).toContain('line 900: ok')
  })

  it('replaces results before deepagents measures them, so that deepagents writes no file', async () => {
    const offloader = offloaderOf()
    const large = tool(() => LOG.repeat(10), { name: 'read_all', description: 'Read all.', schema: z.object({}) })
    const { model, prompts } = scripted(
      () => [call('read_all', {})],
      () => [call('glob', { pattern: '**' })],
    )
    const middleware = [deepAgentMiddleware(offloader)]
    await createDeepAgent({ model, tools: [large], middleware }).invoke({ messages: 'Go.' }, thread('a'))
    expect(textOf(prompts.at(-1), 'read_all')).toMatch(/^\[Offloaded: 1 block/)
    expect(textOf(prompts.at(-1), 'glob')).toContain('No files found')
  })

  it('works in subagents with the middleware, in the scope of the thread', async () => {
    const storage = new InMemoryStorage()
    const offloader = offloaderOf({ storage })
    const middleware = [deepAgentMiddleware(offloader)]
    const input = { description: 'Read the log.', subagent_type: 'general-purpose' }
    for (const given of [false, true]) {
      const { model, prompts } = scripted(
        () => [call('task', input)],
        () => [call('read_log', {})],
      )
      const subagent = { ...GENERAL_PURPOSE_SUBAGENT, tools: [readLog], ...(given ? { middleware } : {}) }
      const subagents = [subagent]
      const agent = createDeepAgent({ model, tools: [readLog], middleware, subagents })
      await agent.invoke({ messages: 'Go.' }, thread(`given-${given}`))
      const seen = textOf(prompts[2], 'read_log')
      if (given) expect(seen).toMatch(/^\[Offloaded: 1 block/)
      else expect(seen).toBe(LOG)
      const entries = await Array.fromAsync(storage.scope(`given-${given}`).list())
      expect(entries.map(({ reference }) => reference)).toEqual(given ? [referenceIn(seen)] : [])
    }
  })

  it('continues a run with an invalid scope', async () => {
    const offloader = offloaderOf()
    const scope = (): never => {
      throw new Error('no tenant')
    }
    const { model, prompts } = scripted(() => [call('read_log', {})])
    const middleware = [deepAgentMiddleware(offloader, { scope })]
    const agent = createDeepAgent({ model, tools: [readLog], middleware })
    const result = await agent.invoke({ messages: 'Go.' })
    expect(result.messages.at(-1)?.text).toBe('done')
    expect(textOf(prompts.at(-1), 'read_log')).toBe(LOG)
  })

  it('rejects invalid arguments before any run', () => {
    const offloader = offloaderOf()
    expect(() => deepAgentMiddleware({} as ContextOffloader)).toThrow('offloader must be a ContextOffloader')
    expect(() => deepAgentMiddleware(offloader, { toolErrors: 'ls' as never })).toThrow('toolErrors must be')
  })
})
