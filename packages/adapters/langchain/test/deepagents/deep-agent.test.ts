import type { ModelTurn, SeenPrompt, ToolCall } from '@spillway-internal/adapter-suite'
import { ContextOffloader, type ContextOffloaderOptions } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { CompositeBackend, createDeepAgent, GENERAL_PURPOSE_SUBAGENT, StateBackend } from 'deepagents'
import { MemorySaver } from '@langchain/langgraph'
import { tool } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { deepAgentBackend, deepAgentMiddleware } from '../../src/deepagents/index.ts'
import { FakeChatModel } from '../fake-chat-model.ts'
import { isNewest } from './version.ts'

const RESULTS = '/large_tool_results/'
const LOG = Array.from({ length: 4_000 }, (_, line) => `line ${line}: ${line === 3_210 ? 'FAILED' : 'ok'}`).join('\n')
const readLog = tool(() => LOG, { name: 'read_log', description: 'Read the log.', schema: z.object({}) })

function offloaderOf(options: Partial<ContextOffloaderOptions> = {}): ContextOffloader {
  return new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }), ...options })
}

const call = (name: string, input: object, id: string = name): ToolCall => ({ id, name, input })
const textOf = (prompt: SeenPrompt | undefined, toolCallId: string): string =>
  prompt?.results
    .find((result) => result.toolCallId === toolCallId)
    ?.content.map((block) => (block.type === 'text' ? block.text : ''))
    .join('') ?? ''

/** Make a model that calls the tools of each step in turn, and then ends. The model records its prompts. */
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

describe('deepAgentMiddleware and deepAgentBackend', () => {
  it('let the file tools and the retrieval tool read offloaded content', async () => {
    const offloader = offloaderOf()
    const { model, prompts } = scripted(
      () => [call('read_log', {})],
      (prompt) => {
        const reference = referenceIn(textOf(prompt, 'read_log'))
        const path = `${RESULTS}${reference}.txt`
        return [
          call('read_file', { file_path: path, offset: 3_209, limit: 3 }),
          call('grep', { pattern: 'FAILED', path: RESULTS }),
          call('ls', { path: RESULTS }),
          call('glob', { pattern: '**/*.txt' }),
          call('retrieve_offloaded_content', { reference, pattern: 'FAILED', context_lines: 0 }),
        ]
      },
    )
    const agent = createDeepAgent({
      model,
      tools: [readLog],
      middleware: [deepAgentMiddleware(offloader)],
      backend: deepAgentBackend(offloader),
    })
    await agent.invoke({ messages: 'Go.' }, thread('a'))
    const last = prompts.at(-1)
    expect(textOf(last, 'read_log')).toMatch(/^\[Offloaded: 1 block/)
    const path = `${RESULTS}${referenceIn(textOf(last, 'read_log'))}.txt`
    expect(textOf(last, 'read_file')).toContain('line 3210: FAILED')
    expect(textOf(last, 'read_file')).not.toContain('line 3212')
    expect(textOf(last, 'grep').trim()).toBe(`${path}:\n  3211: line 3210: FAILED`)
    expect(textOf(last, 'ls')).toBe(`${path} (${LOG.length} bytes)`)
    expect(textOf(last, 'glob')).toBe(path)
    expect(textOf(last, 'retrieve_offloaded_content')).toContain('> 3211| line 3210: FAILED')
  })

  it('keep files that the agent writes for its thread, in later runs too, and hide them from other threads', async () => {
    const offloader = offloaderOf()
    const agentOf = (model: FakeChatModel): ReturnType<typeof createDeepAgent> =>
      createDeepAgent({
        model,
        tools: [],
        middleware: [deepAgentMiddleware(offloader)],
        backend: deepAgentBackend(offloader),
        checkpointer: new MemorySaver(),
      })
    const first = scripted(
      () => [call('write_file', { file_path: '/notes/plan.md', content: 'one\ntwo\n' })],
      () => [call('edit_file', { file_path: '/notes/plan.md', old_string: 'two', new_string: 'three' })],
      () => [call('edit_file', { file_path: '/notes/plan.md', old_string: 'four', new_string: 'five' }, 'missing')],
    )
    await agentOf(first.model).invoke({ messages: 'Go.' }, thread('a'))
    expect(textOf(first.prompts.at(-1), 'write_file')).toBe("Successfully wrote to '/notes/plan.md'")
    expect(textOf(first.prompts.at(-1), 'edit_file')).toBe("Successfully replaced 1 occurrence(s) in '/notes/plan.md'")
    expect(textOf(first.prompts.at(-1), 'missing')).toBe("Error: String not found in file: 'four'")

    const read = (): readonly ToolCall[] => [call('read_file', { file_path: '/notes/plan.md' })]
    const [again, elsewhere] = [scripted(read), scripted(read)]
    await agentOf(again.model).invoke({ messages: 'Go.' }, thread('a'))
    await agentOf(elsewhere.model).invoke({ messages: 'Go.' }, thread('b'))
    expect(textOf(again.prompts.at(-1), 'read_file')).toMatch(/one\n.*three/)
    expect(textOf(elsewhere.prompts.at(-1), 'read_file')).toBe("Error: File '/notes/plan.md' not found")
  })

  it('leave the answers of the file tools unchanged at any size', async () => {
    const offloader = offloaderOf({ maxResultTokens: 200 })
    const { model, prompts } = scripted(
      () => [call('write_file', { file_path: '/log.txt', content: LOG })],
      () => [call('read_file', { file_path: '/log.txt', limit: 500 }), call('grep', { pattern: 'ok' })],
    )
    const middleware = [deepAgentMiddleware(offloader)]
    await createDeepAgent({ model, middleware, backend: deepAgentBackend(offloader) }).invoke({ messages: 'Go.' })
    expect(textOf(prompts.at(-1), 'read_file')).toContain('line 499: ok')
    expect(textOf(prompts.at(-1), 'grep')).toContain('line 900: ok')
  })

  it('replace results before deepagents measures them, so that deepagents writes no file', async () => {
    const offloader = offloaderOf()
    const large = tool(() => LOG.repeat(10), { name: 'read_all', description: 'Read all.', schema: z.object({}) })
    const { model, prompts } = scripted(
      () => [call('read_all', {})],
      () => [call('glob', { pattern: '**' })],
    )
    const middleware = [deepAgentMiddleware(offloader)]
    const backend = deepAgentBackend(offloader)
    await createDeepAgent({ model, tools: [large], middleware, backend }).invoke({ messages: 'Go.' }, thread('a'))
    const replaced = textOf(prompts.at(-1), 'read_all')
    expect(replaced).toMatch(/^\[Offloaded: 1 block/)
    expect(textOf(prompts.at(-1), 'glob')).toBe(`${RESULTS}${referenceIn(replaced)}.txt`)
  })

  it('work in subagents that have the middleware, in the scope of the thread', async () => {
    const offloader = offloaderOf()
    const middleware = [deepAgentMiddleware(offloader)]
    const input = { description: 'Read the log.', subagent_type: 'general-purpose' }
    for (const given of [false, true]) {
      const { model, prompts } = scripted(
        () => [call('task', input)],
        () => [call('read_log', {})],
      )
      const subagent = { ...GENERAL_PURPOSE_SUBAGENT, tools: [readLog], ...(given ? { middleware } : {}) }
      const subagents = [subagent]
      const agent = createDeepAgent({
        model,
        tools: [readLog],
        middleware,
        subagents,
        backend: deepAgentBackend(offloader),
      })
      await agent.invoke({ messages: 'Go.' }, thread(`given-${given}`))
      const seen = textOf(prompts[2], 'read_log')
      if (given) expect(seen).toMatch(/^\[Offloaded: 1 block/)
      else expect(seen).toBe(LOG)
      const { files } = await deepAgentBackend(offloader, { scope: () => [`given-${given}`] }).ls(RESULTS)
      expect(files?.map(({ path }) => path)).toEqual(given ? [`${RESULTS}${referenceIn(seen)}.txt`] : [])
    }
  })

  it("serve the agent's memory from the scope of its thread", async () => {
    const offloader = offloaderOf()
    await deepAgentBackend(offloader, { scope: () => ['a'] }).write('/AGENTS.md', 'Always answer in verse.')
    const { model, prompts } = scripted()
    const middleware = [deepAgentMiddleware(offloader)]
    const agent = createDeepAgent({ model, middleware, memory: ['/AGENTS.md'], backend: deepAgentBackend(offloader) })
    for (const id of ['a', 'b']) await agent.invoke({ messages: 'Go.' }, thread(id))
    expect(prompts.map(({ system }) => system?.includes('Always answer in verse.'))).toEqual([true, false])
  })

  it('can be mounted next to other file systems', async () => {
    const offloader = offloaderOf()
    const results = deepAgentBackend(offloader, { resultFolder: '/' })
    const { model, prompts } = scripted(
      () => [call('read_log', {}), call('write_file', { file_path: '/notes.md', content: 'mine' })],
      () => [call('grep', { pattern: 'FAILED', path: RESULTS }), call('ls', { path: '/' })],
    )
    const { files } = await createDeepAgent({
      model,
      tools: [readLog],
      middleware: [deepAgentMiddleware(offloader)],
      backend: new CompositeBackend(new StateBackend(), { [RESULTS]: results }),
    }).invoke({ messages: 'Go.' }, thread('a'))
    expect(Object.keys(files ?? {})).toEqual(['/notes.md'])
    const path = `${RESULTS}${referenceIn(textOf(prompts.at(-1), 'read_log'))}.txt`
    expect(textOf(prompts.at(-1), 'grep').trim()).toBe(`${path}:\n  3211: line 3210: FAILED`)
    expect(textOf(prompts.at(-1), 'ls')).toContain(`${RESULTS} (directory)`)
  })

  it('report an invalid scope of a run, and continue', async () => {
    const offloader = offloaderOf()
    const scope = (): never => {
      throw new Error('no tenant')
    }
    const { model, prompts } = scripted(() => [call('read_log', {}), call('ls', { path: '/' })])
    const middleware = [deepAgentMiddleware(offloader, { scope })]
    const backend = deepAgentBackend(offloader, { scope })
    const result = await createDeepAgent({ model, tools: [readLog], middleware, backend }).invoke({ messages: 'Go.' })
    expect(result.messages.at(-1)?.text).toBe('done')
    expect(textOf(prompts.at(-1), 'read_log')).toBe(LOG)
    const error = 'Error: The option scope failed for this run. Correct the function.'
    expect(textOf(prompts.at(-1), 'ls')).toContain(error)
    expect(await backend.ls('/')).toEqual({ error })
  })

  it.runIf(isNewest)('let the agent delete its own files, but no results', async () => {
    const offloader = offloaderOf()
    const { model, prompts } = scripted(
      () => [call('read_log', {}), call('write_file', { file_path: '/notes.md', content: 'mine' })],
      () => [call('delete', { file_path: '/notes.md' }), call('delete', { file_path: RESULTS }, 'results')],
      () => [call('glob', { pattern: '**' })],
    )
    const middleware = [deepAgentMiddleware(offloader)]
    const backend = deepAgentBackend(offloader)
    await createDeepAgent({ model, tools: [readLog], middleware, backend }).invoke({ messages: 'Go.' })
    expect(textOf(prompts.at(-1), 'delete')).toBe('Deleted /notes.md')
    expect(textOf(prompts.at(-1), 'results')).toContain('is the result of a tool and cannot be changed')
    expect(textOf(prompts.at(-1), 'glob')).toMatch(/^\/large_tool_results\/\w+\.txt$/)
  })

  it('reject invalid arguments before any run', () => {
    const offloader = offloaderOf()
    expect(() => deepAgentBackend({} as ContextOffloader)).toThrow('offloader must be a ContextOffloader')
    expect(() => deepAgentBackend(offloader, { scope: 'a' as never })).toThrow('scope must be a function')
    expect(() => deepAgentMiddleware(offloader, { toolErrors: 'ls' as never })).toThrow('toolErrors must be')
    const { store, retrieve, scope } = new InMemoryStorage()
    const listless = new ContextOffloader({ storage: { store, retrieve, scope } })
    expect(() => deepAgentBackend(listless)).toThrow('storage must have the methods store(), retrieve() and list()')
  })
})
