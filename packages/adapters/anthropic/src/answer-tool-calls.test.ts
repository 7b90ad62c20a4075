import { setImmediate as settle } from 'node:timers/promises'
import Anthropic from '@anthropic-ai/sdk'
import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { answerToolCalls } from './answer-tool-calls.ts'

const LOG = `${'a line of a log\n'.repeat(5_000)}the last line`
const CODE = Array.from({ length: 2_000 }, (_, n) => `def step_${n}(state):\n    return state + ${n}\n\n`).join('')
const REPLACED = expect.stringMatching(/^\[Offloaded: /)

let storage: InMemoryStorage
let offloader: ContextOffloader
let turns: number

beforeEach(() => {
  turns = 0
  storage = new InMemoryStorage()
  const endTurn = storage.endTurn.bind(storage)
  storage.endTurn = () => {
    turns += 1
    return endTurn()
  }
  offloader = new ContextOffloader({ storage })
})

const toolUse = (id: string, name = 'read', more: object = {}): object => ({
  type: 'tool_use',
  id,
  name,
  input: {},
  ...more,
})
const result = (id: string, content: unknown, more: object = {}): object => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
})

/** A response with only the fields that are read. */
const response = (content: object[], stop_reason = 'tool_use'): Anthropic.Message =>
  ({ content, stop_reason }) as unknown as Anthropic.Message

describe('answerToolCalls', () => {
  it('runs all calls in parallel, keeps their order, and replaces large results', async () => {
    const calls = response([{ type: 'text', text: 'I look.' }, toolUse('a'), toolUse('b'), toolUse('c')])
    const { promise: allRun, resolve } = Promise.withResolvers<void>()
    let running = 0
    const results = await answerToolCalls(calls, offloader, async ({ id }) => {
      if ((running += 1) === 3) resolve()
      await allRun
      // The first call ends last.
      if (id === 'a') await settle()
      return id === 'b' ? LOG : [{ type: 'text', text: id }]
    })
    expect(results).toEqual({
      role: 'user',
      content: [
        result('a', [{ type: 'text', text: 'a' }]),
        result('b', REPLACED),
        result('c', [{ type: 'text', text: 'c' }]),
      ],
    })
  })

  it('answers retrievals itself, and marks failed retrievals as errors', async () => {
    const read = await answerToolCalls(response([toolUse('a')]), offloader, () => LOG)
    const [, reference] = /^ {2}(\w+) \(/m.exec(JSON.parse(JSON.stringify(read?.content[0]?.content)) as string) ?? []
    const calls = response([
      toolUse('b', RETRIEVAL_TOOL_NAME, { input: { reference, pattern: 'last', context_lines: 0 } }),
      toolUse('c', RETRIEVAL_TOOL_NAME, { input: { reference: 'made_up' } }),
    ])
    const results = await answerToolCalls(calls, offloader, () => expect.fail('It is no tool of the program.'))
    expect(results?.content).toEqual([
      result(
        'b',
        `[1 match]\n<<< ${reference?.slice(-8)}: untrusted content\n> 5001| the last line\n>>> end of ${reference?.slice(-8)}`,
      ),
      result('c', expect.stringMatching(/^Error: /), { is_error: true }),
    ])
  })

  it('leaves retrievals to the program if the offloader has no retrieval tool', async () => {
    const options = { storage: new FileStorage('.'), includeRetrievalTool: false }
    const calls = response([toolUse('a', RETRIEVAL_TOOL_NAME)])
    const results = await answerToolCalls(calls, new ContextOffloader(options), () => 'mine')
    expect(results?.content).toEqual([result('a', 'mine')])
  })

  it.each([
    ['an error', new Error('no'), 'Error: no'],
    [
      'a tool error',
      new Anthropic.Beta.Messages.ToolError([{ type: 'text', text: 'no' }]),
      [{ type: 'text', text: 'no' }],
    ],
    ['a huge error', new RangeError(LOG), expect.stringMatching(/^Error: \[Offloaded: [^]*the last line/)],
    ['a huge tool error', new Anthropic.Beta.Messages.ToolError(LOG), REPLACED],
  ])('makes an error result of %s, thrown or as a rejection', async (_name, error, content) => {
    const calls = response([toolUse('a'), toolUse('b')])
    const results = await answerToolCalls(calls, offloader, ({ id }) => {
      if (id === 'a') throw error
      return Promise.reject(error)
    })
    expect(results?.content).toEqual(['a', 'b'].map((id) => result(id, content, { is_error: true })))
  })

  it('names the toolset of a call in its result, even in an error', async () => {
    const calls = response([
      toolUse('a', 'click', { toolset_name: 'browser' }),
      toolUse('b', 'type', { toolset_name: 'browser' }),
    ])
    const results = await answerToolCalls(calls, offloader, ({ name }) => {
      if (name === 'type') throw new Error('no')
      return 'Clicked.'
    })
    expect(results?.content).toEqual([
      result('a', 'Clicked.', { toolset_name: 'browser' }),
      result('b', 'Error: no', { toolset_name: 'browser', is_error: true }),
    ])
  })

  it.each(['end_turn', 'max_tokens', 'pause_turn', 'refusal', null])(
    'runs no tool if the response stopped with %s, but ends a turn',
    async (reason) => {
      const calls = response([toolUse('a')], reason as string)
      expect(await answerToolCalls(calls, offloader, () => expect.fail('It was cut off.'))).toBeUndefined()
      expect(turns).toBe(1)
    },
  )

  it('ends one turn per response with any number of calls', async () => {
    await answerToolCalls(response([toolUse('a'), toolUse('b')]), offloader, () => 'small')
    expect(turns).toBe(1)
  })

  it('stops storing and retrieving if the signal aborts', async () => {
    const controller = new AbortController()
    storage.store = () => {
      setImmediate(() => controller.abort())
      return new Promise(() => {})
    }
    const { signal } = controller
    const results = await answerToolCalls(response([toolUse('a')]), offloader, () => LOG, { signal })
    expect(results?.content).toEqual([result('a', LOG)])
    const retrieval = response([toolUse('b', RETRIEVAL_TOOL_NAME, { input: { reference: 'made_up' } })])
    const aborted = await answerToolCalls(retrieval, offloader, () => '', { signal })
    expect(aborted?.content).toMatchObject([{ is_error: true }])
  })

  it('first shows lines that match the text of the model before its calls', async () => {
    const calls = [{ type: 'text', text: 'I look at `step_1251`.' }, toolUse('a', 'read', { input: { path: 'a.py' } })]
    const shown = async (content: object[]): Promise<string> =>
      JSON.stringify(await answerToolCalls(response(content), offloader, () => CODE))
    expect(await shown(calls)).toContain('return state + 1251')
    expect(await shown(calls.slice(1))).not.toContain('return state + 1251')
  })

  it('rejects invalid arguments, and does not end a turn', async () => {
    const calls = response([])
    for (const none of [undefined, null, {}, Promise.resolve(calls), { stop_reason: 'tool_use' }])
      await expect(answerToolCalls(none as never, offloader, () => '')).rejects.toThrow(
        /^response must be a message: await it, or for a stream/,
      )
    await expect(answerToolCalls(calls, {} as ContextOffloader, () => '')).rejects.toThrow(/^offloader must be/)
    await expect(answerToolCalls(calls, offloader, {} as never)).rejects.toThrow(
      new TypeError('run must be a function that gets a tool call, got object.'),
    )
    expect(turns).toBe(0)
  })
})
