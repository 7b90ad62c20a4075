import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { wrapTool, type AnyTool } from './wrap-tool.ts'

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')
const REPLACED = { type: 'text', value: expect.stringMatching(/^\[Offloaded: /) }

function wrap(
  tool: AnyTool,
  storage = new InMemoryStorage(),
): { tool: Required<AnyTool>; offloader: ContextOffloader } {
  const offloader = new ContextOffloader({ storage })
  return { tool: wrapTool('read', tool, offloader) as Required<AnyTool>, offloader }
}

/** A storage that never ends to store, and a promise of the first attempt. */
function hanging(): { readonly storage: InMemoryStorage; readonly storing: Promise<void> } {
  const storage = new InMemoryStorage()
  const { promise, resolve } = Promise.withResolvers<void>()
  storage.store = () => {
    resolve()
    return new Promise(() => {})
  }
  return { storage, storing: promise }
}

describe('wrapTool', () => {
  it('offloads an output once, though the SDK asks for it again', async () => {
    let mapped = 0
    const toModelOutput = ({ output }: { output: unknown }): object => {
      mapped += 1
      return { type: 'text', value: output }
    }
    const { tool, offloader } = wrap({ execute: () => LOG, toModelOutput })
    const input = {}
    const output = tool.execute(input, { toolCallId: 'call_1' })
    const shown = await tool.toModelOutput({ toolCallId: 'call_1', input, output })
    expect(shown).toEqual(REPLACED)
    expect(await tool.toModelOutput({ toolCallId: 'call_1', input, output })).toBe(shown)
    expect([mapped, offloader.meter().results]).toEqual([1, 1])
  })

  it('looks again at another output, another call and another input', async () => {
    const { tool, offloader } = wrap({ execute: () => LOG })
    const input = {}
    tool.execute(input, { toolCallId: 'call_1' })
    await tool.toModelOutput({ toolCallId: 'call_1', input, output: LOG })
    expect(await tool.toModelOutput({ toolCallId: 'call_1', input, output: 'other' })).toEqual({
      type: 'text',
      value: 'other',
    })
    const ofAnother = await tool.toModelOutput({ toolCallId: 'call_2', input, output: LOG })
    expect(JSON.stringify(ofAnother)).toContain('call_2')
    await tool.toModelOutput({ toolCallId: 'call_1', input: {}, output: LOG })
    expect(offloader.meter().results).toBe(4)
  })

  it.each([undefined, null, 'text', 7])('takes the input %j', async (input) => {
    const { tool } = wrap({ execute: () => LOG })
    expect(tool.execute(input, { toolCallId: 'call_1' })).toBe(LOG)
    expect(await tool.toModelOutput({ toolCallId: 'call_1', input, output: LOG })).toEqual(REPLACED)
  })

  it('stops storing where the call is aborted, and shows the original', async () => {
    const { storage, storing } = hanging()
    const { tool } = wrap({ execute: () => LOG }, storage)
    const [input, controller] = [{}, new AbortController()]
    const output = tool.execute(input, { toolCallId: 'call_1', abortSignal: controller.signal })
    const shown = tool.toModelOutput({ toolCallId: 'call_1', input, output })
    await storing
    controller.abort()
    expect(await shown).toEqual({ type: 'text', value: LOG })
  })

  it('stores what came in time, though the time of its tool is over while others run', async () => {
    const { tool } = wrap({ execute: () => LOG })
    const [input, controller] = [{}, new AbortController()]
    const output = tool.execute(input, { toolCallId: 'call_1', abortSignal: controller.signal })
    controller.abort(new DOMException('too late', 'TimeoutError'))
    expect(await tool.toModelOutput({ toolCallId: 'call_1', input, output })).toEqual(REPLACED)
  })

  it('fails as the function of the tool does', async () => {
    const error = new Error('no')
    const { tool } = wrap({
      toModelOutput: () => {
        throw error
      },
    })
    await expect(tool.toModelOutput({ toolCallId: 'call_1', input: {}, output: LOG })).rejects.toBe(error)
  })

  it('gives a tool without execute none', () => {
    expect('execute' in wrap({}).tool).toBe(false)
  })
})
