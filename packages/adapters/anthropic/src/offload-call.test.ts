import { createRequire } from 'node:module'
import Anthropic from '@anthropic-ai/sdk'
import { ContextOffloader, type OffloadEvent } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { contentOfThrown, offloadCall } from './offload-call.ts'

const { ToolError } = Anthropic.Beta.Messages
const HUGE = 'the build went on\n'.repeat(5_000)
const REPLACED = /^\[Offloaded: /
const CALL = { id: 'call_1', name: 'build', input: {} }

class BuildError extends Error {
  readonly code = 'EBUILD'
}

let storage: InMemoryStorage
let offloader: ContextOffloader
let events: OffloadEvent[]

beforeEach(() => {
  storage = new InMemoryStorage()
  events = []
  offloader = new ContextOffloader({ storage, onEvent: (event) => void events.push(event) })
})

const run = (work: () => unknown, call: object = CALL, signal?: AbortSignal): Promise<unknown> =>
  offloadCall(offloader, { ...CALL, ...call }, signal, work)

const thrownBy = async (error: unknown, call?: object): Promise<unknown> => {
  const failing = (): never => {
    throw error
  }
  try {
    await run(failing, call)
  } catch (thrown) {
    return thrown
  }
  throw new Error('It did not throw.')
}

describe('offloadCall', () => {
  it('returns small content as it is and large content replaced, returned at once or by a promise', async () => {
    const parts = [{ type: 'text', text: 'small' }]
    expect(await run(() => parts)).toBe(parts)
    expect(await run(async () => parts)).toBe(parts)
    expect(await run(() => HUGE)).toMatch(REPLACED)
    expect(await run(async () => HUGE)).toMatch(REPLACED)
  })

  it.each([new BuildError('small'), new ToolError('small'), 'small', { code: 1 }, null, undefined])(
    'throws the small %o as it is',
    async (error) => {
      expect(await thrownBy(error)).toBe(error)
    },
  )

  it('throws a huge error replaced by one of its class', async () => {
    const error = new BuildError(HUGE)
    const thrown = await thrownBy(error)
    expect(thrown).toBeInstanceOf(BuildError)
    expect(thrown).toMatchObject({ code: 'EBUILD', cause: error, message: expect.stringMatching(REPLACED) })
    expect(contentOfThrown(thrown)).toMatch(/^Error: \[Offloaded: /)
  })

  it('replaces the content of a tool error, text or parts, with its last line kept', async () => {
    const huge = `${HUGE}FATAL: no space left`
    for (const [content, shown] of [
      [huge, expect.stringMatching(REPLACED)],
      [[{ type: 'text', text: huge }], [{ type: 'text', text: expect.stringMatching(REPLACED) }]],
    ] as const) {
      const error = new ToolError(content as ConstructorParameters<typeof ToolError>[0])
      const thrown = await thrownBy(error)
      expect(thrown).toBeInstanceOf(ToolError)
      expect(thrown).toMatchObject({ content: shown, cause: error })
      expect(contentOfThrown(thrown)).toEqual(shown)
      expect(JSON.stringify(contentOfThrown(thrown))).toContain('FATAL: no space left')
    }
  })

  it('replaces the content of a tool error of a program that has loaded the SDK as CommonJS', async () => {
    const required = createRequire(import.meta.url)('@anthropic-ai/sdk') as { readonly default: typeof Anthropic }
    const Other = required.default.Beta.Messages.ToolError
    expect(Other).not.toBe(ToolError)
    const small = new Other('small')
    expect(await thrownBy(small)).toBe(small)
    const thrown = await thrownBy(new Other(HUGE))
    expect(contentOfThrown(thrown)).toMatch(REPLACED)
    // The runner of that copy knows no more of it than the message.
    expect((thrown as Error).message).toMatch(REPLACED)
  })

  it('takes an error that only has the name for any other error', async () => {
    const error = Object.assign(new Error(HUGE), { name: 'ToolError' })
    expect(contentOfThrown(await thrownBy(error))).toMatch(/^Error: \[Offloaded: /)
    const small = Object.assign(new Error('no'), { name: 'ToolError', content: 7 })
    expect(await thrownBy(small)).toBe(small)
    expect(contentOfThrown(small)).toBe('Error: no')
  })

  it('leaves what answers code in the sandbox of the provider, and not the model', async () => {
    const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' }
    expect(await run(() => HUGE, { caller })).toBe(HUGE)
    const error = new ToolError(HUGE)
    expect(await thrownBy(error, { caller })).toBe(error)
    expect(await run(() => HUGE, { caller: { type: 'direct' } })).toMatch(REPLACED)
    expect(events.map(({ type }) => type)).toEqual(['offload'])
  })

  it('tells the offloader what was called, and whether it failed', async () => {
    const told: unknown[] = []
    const shouldOffload = (request: object): boolean => told.push(request) > 0
    offloader = new ContextOffloader({ storage, shouldOffload })
    const call = { id: 'call_7', name: 'read', input: { path: 'a' } }
    await run(() => HUGE, call)
    await thrownBy(new ToolError(HUGE), call)
    await thrownBy(new Error(HUGE), call)
    const expected = { toolName: 'read', toolCallId: 'call_7', input: { path: 'a' } }
    expect(told).toMatchObject([false, true, true].map((isError) => ({ ...expected, isError })))
  })

  it('stops storing where the call is aborted, and leaves the original', async () => {
    const controller = new AbortController()
    storage.store = () => {
      setImmediate(() => controller.abort())
      return new Promise(() => {})
    }
    expect(await run(() => HUGE, {}, controller.signal)).toBe(HUGE)
  })

  it('leaves a result as it is where storing fails', async () => {
    storage.store = () => Promise.reject(new Error('down'))
    expect(await run(() => HUGE)).toBe(HUGE)
    const error = new ToolError(HUGE)
    expect(await thrownBy(error)).toBe(error)
    expect(events.map(({ type }) => type)).toEqual(['offload-failed', 'offload-failed'])
  })
})

describe('contentOfThrown', () => {
  it.each([
    [new Error('no'), 'Error: no'],
    [new BuildError(''), 'Error: '],
    ['no', 'Error: no'],
    [undefined, 'Error: undefined'],
    [{ code: 1 }, 'Error: [object Object]'],
    [new ToolError('no'), 'no'],
  ])('writes %o as the tool runner does', (thrown, content) => {
    expect(contentOfThrown(thrown)).toBe(content)
  })
})
