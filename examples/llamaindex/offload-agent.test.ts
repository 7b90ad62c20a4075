import type { JSONValue } from '@llamaindex/core/global'
import type { ToolCall } from '@llamaindex/core/llms'
import { createMemory, loadMemory } from '@llamaindex/core/memory'
import { tool } from '@llamaindex/core/tools'
import { agent, agentToolCallResultEvent, multiAgent, type AgentWorkflow } from '@llamaindex/workflow'
import { ContextOffloader, estimateTokens } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { OffloadAgent } from './offload-agent.ts'
import { resultsIn, ScriptedLlm, type Message } from './scripted-llm.ts'

const LOG = Array.from({ length: 1_500 }, (_, line) => `line ${line}: "${line === 1_321 ? 'FAILED' : 'done'}"`).join(
  '\n',
)
const ROWS = Array.from({ length: 600 }, (_, id) => ({ id, name: `user ${id}` }))
const REFERENCE = /^ {2}(call_\w+) \(/m

type Script = ConstructorParameters<typeof ScriptedLlm>[0]

const newOffloader = (): ContextOffloader =>
  new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: 3 }) })
const newSession = (): ContextOffloader => newOffloader().forScope('conversation-1')
const returning = (name: string, output: JSONValue) =>
  tool(async () => output, { name, description: `The tool ${name}.`, parameters: { type: 'object', properties: {} } })
const throwing = (name: string, error: Error) =>
  tool(async (): Promise<string> => Promise.reject(error), { name, description: `The tool ${name}.`, parameters: {} })
const call = (name: string, input: ToolCall['input'] = {}, id = 'call_1'): ToolCall => ({ id, name, input })
const retrieve = (input: ToolCall['input'], id = 'call_2'): ToolCall => call('retrieve_offloaded_content', input, id)
const referenceIn = (text: string | undefined): string => REFERENCE.exec(text ?? '')?.[1] ?? expect.fail(`${text}`)

/** Create a model that takes these steps in order, and records its prompts. */
function steps(...list: readonly ((results: readonly string[]) => ToolCall | ToolCall[])[]) {
  const prompts: (readonly Message[])[] = []
  const script: Script = (messages) => {
    const step = list[prompts.push(structuredClone(messages)) - 1]
    return step === undefined ? 'Done.' : [step(resultsIn(messages))].flat()
  }
  return { llm: new ScriptedLlm(script), prompts, results: () => resultsIn(prompts.at(-1) ?? []) }
}

type Tools = ConstructorParameters<typeof OffloadAgent>[1]['tools']

function workflowOf(session: ContextOffloader, llm: ScriptedLlm, tools: Tools, memory = createMemory()): AgentWorkflow {
  const one = new OffloadAgent(session, { llm, tools })
  return multiAgent({ agents: [one], rootAgent: one, memory })
}

describe('OffloadAgent', () => {
  it('shows a preview of a large text, line by line, and answers retrievals of it', async () => {
    const { llm, results } = steps(
      () => call('read_log'),
      ([shown]) => retrieve({ reference: referenceIn(shown), pattern: 'FAILED', context_lines: 0 }),
    )
    await workflowOf(newSession(), llm, [returning('read_log', LOG)]).run('Go.')
    const [shown = '', answer] = results()
    expect(shown).toMatch(/^\[Offloaded: 1 block.*\n[^]*\nline 0: "done"\n/)
    expect(estimateTokens(shown)).toBeLessThan(1_500)
    expect(answer).toMatch(/^\[1 match\]\n<<< .*\n> 1322\| line 1321: "FAILED"\n>>> .*$/)
  })

  it('shows a preview of large JSON, which can be read by path', async () => {
    const { llm, results } = steps(
      () => call('list_users'),
      ([shown]) => retrieve({ reference: referenceIn(shown), json_path: '$[599].name' }),
    )
    await workflowOf(newSession(), llm, [returning('list_users', ROWS)]).run('Go.')
    const [shown = '', answer] = results()
    expect(shown).toMatch(/^\[Offloaded: 1 block/)
    expect(answer).toContain('"user 599"')
  })

  it('reads JSON that a tool returns as text by path, since LlamaIndex treats a value with null as an error', async () => {
    const rows = ROWS.map(({ id }) => ({ id, name: id === 599 ? 'the last' : null }))
    // The cast is needed because the types of LlamaIndex also forbid null in values.
    const tools = [returning('value', rows as unknown as JSONValue), returning('text', JSON.stringify(rows))]
    const { llm, results } = steps(
      () => [call('value', {}, 'call_0'), call('text')],
      ([, shown]) => retrieve({ reference: referenceIn(shown), json_path: '$[599].name' }),
    )
    await workflowOf(newSession(), llm, tools).run('Go.')
    expect(results()).toEqual([
      'Error: Error: Error(Error): Value is not a valid JSONValue: null',
      expect.stringMatching(/^\[Offloaded: 1 block/),
      expect.stringContaining('"the last"'),
    ])
  })

  it('keeps small results in the form of LlamaIndex', async () => {
    const tools = [returning('a', 'one "line"\nand another'), returning('b', { n: 1, list: ['x'] }), returning('c', '')]
    const twice = () => steps(() => ['a', 'b', 'c'].map((name, index) => call(name, {}, `call_${index}`)))
    const [plain, offloaded] = [twice(), twice()]
    await agent({ llm: plain.llm, tools }).run('Go.')
    await workflowOf(newSession(), offloaded.llm, tools).run('Go.')
    expect(offloaded.prompts).toEqual(plain.prompts)
  })

  it('shows an error of a tool, large or small, as an error', async () => {
    const tools = [
      throwing('build', new TypeError(`${LOG}\nFATAL: no space left`)),
      throwing('test', new Error('no "x"')),
    ]
    const { llm, prompts } = steps(() => [call('build'), call('test', {}, 'call_2')])
    await workflowOf(newSession(), llm, tools).run('Go.')
    const errors = prompts.at(-1)?.slice(-2) ?? []
    expect(errors).toMatchObject([
      {
        content: expect.stringMatching(/^\[Offloaded: 1 block[^]*FATAL: no space left/),
        options: { toolResult: { isError: true } },
      },
      { content: 'Error: Error: Error(Error): no "x"', options: { toolResult: { isError: true } } },
    ])
  })

  it('replaces a long text in a field, and long texts of an MCP server', async () => {
    const tools = [
      returning('run', { exitCode: 1, stdout: LOG }),
      returning('mcp', {
        content: [
          { type: 'text', text: LOG },
          { type: 'text', text: 'the small text' },
        ],
      }),
    ]
    const { llm, results } = steps(
      () => [call('run'), call('mcp', {}, 'call_2')],
      (shown) =>
        shown.map((text, index) => retrieve({ reference: referenceIn(text), pattern: 'FAILED' }, `call_${index + 3}`)),
    )
    await workflowOf(newSession(), llm, tools).run('Go.')
    const [run, mcp, ...answers] = results()
    expect(run).toMatch(/^exitCode: 1\nstdout: \[Offloaded/)
    expect(mcp).toMatch(/^\[Offloaded[^]*\nthe small text$/)
    for (const answer of answers) expect(answer).toContain('> 1322| line 1321: "FAILED"')
  })

  it('counts an image of an MCP server as Base64 text, which the model would get', async () => {
    const data = Buffer.alloc(90_000, 'image').toString('base64')
    const image = { type: 'image', mimeType: 'image/png', data }
    const { llm, results } = steps(() => call('draw'))
    await workflowOf(newSession(), llm, [returning('draw', { content: [image] })]).run('Go.')
    expect(results()[0]).toMatch(/^\[Offloaded: 1 block/)
    expect(results()[0]?.length).toBeLessThan(10_000)
  })

  it('gives the program the original results', async () => {
    const { llm } = steps(() => call('read_log'))
    const outputs: unknown[] = []
    for await (const event of workflowOf(newSession(), llm, [returning('read_log', LOG)]).runStream('Go.'))
      if (agentToolCallResultEvent.include(event)) outputs.push(event.data.raw)
    expect(outputs).toEqual([LOG])
  })

  it('isolates two conversations, and marks a refused retrieval as an error', async () => {
    const offloader = newOffloader()
    const first = steps(() => call('read_log'))
    await workflowOf(offloader.forScope('conversation-1'), first.llm, [returning('read_log', LOG)]).run('Go.')
    const stolen = { reference: referenceIn(first.results()[0]) }
    const second = steps(() => [retrieve(stolen, 'call_1'), retrieve({ pattern: 'FAILED' })])
    await workflowOf(offloader.forScope('conversation-2'), second.llm, []).run('Go.')
    expect(second.results()).toEqual([
      expect.stringContaining('Nothing is stored under'),
      expect.stringContaining('0 matches in 0 of 0 stored results'),
    ])
    expect(second.prompts.at(-1)?.at(-2)).toMatchObject({ options: { toolResult: { isError: true } } })
  })

  it('ends a turn with each model call, so that unused content is evicted', async () => {
    const retrieveIt = ([shown]: readonly string[]) => retrieve({ reference: referenceIn(shown), pattern: 'FAILED' })
    const wait = (turns: number) => Array.from({ length: turns }, (_, turn) => () => call('wait', {}, `wait_${turn}`))
    const tools = [returning('read_log', LOG), returning('wait', 'ok')]
    const [soon, late] = [2, 4].map((turns) => steps(() => call('read_log'), ...wait(turns), retrieveIt))
    for (const run of [soon, late]) await workflowOf(newSession(), run?.llm ?? expect.fail(), tools).run('Go.')
    expect(soon?.results().at(-1)).toContain('> 1322| line 1321')
    expect(late?.results().at(-1)).toContain('had not been used for many turns')
  })

  it('continues from a snapshot of the memory with the same storage', async () => {
    const offloader = newOffloader()
    const memory = createMemory()
    const first = steps(() => call('read_log'))
    await workflowOf(offloader.forScope('conversation-1'), first.llm, [returning('read_log', LOG)], memory).run('Go.')
    const second = steps(([shown]) => retrieve({ reference: referenceIn(shown), pattern: 'FAILED' }))
    const loaded = loadMemory(memory.snapshot())
    await workflowOf(offloader.forScope('conversation-1'), second.llm, [], loaded).run('Go on.')
    expect(second.results()).toEqual([first.results()[0], expect.stringContaining('> 1322| line 1321')])
  })

  it('lets an agent read content of the agent that handed over to it', async () => {
    const { llm, results } = steps(
      () => call('read_log'),
      () => call('handOff', { toAgent: 'reader', reason: 'It reads.' }, 'call_2'),
      ([shown]) => retrieve({ reference: referenceIn(shown), pattern: 'FAILED', context_lines: 0 }, 'call_3'),
    )
    const session = newSession()
    const tools = [returning('read_log', LOG)]
    const reader = new OffloadAgent(session, { name: 'reader', llm })
    const finder = new OffloadAgent(session, { name: 'finder', llm, tools, canHandoffTo: [reader] })
    await multiAgent({ agents: [finder, reader], rootAgent: finder }).run('Go.')
    expect(results().at(-1)).toContain('> 1322| line 1321')
    expect(tools, 'the array of the program').toHaveLength(1)
  })

  it('offers no retrieval tool if the offloader has none', async () => {
    const guide = { instructions: () => ['Ask for it.'], formatCall: () => 'Ask for it.' }
    const options = { storage: new InMemoryStorage(), includeRetrievalTool: false, guide }
    const { tools } = new OffloadAgent(new ContextOffloader(options), { llm: steps().llm })
    expect(tools).toEqual([])
  })
})
