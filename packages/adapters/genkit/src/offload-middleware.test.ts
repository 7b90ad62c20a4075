import { setImmediate as settle } from 'node:timers/promises'
import { ContextOffloader, RETRIEVAL_TOOL_NAME, type OffloadEvent, type Storage } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { generateMiddleware, tool, z, type MessageData, type Part, type ToolResponsePart } from 'genkit'
import * as beta from 'genkit/beta'
import { genkit, type GenkitBeta } from 'genkit/beta'
import { logger } from 'genkit/logging'
import { describe, expect, it, vi } from 'vitest'
import { hasAgents } from '../test/version.ts'
import { offloadMiddleware } from './offload-middleware.ts'

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line}: ${line === 4_321 ? 'FAILED' : 'done'}`).join('\n')
const offloaded = expect.stringMatching(/^\[Offloaded: 1 block/)
const FOUND = /> 4322\| line 4321: FAILED/

const create = (options = {}): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage(), ...options })

const call = (name: string, input: unknown = {}, ref = 'call_1'): Part => ({ toolRequest: { name, ref, input } })

/** What a model does next, by the messages that it gets. */
type Turn = (messages: readonly MessageData[]) => readonly Part[]

/** Make a Genkit whose model takes these turns one after the other, and then says that it is done. */
function newGenkit(...turns: readonly (Turn | Part)[]): GenkitBeta {
  const ai = genkit({ model: 'fake' })
  defineModel(ai, turns)
  return ai
}

function defineModel(ai: GenkitBeta, turns: readonly (Turn | Part)[]): void {
  let index = 0
  ai.defineModel({ apiVersion: 'v2', name: 'fake' }, async ({ messages }, { abortSignal }) => {
    abortSignal.throwIfAborted()
    const turn = turns[index] ?? { text: 'done' }
    index += 1
    return { message: { role: 'model', content: [...(typeof turn === 'function' ? turn(messages) : [turn])] } }
  })
}

const config = { name: 'read_log', description: 'Read the log.', inputSchema: z.object({}) }
const defineReadLog = (ai: GenkitBeta, output: unknown = LOG) => ai.defineTool(config, async () => output)

const responsesIn = (messages: readonly MessageData[]): ToolResponsePart['toolResponse'][] =>
  messages.flatMap(({ content }) => content.flatMap(({ toolResponse }) => toolResponse ?? []))

/** Search for the failure in what was stored of the last result. */
const searching: Turn = (messages) => {
  const [, reference = 'none'] = /^ {2}(\S+) \(/m.exec(String(responsesIn(messages).at(-1)?.output)) ?? []
  return [call(RETRIEVAL_TOOL_NAME, { reference, pattern: 'FAILED', context_lines: 0 }, 'retrieval_1')]
}

async function storedIn(offloader: ContextOffloader, ...scope: string[]): Promise<number> {
  let count = 0
  for await (const _ of offloader.forScope(...scope).options.storage.list?.() ?? []) count += 1
  return count
}

describe('in every way of calling a model', () => {
  it('offloads the result of a plain tool, and lets it be searched', async () => {
    const ai = newGenkit(call('read_log'), searching)
    const offload = offloadMiddleware(create())
    const { messages, text } = await ai.generate({ prompt: 'Go.', tools: [defineReadLog(ai)], use: [offload()] })
    expect(text).toBe('done')
    expect(responsesIn(messages)).toEqual([
      { name: 'read_log', ref: 'call_1', output: offloaded },
      { name: RETRIEVAL_TOOL_NAME, ref: 'retrieval_1', output: expect.stringMatching(FOUND) },
    ])
  })

  it('offloads the result of a tool that is made for one call', async () => {
    const ai = newGenkit(call('read_log'))
    const tools = [tool(config, async () => ({ lines: LOG.split('\n') }))]
    const { messages } = await ai.generate({ prompt: 'Go.', tools, use: [offloadMiddleware(create())()] })
    expect(responsesIn(messages)).toEqual([{ name: 'read_log', ref: 'call_1', output: offloaded }])
  })

  it('goes with a prompt, executed and streamed', async () => {
    const offloader = create()
    const ai = newGenkit(call('read_log'), searching, { text: 'done' }, call('read_log'))
    const use = [offloadMiddleware(offloader)({ scope: ['prompts'] })]
    const ask = ai.definePrompt({ name: 'ask', prompt: 'What fails?', tools: [defineReadLog(ai)], use })
    expect(responsesIn((await ask()).messages)).toMatchObject([
      { output: offloaded },
      { output: expect.stringMatching(FOUND) },
    ])
    const { stream, response } = ask.stream()
    const streamed: Part[] = []
    for await (const { content } of stream) streamed.push(...content)
    expect(streamed).toMatchObject([{ toolResponse: { output: offloaded } }])
    expect(responsesIn((await response).messages)).toMatchObject([{ output: offloaded }])
    expect(await storedIn(offloader, 'prompts')).toBe(1)
  })

  it('can be registered, and used by its name and a config, as prompt files do', async () => {
    const offloader = create()
    const ai = genkit({ model: 'fake', plugins: [offloadMiddleware(offloader).plugin()] })
    defineModel(ai, [call('read_log')])
    const use = [{ name: 'spillway', config: { scope: ['named'] } }]
    const { messages } = await ai.generate({ prompt: 'Go.', tools: [defineReadLog(ai)], use })
    expect(responsesIn(messages)).toMatchObject([{ output: offloaded }])
    expect(await storedIn(offloader, 'named')).toBe(1)
  })

  it('takes the scope from the context of a flow', async () => {
    const offloader = create()
    const ai = newGenkit(call('read_log'), searching)
    const tools = [defineReadLog(ai)]
    const offload = offloadMiddleware(offloader, {
      scope: ({ context }) => [(context as { auth: { uid: string } }).auth.uid],
    })
    const investigate = ai.defineFlow('investigate', async () => {
      const { messages } = await ai.generate({ prompt: 'Go.', tools, use: [offload()] })
      return responsesIn(messages)
    })
    const responses = await investigate(undefined, { context: { auth: { uid: 'user-1' } } })
    expect(responses).toMatchObject([{ output: offloaded }, { output: expect.stringMatching(FOUND) }])
    expect(await storedIn(offloader, 'user-1')).toBe(1)
  })

  it('leaves structured output to the model', async () => {
    const ai = newGenkit(call('read_log'), { text: '{"ok":true}' })
    const { output, messages } = await ai.generate({
      prompt: 'Go.',
      tools: [defineReadLog(ai)],
      use: [offloadMiddleware(create())()],
      output: { schema: z.object({ ok: z.boolean() }) },
    })
    expect(output).toEqual({ ok: true })
    expect(responsesIn(messages)).toMatchObject([{ output: offloaded }])
  })

  it('works in a tool that calls a model itself', async () => {
    const offload = offloadMiddleware(create())
    const inner = newGenkit(call('read_log'), searching)
    const innerTools = [defineReadLog(inner)]
    const ai = newGenkit(call('ask'), searching)
    const ask = ai.defineTool({ ...config, name: 'ask' }, async () => {
      const { messages } = await inner.generate({ prompt: 'Go.', tools: innerTools, use: [offload({ scope: ['in'] })] })
      return `${String(responsesIn(messages)[1]?.output)}\n${LOG}`
    })
    const { messages } = await ai.generate({ prompt: 'Go.', tools: [ask], use: [offload({ scope: ['out'] })] })
    expect(responsesIn(messages)).toMatchObject([{ output: offloaded }, { output: expect.stringMatching(FOUND) }])
  })
})

describe('in a session', () => {
  const turns = [call('read_log'), { text: 'I have read it.' }, searching]

  it.runIf(hasAgents)("takes an agent's session for the scope, over several turns", async () => {
    const offloader = create()
    const ai = newGenkit(...turns)
    const agent = ai.defineAgent({
      name: 'investigator',
      tools: [defineReadLog(ai)],
      use: [offloadMiddleware(offloader)()],
      store: new beta.InMemorySessionStore(),
    })
    const chat = agent.chat({ sessionId: 'session-1' })
    await chat.send('Read the log.')
    const { text } = await chat.send('What fails?')
    expect(text).toBe('done')
    const snapshot = await agent.getSnapshotData({ sessionId: 'session-1' })
    const responses = responsesIn((snapshot?.state?.messages ?? []) as MessageData[])
    expect(responses).toMatchObject([{ output: offloaded }, { output: expect.stringMatching(FOUND) }])
    expect(await storedIn(offloader, 'session-1')).toBe(1)
  })

  it.skipIf(hasAgents)('goes on in a chat of older versions, whose session the program names', async () => {
    const offloader = create()
    // The types of newer versions have no such sessions.
    const ai = newGenkit(...turns)
    const sessions = ai as unknown as {
      createSession(options: object): {
        chat(options: object): { send(prompt: string): Promise<{ text: string; messages: MessageData[] }> }
      }
      currentSession(): { readonly id: string }
    }
    const offload = offloadMiddleware(offloader, { scope: () => [sessions.currentSession().id] })
    const session = sessions.createSession({ sessionId: 'session-1' })
    const chat = session.chat({ tools: [defineReadLog(ai)], use: [offload()] })
    await chat.send('Read the log.')
    const { text, messages } = await chat.send('What fails?')
    expect(text).toBe('done')
    expect(responsesIn(messages)).toMatchObject([{ output: offloaded }, { output: expect.stringMatching(FOUND) }])
    expect(await storedIn(offloader, 'session-1')).toBe(1)
  })
})

describe('interrupts', () => {
  const defineAsk = (ai: GenkitBeta) => ai.defineInterrupt({ ...config, name: 'ask', outputSchema: z.string() })

  it('lets a tool interrupt the run, and keeps the large result beside it small', async () => {
    const ai = newGenkit(() => [call('ask', {}, 'call_1'), call('read_log', {}, 'call_2')])
    const [ask, readLog] = [defineAsk(ai), defineReadLog(ai)]
    const options = { tools: [ask, readLog], use: [offloadMiddleware(create())()] }
    const waiting = await ai.generate({ ...options, prompt: 'Go.' })
    expect(waiting.finishReason).toBe('interrupted')
    expect(waiting.message?.content[1]?.metadata).toEqual({ pendingOutput: offloaded })
    const [interrupt] = waiting.interrupts
    const respond = ask.respond(interrupt as Part & { toolRequest: { name: string } }, 'yes')
    const { messages, text } = await ai.generate({ ...options, messages: waiting.messages, resume: { respond } })
    expect(text).toBe('done')
    expect(responsesIn(messages)).toMatchObject([{ output: 'yes' }, { output: offloaded }])
  })

  it('offloads what the program replies to an interrupt, unless the tool is excepted', async () => {
    for (const [except, output] of [
      [[], offloaded],
      [['ask'], LOG],
    ] as const) {
      const offloader = create()
      const ai = newGenkit(call('ask', { path: '/a' }))
      const ask = defineAsk(ai)
      const options = { tools: [ask], use: [offloadMiddleware(offloader, { except })({ scope: ['replies'] })] }
      const waiting = await ai.generate({ ...options, prompt: 'Go.' })
      const resume = { respond: waiting.interrupts.map((interrupt) => ask.respond(interrupt, LOG)) }
      const { messages } = await ai.generate({ ...options, messages: waiting.messages, resume })
      expect(responsesIn(messages)).toMatchObject([{ output }])
      expect(await storedIn(offloader, 'replies')).toBe(except.length === 0 ? 1 : 0)
    }
  })

  it('offloads the result of a tool that runs again after an interrupt', async () => {
    const ai = newGenkit(call('deploy'), searching)
    const deploy = ai.defineTool({ ...config, name: 'deploy' }, async (_input, { resumed, interrupt }) =>
      resumed === undefined ? interrupt({ question: 'Really?' }) : LOG,
    )
    const options = { tools: [deploy], use: [offloadMiddleware(create())()] }
    const waiting = await ai.generate({ ...options, prompt: 'Go.' })
    expect(waiting.interrupts[0]?.metadata?.['interrupt']).toEqual({ question: 'Really?' })
    const resume = { restart: waiting.interrupts.map((interrupt) => deploy.restart(interrupt)) }
    const { messages } = await ai.generate({ ...options, messages: waiting.messages, resume })
    expect(responsesIn(messages)).toMatchObject([{ output: offloaded }, { output: expect.stringMatching(FOUND) }])
  })
})

describe('beside other middleware', () => {
  it('offloads what middleware behind it makes of a result', async () => {
    const enlarge = generateMiddleware({ name: 'enlarge' }, () => ({
      tool: async (request, context, next) => {
        const part = await next(request, context)
        return part && { ...part, toolResponse: { ...part.toolResponse, output: LOG }, metadata: { kept: true } }
      },
    }))
    const ai = newGenkit(call('read_log'))
    const use = [offloadMiddleware(create())(), enlarge()]
    const { messages } = await ai.generate({ prompt: 'Go.', tools: [defineReadLog(ai, 'small')], use })
    expect(messages[2]?.content).toMatchObject([{ toolResponse: { output: offloaded }, metadata: { kept: true } }])
  })

  it('shows the original to middleware behind it', async () => {
    const seen: unknown[] = []
    const observe = generateMiddleware({ name: 'observe' }, () => ({
      tool: async (request, context, next) => {
        const part = await next(request, context)
        seen.push(part?.toolResponse.output)
        return part
      },
    }))
    const ai = newGenkit(call('read_log'))
    const use = [offloadMiddleware(create())(), observe()]
    await ai.generate({ prompt: 'Go.', tools: [defineReadLog(ai)], use })
    expect(seen).toEqual([LOG])
  })

  it('leaves errors to middleware that tries again, on either side of it', async () => {
    const retry = generateMiddleware({ name: 'retry-tools' }, () => ({
      tool: async (request, context, next) => {
        try {
          return await next(request, context)
        } catch (error) {
          if (!(error instanceof Error)) throw error
          return await next(request, context)
        }
      },
    }))
    const offload = offloadMiddleware(create())
    for (const use of [
      [offload(), retry()],
      [retry(), offload()],
    ]) {
      const ai = newGenkit(call('read_log'))
      let calls = 0
      const flaky = ai.defineTool(config, async () => {
        calls += 1
        if (calls === 1) throw new Error(LOG)
        return LOG
      })
      const { messages } = await ai.generate({ prompt: 'Go.', tools: [flaky], use })
      expect(calls).toBe(2)
      expect(responsesIn(messages)).toMatchObject([{ output: offloaded }])
    }
  })

  it('is refused by Genkit beside itself', async () => {
    const ai = newGenkit(call('read_log'))
    const use = [offloadMiddleware(create())(), offloadMiddleware(create())()]
    await expect(ai.generate({ prompt: 'Go.', tools: [defineReadLog(ai)], use })).rejects.toThrow(
      /Cannot provide two tools with the same name/,
    )
  })
})

it('ends the run over what a tool throws, as Genkit does, with a message that is small', async () => {
  const ai = newGenkit(call('read_log'))
  const failing = ai.defineTool(config, async () => {
    throw new RangeError(`${LOG}\nno space left on device`)
  })
  const error: unknown = await ai
    .generate({ prompt: 'Go.', tools: [failing], use: [offloadMiddleware(create())()] })
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(RangeError)
  expect(error).toMatchObject({ message: offloaded, cause: expect.any(RangeError) })
  expect((error as Error).message).toContain('no space left on device')
})

it('ends no turn for a model call that fails', async () => {
  let ended = 0
  const storage: Storage = {
    store: async () => 'a',
    retrieve: () => Promise.reject(new Error('none')),
    endTurn: async () => {
      ended += 1
      return { evicted: [] }
    },
  }
  const ai = newGenkit(call('read_log'), () => {
    throw new Error('out of quota')
  })
  const offload = offloadMiddleware(create({ storage }), { scope: () => [] })
  await expect(ai.generate({ prompt: 'Go.', tools: [defineReadLog(ai, 'small')], use: [offload()] })).rejects.toThrow(
    'out of quota',
  )
  expect(ended).toBe(1)
})

it('leaves the results of tools that are excepted', async () => {
  const ai = newGenkit(call('read_log'))
  const use = [offloadMiddleware(create(), { except: ['read_log'] })()]
  const { messages } = await ai.generate({ prompt: 'Go.', tools: [defineReadLog(ai)], use })
  expect(responsesIn(messages)).toMatchObject([{ output: LOG }])
})

it('goes on with the original, and tells of it, where the scope of a run cannot be named', async () => {
  const events: OffloadEvent[] = []
  const ai = newGenkit(call('read_log'), call(RETRIEVAL_TOOL_NAME, { pattern: 'FAILED' }))
  const offload = offloadMiddleware(create({ onEvent: (event: OffloadEvent) => void events.push(event) }), {
    scope: ({ context }) => [(context as { auth: { uid: string } }).auth.uid],
  })
  const { messages } = await ai.generate({ prompt: 'Go.', tools: [defineReadLog(ai)], use: [offload()] })
  expect(responsesIn(messages)).toMatchObject([{ output: LOG }, { output: { error: expect.any(String) } }])
  expect(events).toMatchObject([
    { type: 'offload-failed', toolName: 'read_log' },
    { type: 'retrieval', isError: true },
  ])
})

it('tells the model that it may search everything where a run has a scope, and only there', async () => {
  const searchable = async (options: object, ...given: [object?]): Promise<boolean> => {
    const ai = genkit({ model: 'fake' })
    let description = ''
    ai.defineModel({ name: 'fake' }, async ({ tools = [] }) => {
      description = tools.find(({ name }) => name === RETRIEVAL_TOOL_NAME)?.description ?? ''
      return { message: { role: 'model', content: [{ text: 'done' }] } }
    })
    await ai.generate({ prompt: 'Go.', use: [offloadMiddleware(create(), options)(...given)] })
    return description.includes('Without a reference')
  }
  expect(await searchable({})).toBe(false)
  expect(await searchable({}, { scope: [] })).toBe(false)
  expect(await searchable({}, { scope: ['chat-1'] })).toBe(true)
  expect(await searchable({ scope: () => ['chat-1'] })).toBe(true)
})

it('gives each of several runs at once its own signal and scope', async () => {
  const offloader = create()
  const offload = offloadMiddleware(offloader)
  const controllers = Array.from({ length: 10 }, () => new AbortController())
  const runs = controllers.map(async ({ signal: abortSignal }, index) => {
    const ai = newGenkit(call('read_log'))
    const readLog = ai.defineTool(config, async () => {
      await settle()
      if (index % 2 === 0) controllers[index]?.abort()
      return LOG
    })
    const use = [offload({ scope: [`chat-${index}`] })]
    return ai.generate({ prompt: 'Go.', tools: [readLog], use, abortSignal })
  })
  for (const [index, run] of (await Promise.allSettled(runs)).entries()) {
    expect(run.status).toBe(index % 2 === 0 ? 'rejected' : 'fulfilled')
    expect(await storedIn(offloader, `chat-${index}`)).toBe(index % 2)
  }
})

it('is quiet, also when it is used again and again', async () => {
  const errors = vi.spyOn(logger, 'error')
  const warnings = vi.spyOn(logger, 'warn')
  const ai = newGenkit(call('read_log'), { text: 'done' }, call('read_log'))
  const [tools, use] = [[defineReadLog(ai)], [offloadMiddleware(create())()]]
  const before = errors.mock.calls.length
  for (let round = 0; round < 3; round += 1) await ai.generate({ prompt: 'Go.', tools, use })
  expect(errors.mock.calls.slice(before)).toEqual([])
  expect(warnings.mock.calls).toEqual([])
})

it('refuses what cannot work when it is made, and a config before a model is called', async () => {
  expect(() => offloadMiddleware({} as never)).toThrow(/offloader must be a ContextOffloader/)
  expect(() => offloadMiddleware(create(), { exept: ['a'] } as never)).toThrow(/Unknown option "exept"/)
  const unscoped: Storage = { store: async () => 'a', retrieve: () => Promise.reject(new Error('none')) }
  expect(() => offloadMiddleware(create({ storage: unscoped }))).toThrow(/scope: \(\) => \[\]/)
  const ai = newGenkit(() => expect.fail('The model is called.'))
  const use = [offloadMiddleware(create())({ scope: 'chat-1' } as never)]
  await expect(ai.generate({ prompt: 'Go.', use })).rejects.toThrow(/Expected array, received string scope/)
})
