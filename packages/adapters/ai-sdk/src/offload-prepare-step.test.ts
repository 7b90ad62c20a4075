import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { generateText, jsonSchema, streamText, tool, ToolLoopAgent } from 'ai'
import { describe, expect, it } from 'vitest'
import { fakeModel } from '../test/fake-model.ts'
import { offloadPrepareStep } from './offload-prepare-step.ts'

function counting(): { readonly offloader: ContextOffloader; readonly turns: () => number } {
  const storage = new InMemoryStorage()
  let turns = 0
  const endTurn = storage.endTurn.bind(storage)
  storage.endTurn = () => {
    turns += 1
    return endTurn()
  }
  return { offloader: new ContextOffloader({ storage }), turns: () => turns }
}

const ping = tool({ inputSchema: jsonSchema<object>({ type: 'object' }), execute: async () => 'pong' })
const stopWhen = ({ steps }: { steps: readonly unknown[] }): boolean => steps.length === 5

/** A model that calls `ping` twice and then says `done`. */
const pinging = (): ReturnType<typeof fakeModel> => {
  let calls = 0
  return fakeModel(() =>
    (calls += 1) > 2 ? { text: 'done' } : { toolCalls: [{ id: `call_${calls}`, name: 'ping', input: {} }] },
  )
}

describe('offloadPrepareStep', () => {
  it.each([
    ['generateText', async (settings: Parameters<typeof generateText>[0]) => (await generateText(settings)).text],
    ['streamText', async (settings: Parameters<typeof generateText>[0]) => streamText(settings).text],
    [
      'ToolLoopAgent',
      async ({ model, tools, prepareStep, prompt }: Parameters<typeof generateText>[0]) => {
        const agent = new ToolLoopAgent({ model, tools: tools ?? {}, stopWhen, ...(prepareStep && { prepareStep }) })
        return (await agent.generate({ prompt: prompt as string })).text
      },
    ],
  ])('ends a turn before each of the model calls of %s', async (_name, run) => {
    const { offloader, turns } = counting()
    const prepareStep = offloadPrepareStep(offloader)
    expect(await run({ model: pinging(), tools: { ping }, stopWhen, prompt: 'Go.', prepareStep })).toBe('done')
    expect(turns()).toBe(3)
  })

  it('ends the turn first, then calls the function with the same options, and returns its result', async () => {
    const { offloader, turns } = counting()
    const options = { stepNumber: 0 }
    const result = { toolChoice: 'none' as const }
    const prepareStep = offloadPrepareStep(offloader, (given: { stepNumber: number }) => {
      expect(turns()).toBe(1)
      expect(given).toBe(options)
      return result
    })
    expect(await prepareStep(options)).toBe(result)
  })

  it('rejects if the function rejects', async () => {
    const error = new Error('no')
    const prepareStep = offloadPrepareStep(counting().offloader, (_options: object): object => {
      throw error
    })
    await expect(prepareStep({})).rejects.toBe(error)
  })

  it('continues if a turn cannot be ended', async () => {
    const storage = new InMemoryStorage()
    storage.endTurn = () => Promise.reject(new Error('down'))
    expect(await offloadPrepareStep(new ContextOffloader({ storage }))({})).toBeUndefined()
  })

  it('rejects a value that is not an offloader', () => {
    expect(() => offloadPrepareStep(new InMemoryStorage() as unknown as ContextOffloader)).toThrow(
      /^offloader must be a ContextOffloader, got an object: offloadPrepareStep\(/,
    )
  })
})
