import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { offloadMiddleware } from './offload-middleware.ts'

const LOG = Array.from({ length: 1_500 }, (_, line) => `line ${line}`).join('\n')
const CODE = Array.from({ length: 2_000 }, (_, n) => `def step_${n}(state):\n    return state + ${n}\n\n`).join('')
const text = (): object => ({ type: 'text', value: LOG })
const result = (toolCallId: string, output: object = text(), toolName = 'read'): object => ({
  type: 'tool-result',
  toolCallId,
  toolName,
  output,
})
const call = (toolCallId: string, input: unknown): object => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, toolName: 'read', input }],
})
const answer = (...content: object[]): object => ({ role: 'tool', content })

interface Message {
  readonly content: readonly { readonly output: { readonly type: string; readonly value: string } }[]
}

let storage: InMemoryStorage
let offloader: ContextOffloader
let transform: (prompt: readonly object[], signal?: AbortSignal) => Promise<readonly Message[]>

beforeEach(() => {
  storage = new InMemoryStorage()
  useOffloader(new ContextOffloader({ storage }))
})

function useOffloader(one: ContextOffloader): void {
  offloader = one
  const { transformParams } = offloadMiddleware(offloader)
  transform = async (prompt, abortSignal) => {
    // Parameters of either version, whose differences do not matter here.
    const given = { type: 'generate', model: {}, params: { prompt, abortSignal, temperature: 0.5 } }
    const params = await transformParams?.(given as unknown as Parameters<NonNullable<typeof transformParams>>[0])
    expect(params).toMatchObject({ temperature: 0.5 })
    return params?.prompt as unknown as Message[]
  }
}

describe('offloadMiddleware', () => {
  it('replaces only results and errors in tool messages', async () => {
    const prompt = [
      { role: 'system', content: LOG },
      { role: 'user', content: [{ type: 'text', text: LOG }] },
      { role: 'assistant', content: [{ type: 'text', text: LOG }, result('call_0')] },
      answer(result('call_1'), result('call_2', { type: 'error-text', value: LOG }), {
        type: 'tool-approval-response',
      }),
    ]
    const before = structuredClone(prompt)
    const after = await transform(prompt)
    expect(prompt).toEqual(before)
    for (const index of [0, 1, 2]) expect(after[index]).toBe(prompt[index])
    const replaced = expect.stringMatching(/^\[Offloaded: /)
    expect(after[3]).toEqual(
      answer(
        result('call_1', { type: 'text', value: replaced }),
        result('call_2', { type: 'error-text', value: replaced }),
        { type: 'tool-approval-response' },
      ),
    )
  })

  it('keeps answers of the retrieval tool', async () => {
    const output = text()
    const [message] = await transform([answer(result('call_1', output, RETRIEVAL_TOOL_NAME))])
    expect(message?.content[0]?.output).toBe(output)
  })

  it('ends a turn for each call of the model', async () => {
    let turns = 0
    const endTurn = storage.endTurn.bind(storage)
    storage.endTurn = () => {
      turns += 1
      return endTurn()
    }
    useOffloader(new ContextOffloader({ storage }))
    for (let count = 1; count <= 3; count += 1) {
      await transform([])
      expect(turns).toBe(count)
    }
  })

  it('offloads an output once, and replaces it by the same bytes again', async () => {
    const prompt = [answer(result('call_1'), result('call_2', { type: 'text', value: 'small' }))]
    const first = await transform(prompt)
    const { results } = offloader.meter()
    expect(await transform([...prompt])).toEqual(first)
    expect(offloader.meter().results).toBe(results)
    expect(await transform(structuredClone(prompt))).toEqual(first)
    expect(offloader.meter().results).toBe(results + 2)
  })

  it('gives each call its own reference, even if several share an output', async () => {
    const output = text()
    const [message] = await transform([answer(result('call_1', output), result('call_2', output))])
    const shared = message?.content.map((part) => part.output.value)
    const [apart] = await transform([answer(result('call_1'), result('call_2'))])
    expect(shared).toEqual(apart?.content.map((part) => part.output.value))
    expect(new Set(shared).size).toBe(2)
  })

  it('tries to store a result again if storing failed', async () => {
    const store = storage.store.bind(storage)
    storage.store = () => Promise.reject(new Error('down'))
    const prompt = [answer(result('call_1'))]
    expect(await transform(prompt)).toEqual(prompt)
    storage.store = store
    expect((await transform(prompt))[0]?.content[0]?.output.value).toMatch(/^\[Offloaded: /)
  })

  it('stops storing if the model call is aborted', async () => {
    storage.store = () => new Promise(() => {})
    const prompt = [answer(result('call_1'))]
    const controller = new AbortController()
    const transformed = transform(prompt, controller.signal)
    controller.abort()
    expect(await transformed).toEqual(prompt)
  })

  it('passes the input of the last call with the id to the offloader', async () => {
    const inputs: unknown[] = []
    useOffloader(new ContextOffloader({ storage, shouldOffload: ({ input }) => inputs.push(input) > 0 }))
    await transform([
      call('call_1', { path: 'old' }),
      answer(),
      call('call_1', { path: 'new' }),
      answer(result('call_1')),
    ])
    await transform([answer(result('call_2'))])
    expect(inputs).toEqual([{ path: 'new' }, undefined])
  })

  it('first shows lines that match the text of the model before its calls', async () => {
    const shown = async (...said: object[]): Promise<string> => {
      const toolCall = { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: { path: 'a.py' } }
      const prompt = [
        { role: 'assistant', content: [...said, toolCall] },
        answer(result('call_1', { type: 'text', value: CODE })),
      ]
      return JSON.stringify((await transform(prompt))[1])
    }
    expect(await shown({ type: 'text', text: 'I look at `step_1251`.' })).toContain('return state + 1251')
    expect(await shown()).not.toContain('return state + 1251')
  })

  it('warns once if the model does not get the tool that replacements name', async () => {
    const types: string[] = []
    useOffloader(new ContextOffloader({ storage, onEvent: ({ type }) => void types.push(type) }))
    for (let step = 0; step < 2; step += 1) await transform([answer(result('call_1'))])
    expect(types).toEqual(['offload', 'retrieval-tool-hidden', 'offload'])
  })

  it('rejects a value that is not an offloader', () => {
    expect(() => offloadMiddleware({} as ContextOffloader)).toThrow(/^offloader must be a ContextOffloader/)
  })
})
