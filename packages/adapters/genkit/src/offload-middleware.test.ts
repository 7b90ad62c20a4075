import { setImmediate as settle } from 'node:timers/promises'
import {
  ContextOffloader,
  RETRIEVAL_TOOL_NAME,
  type ContentBlock,
  type OffloadEvent,
  type Storage,
} from '@spillway/core'
import { OFFLOADED_KEY } from '@spillway/core/adapter'
import { InMemoryStorage } from '@spillway/memory'
import {
  generateMiddleware,
  GenkitError,
  tool,
  ToolInterruptError,
  z,
  type MessageData,
  type Part,
  type ToolResponsePart,
} from 'genkit'
import * as beta from 'genkit/beta'
import { genkit, type GenkitBeta } from 'genkit/beta'
import { logger } from 'genkit/logging'
import { describe, expect, it, vi } from 'vitest'
import { hasAgents } from '../test/version.ts'
import {
  answerRetrieval,
  hideRetrieval,
  inOrder,
  offloadCall,
  offloadMiddleware,
  offloadReplies,
  offloadResponse,
  outputForm,
  readPart,
  retrievalTool,
  writePart,
} from './offload-middleware.ts'

const LOG = Array.from({ length: 1_500 }, (_, line) => `line ${line}: ${line === 1_321 ? 'FAILED' : 'done'}`).join('\n')
const offloaded = expect.stringMatching(/^\[Offloaded: 1 block/)
const FOUND = /> 1322\| line 1321: FAILED/

const create = (options = {}): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage(), ...options })

const call = (name: string, input: unknown = {}, ref = 'call_1'): Part => ({ toolRequest: { name, ref, input } })

/** The next action of a model, for the messages that it gets. */
type Turn = (messages: readonly MessageData[]) => readonly Part[]

/** Make a Genkit whose model takes these turns in order, and then says that it is done. */
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

/** Search for the failure in the stored content of the last result. */
const searching: Turn = (messages) => {
  const [, reference = 'none'] = /^ {2}(\S+) \(/m.exec(String(responsesIn(messages).at(-1)?.output)) ?? []
  return [call(RETRIEVAL_TOOL_NAME, { reference, pattern: 'FAILED', context_lines: 0 }, 'retrieval_1')]
}

async function storedIn(offloader: ContextOffloader, ...scope: string[]): Promise<number> {
  let count = 0
  for await (const _ of offloader.forScope(...scope).options.storage.list?.() ?? []) count += 1
  return count
}

describe('offloadMiddleware, in every way of calling a model', () => {
  it('the result of a plain tool is offloaded and can be searched', async () => {
    const ai = newGenkit(call('read_log'), searching)
    const offload = offloadMiddleware(create())
    const { messages, text } = await ai.generate({ prompt: 'Go.', tools: [defineReadLog(ai)], use: [offload()] })
    expect(text).toBe('done')
    expect(responsesIn(messages)).toEqual([
      { name: 'read_log', ref: 'call_1', output: offloaded },
      { name: RETRIEVAL_TOOL_NAME, ref: 'retrieval_1', output: expect.stringMatching(FOUND) },
    ])
  })

  it('the result of a tool that was made for one call is offloaded', async () => {
    const ai = newGenkit(call('read_log'))
    const tools = [tool(config, async () => ({ lines: LOG.split('\n') }))]
    const { messages } = await ai.generate({ prompt: 'Go.', tools, use: [offloadMiddleware(create())()] })
    expect(responsesIn(messages)).toEqual([{ name: 'read_log', ref: 'call_1', output: offloaded }])
  })

  it('a prompt works, both executed and streamed', async () => {
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

  it('registered middleware is found by its name and used with a config, as in prompt files', async () => {
    const offloader = create()
    const ai = genkit({ model: 'fake', plugins: [offloadMiddleware(offloader).plugin()] })
    defineModel(ai, [call('read_log')])
    const use = [{ name: 'spillway', config: { scope: ['named'] } }]
    const { messages } = await ai.generate({ prompt: 'Go.', tools: [defineReadLog(ai)], use })
    expect(responsesIn(messages)).toMatchObject([{ output: offloaded }])
    expect(await storedIn(offloader, 'named')).toBe(1)
  })

  it('the scope comes from the context of a flow', async () => {
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

  it('structured output for the model does not change', async () => {
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

  it('a tool that calls a model itself works', async () => {
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

describe('offloadMiddleware in a session', () => {
  const turns = [call('read_log'), { text: 'I have read it.' }, searching]

  it.runIf(hasAgents)("an agent's session is the scope of several turns", async () => {
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

  it.skipIf(hasAgents)('a chat of older versions continues in the session that the program names', async () => {
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

describe('offloadMiddleware at an interrupt', () => {
  const defineAsk = (ai: GenkitBeta) => ai.defineInterrupt({ ...config, name: 'ask', outputSchema: z.string() })

  it('if a tool interrupts the run, a large result of another tool is still offloaded', async () => {
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

  it("a program's reply to an interrupt is offloaded, unless the tool is exempt", async () => {
    for (const [offload, output] of [
      [true, offloaded],
      [false, LOG],
    ] as const) {
      const offloader = create({ tools: { ask: { offload } } })
      const ai = newGenkit(call('ask', { path: '/a' }))
      const ask = defineAsk(ai)
      const options = { tools: [ask], use: [offloadMiddleware(offloader)({ scope: ['replies'] })] }
      const waiting = await ai.generate({ ...options, prompt: 'Go.' })
      const resume = { respond: waiting.interrupts.map((interrupt) => ask.respond(interrupt, LOG)) }
      const { messages } = await ai.generate({ ...options, messages: waiting.messages, resume })
      expect(responsesIn(messages)).toMatchObject([{ output }])
      expect(await storedIn(offloader, 'replies')).toBe(offload ? 1 : 0)
    }
  })

  it('the result of a tool that runs again after an interrupt is offloaded', async () => {
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

describe('offloadMiddleware with other middleware', () => {
  it('results that inner middleware changed are offloaded', async () => {
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

  it('outer middleware sees the original result', async () => {
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

  it('middleware that retries gets the errors, inside or outside of offloadMiddleware', async () => {
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

  it('Genkit refuses offloadMiddleware if it is used twice', async () => {
    const ai = newGenkit(call('read_log'))
    const use = [offloadMiddleware(create())(), offloadMiddleware(create())()]
    await expect(ai.generate({ prompt: 'Go.', tools: [defineReadLog(ai)], use })).rejects.toThrow(
      /Cannot provide two tools with the same name/,
    )
  })
})

it('a tool that throws ends the run with a small message, as in Genkit', async () => {
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

it('a failed model call does not end a turn', async () => {
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

it('the run continues with the original result and reports an error if its scope is invalid', async () => {
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

it('the model sees that it can search all entries only if the run has a scope', async () => {
  const searchable = async (options: object, ...given: [object?]): Promise<boolean> => {
    const ai = genkit({ model: 'fake' })
    let schema = ''
    ai.defineModel({ name: 'fake' }, async ({ tools = [] }) => {
      schema = JSON.stringify(tools.find(({ name }) => name === RETRIEVAL_TOOL_NAME)?.inputSchema)
      return { message: { role: 'model', content: [{ text: 'done' }] } }
    })
    await ai.generate({ prompt: 'Go.', use: [offloadMiddleware(create(), options)(...given)] })
    return schema.includes('search everything')
  }
  expect(await searchable({})).toBe(false)
  expect(await searchable({}, { scope: [] })).toBe(false)
  expect(await searchable({}, { scope: ['chat-1'] })).toBe(true)
  expect(await searchable({ scope: () => ['chat-1'] })).toBe(true)
})

it('parallel runs have their own signals and scopes', async () => {
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

it('repeated use emits no warnings', async () => {
  const errors = vi.spyOn(logger, 'error')
  const warnings = vi.spyOn(logger, 'warn')
  const ai = newGenkit(call('read_log'), { text: 'done' }, call('read_log'))
  const [tools, use] = [[defineReadLog(ai)], [offloadMiddleware(create())()]]
  const before = errors.mock.calls.length
  for (let round = 0; round < 3; round += 1) await ai.generate({ prompt: 'Go.', tools, use })
  expect(errors.mock.calls.slice(before)).toEqual([])
  expect(warnings.mock.calls).toEqual([])
})

it('invalid options are rejected at construction, and an invalid config before a model call', async () => {
  expect(() => offloadMiddleware({} as never)).toThrow(/offloader must be a ContextOffloader/)
  expect(() => offloadMiddleware(create(), { exept: ['a'] } as never)).toThrow(/Unknown option "exept"/)
  const unscoped: Storage = { store: async () => 'a', retrieve: () => Promise.reject(new Error('none')) }
  expect(() => offloadMiddleware(create({ storage: unscoped }))).toThrow(/scope: \(\) => \[\]/)
  const ai = newGenkit(() => expect.fail('The model is called.'))
  const use = [offloadMiddleware(create())({ scope: 'chat-1' } as never)]
  await expect(ai.generate({ prompt: 'Go.', use })).rejects.toThrow(/Expected array, received string scope/)
})

describe('offloadCall', () => {
  const LOG = 'a line of a log\n'.repeat(1_000)
  const offloaded = expect.stringMatching(/^\[Offloaded: /)
  const request = { toolRequest: { name: 'read_log', ref: 'call_1', input: { path: '/a' } } }

  const call = (
    called: Promise<ToolResponsePart | undefined>,
    signal?: AbortSignal,
  ): Promise<ToolResponsePart | undefined> =>
    offloadCall(new ContextOffloader({ storage: new InMemoryStorage() }), request, { signal }, called)

  /** Return the error of a call whose tool throws the given value. */
  const throwing = async (thrown: unknown, signal?: AbortSignal): Promise<unknown> =>
    call(Promise.reject(thrown), signal).then(
      () => expect.fail('The call does not throw.'),
      (error: unknown) => error,
    )

  it('offloads the response of a tool', async () => {
    const part = await call(Promise.resolve({ toolResponse: { name: 'read_log', ref: 'call_1', output: LOG } }))
    expect(part?.toolResponse.output).toEqual(offloaded)
  })

  it.each([undefined, { text: LOG }])('passes on a missing response of middleware (%#)', async (part) => {
    expect(await call(Promise.resolve(part as ToolResponsePart | undefined))).toBe(part)
  })

  it.each([new RangeError('small'), 'small', { code: 404 }, undefined, null])(
    'throws the same object for %o',
    async (thrown) => {
      expect(await throwing(thrown)).toBe(thrown)
    },
  )

  it('throws an error of the same class for a large error, with the original as its cause', async () => {
    const error = Object.assign(new RangeError(LOG), { code: 'E1' })
    const thrown = await throwing(error)
    expect(thrown).toBeInstanceOf(RangeError)
    expect(thrown).toMatchObject({ message: offloaded, code: 'E1', cause: error })
  })

  it('removes a large message from both fields of a Genkit error that contain it', async () => {
    const error = new GenkitError({ status: 'NOT_FOUND', message: LOG, detail: { path: '/a' } })
    const thrown = await throwing(error)
    expect(thrown).toBeInstanceOf(GenkitError)
    expect(thrown).toMatchObject({ message: offloaded, originalMessage: offloaded, status: 'NOT_FOUND', code: 404 })
    expect(JSON.stringify((thrown as GenkitError).toJSON()).length).toBeLessThan(10_000)
    expect(error.originalMessage).toBe(LOG)
  })

  it.each([
    new ToolInterruptError({ question: LOG }),
    Object.assign(new Error(LOG), { name: 'ToolInterruptError' }),
    new DOMException(LOG, 'AbortError'),
  ])('passes on thrown values that are not tool errors: %o', async (signal) => {
    expect(await throwing(signal)).toBe(signal)
  })

  it("passes on a tool's error after the run was aborted", async () => {
    const error = new Error(LOG)
    expect(await throwing(error, AbortSignal.abort())).toBe(error)
  })
})

describe('offloadReplies', () => {
  type Turn = Parameters<typeof offloadReplies>[0]

  const call = (ref: string, input: unknown) => ({ toolRequest: { name: 'ask', ref, input } })
  const reply = (ref: string, output: string): ToolResponsePart => ({ toolResponse: { name: 'ask', ref, output } })

  function turnWith(resume: Turn['request']['resume']): Turn {
    const content = [{ text: 'I ask.' }, call('call_1', { of: 'one' }), call('call_2', { of: 'two' })]
    return { request: { messages: [{ role: 'model', content }], resume }, currentTurn: 0, messageIndex: 3 }
  }

  const upperCase = async (part: ToolResponsePart, input: unknown): Promise<ToolResponsePart> => ({
    ...part,
    toolResponse: {
      ...part.toolResponse,
      output: `${String(part.toolResponse.output).toUpperCase()} ${JSON.stringify(input)}`,
    },
  })

  it('replaces each reply, using the input of the call that it answers', async () => {
    const respond = [reply('call_2', 'b'), reply('call_1', 'a'), reply('call_9', 'none')]
    const restart = [call('call_3', {})]
    const turn = turnWith({ respond, restart, metadata: { by: 'user' } })
    const replied = await offloadReplies(turn, upperCase)
    expect(replied).toEqual({
      ...turn,
      request: {
        ...turn.request,
        resume: {
          restart,
          metadata: { by: 'user' },
          respond: [
            reply('call_2', 'B {"of":"two"}'),
            reply('call_1', 'A {"of":"one"}'),
            reply('call_9', 'NONE undefined'),
          ],
        },
      },
    })
    expect(turn.request.resume?.respond).toBe(respond)
  })

  it.each<Turn>([turnWith(undefined), turnWith({}), turnWith({ restart: [call('call_1', {})] })])(
    'returns the same turn if there is no reply',
    async (turn) => {
      expect(await offloadReplies(turn, () => Promise.reject(new Error('not needed')))).toBe(turn)
    },
  )
})

describe('retrievalTool', () => {
  const LOG = Array.from({ length: 1_500 }, (_, line) => `line ${line}: ${line === 1_321 ? 'FAILED' : 'done'}`).join(
    '\n',
  )
  const create = (): ContextOffloader => new ContextOffloader({ storage: new InMemoryStorage() }).forScope('chat-1')

  const request = (input: unknown, ref?: string) => ({
    toolRequest: { name: RETRIEVAL_TOOL_NAME, input, ...(ref === undefined ? {} : { ref }) },
  })

  it('has the description of core, and is a new tool in each run', () => {
    const offloader = create()
    const tool = retrievalTool(offloader)
    const { name, description, inputSchema } = offloader.retrievalTool
    expect(tool.__action).toMatchObject({ name, description, inputJsonSchema: inputSchema })
    expect(retrievalTool(offloader)).not.toBe(tool)
  })

  it('answers with text', async () => {
    const offloader = create()
    const content = [{ type: 'text', text: LOG }] as const
    const outcome = await offloader.offload({ toolName: 'read_log', toolCallId: 'call_1', content })
    const reference = outcome.status === 'offloaded' ? outcome.stored[0]?.reference : undefined
    const input = { reference, pattern: 'FAILED', context_lines: 0 }
    expect(await answerRetrieval(offloader, request(input, 'call_2'), undefined)).toEqual({
      toolResponse: {
        name: RETRIEVAL_TOOL_NAME,
        ref: 'call_2',
        output: `[1 match]\n<<< ${reference?.slice(-8)}: untrusted content\n> 1322| line 1321: FAILED\n>>> end of ${reference?.slice(-8)}`,
      },
    })
  })

  it('answers with a value', async () => {
    const offloader = create()
    const value = { users: [{ id: 1 }] }
    const bytes = new TextEncoder().encode(JSON.stringify(value, undefined, 2))
    const reference = await offloader.options.storage.store('call_1', bytes, 'application/json')
    const { toolResponse } = await answerRetrieval(offloader, request({ reference }), undefined)
    expect(toolResponse.output).toEqual([
      `<<< ${reference?.slice(-8)}: untrusted content`,
      value,
      `>>> end of ${reference?.slice(-8)}`,
    ])
  })

  it('answers with media in the content, and names them in the output', async () => {
    const offloader = create()
    const data = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    const reference = await offloader.options.storage.store('call_1', data, 'image/png')
    expect(await answerRetrieval(offloader, request({ reference }), undefined)).toEqual({
      toolResponse: {
        name: RETRIEVAL_TOOL_NAME,
        output: '[image: image/png]',
        content: [{ media: { url: 'data:image/png;base64,iVBORw0KGgo=', contentType: 'image/png' } }],
      },
    })
  })

  it.each<unknown>([undefined, null, 'text', 5, [], {}, { reference: 1 }, { reference: 'never_given', patern: 'x' }])(
    'answers %j with an error that says what to do',
    async (input) => {
      const { toolResponse } = await answerRetrieval(create(), request(input), undefined)
      expect(toolResponse).toEqual({ name: RETRIEVAL_TOOL_NAME, output: { error: expect.stringMatching(/^Error: /) } })
    },
  )

  it('is removed from a response, and everything else is kept', () => {
    const definition = (name: string) => ({ name, description: name })
    const tools = [definition('read_log'), definition(RETRIEVAL_TOOL_NAME)]
    const response = { finishReason: 'stop' as const, request: { messages: [], config: { topK: 1 }, tools } }
    expect(hideRetrieval(response)).toEqual({
      finishReason: 'stop',
      request: { messages: [], config: { topK: 1 }, tools: [definition('read_log')] },
    })
    expect(tools).toHaveLength(2)
    const operation = { finishReason: 'stop' as const }
    expect(hideRetrieval(operation)).toBe(operation)
  })
})

describe('inOrder', () => {
  it('lets tasks finish in the order in which they were added', async () => {
    const endInOrder = inOrder()
    const pending = [0, 1, 2, 3].map(() => Promise.withResolvers<number>())
    const ended: number[] = []
    const all = pending.map(async ({ promise }) => ended.push(await endInOrder(promise)))
    for (const index of [2, 3, 0, 1]) {
      pending[index]?.resolve(index)
      await new Promise(setImmediate)
    }
    await Promise.all(all)
    expect(ended).toEqual([0, 1, 2, 3])
  })

  it('keeps the order if all tasks finish at the same time', async () => {
    const endInOrder = inOrder()
    const ended: number[] = []
    await Promise.all([0, 1, 2, 3, 4].map(async (index) => ended.push(await endInOrder(Promise.resolve(index)))))
    expect(ended).toEqual([0, 1, 2, 3, 4])
  })

  it("rejects in order with a task's error, and continues", async () => {
    const endInOrder = inOrder()
    const first = Promise.withResolvers<string>()
    const ended: unknown[] = []
    const all = [
      endInOrder(first.promise),
      endInOrder(Promise.reject(new Error('the second fails'))),
      endInOrder(Promise.resolve('third')),
    ].map((work) =>
      work.then(
        (value) => ended.push(value),
        (error: unknown) => ended.push(error),
      ),
    )
    await new Promise(setImmediate)
    expect(ended).toEqual([])
    first.resolve('first')
    await Promise.all(all)
    expect(ended).toEqual(['first', new Error('the second fails'), 'third'])
  })
})

describe('offloadResponse', () => {
  const LOG = 'a line of a log\n'.repeat(1_000)
  const offloaded = expect.stringMatching(/^\[Offloaded: /)
  const image: Part = { media: { url: 'data:image/png;base64,iVBORw0KGgo=', contentType: 'image/png' } }
  const largeImage: Part = {
    media: { url: `data:image/png;base64,${'A'.repeat(2_000_000)}`, contentType: 'image/png' },
  }

  const create = (options = {}): ContextOffloader =>
    new ContextOffloader({ storage: new InMemoryStorage(), ...options })

  const offload = (part: ToolResponsePart, offloader = create()): Promise<ToolResponsePart> =>
    offloadResponse(offloader, part, { input: {}, signal: undefined })

  const response = (output: unknown, content?: Part[]): ToolResponsePart => ({
    toolResponse: { name: 'read_log', ref: 'call_1', output, ...(content === undefined ? {} : { content }) },
  })

  it.each<[what: string, part: ToolResponsePart]>([
    ['a small text', response('small')],
    ['a small value with content', response({ a: 1 }, [image])],
    ['no output', { toolResponse: { name: 'read_log' } }],
    ['empty content', response(undefined, [])],
  ])('returns the same part for %s', async (_what, part) => {
    expect(await offload(part)).toBe(part)
  })

  it('changes only the output of a part, and tells the program which blocks are stored', async () => {
    const part: ToolResponsePart = { ...response(LOG), metadata: { took: 7 } }
    const stored = [expect.objectContaining({ type: 'text', size: LOG.length })]
    expect(await offload(part)).toEqual({
      metadata: { took: 7, [OFFLOADED_KEY]: { stored } },
      toolResponse: { name: 'read_log', ref: 'call_1', output: offloaded },
    })
    expect(part.toolResponse.output).toBe(LOG)
  })

  it('accepts a call without an id, as in Gemini, and names its content after the tool', async () => {
    const { toolResponse } = await offload({ toolResponse: { name: 'read_log', output: LOG } })
    expect(toolResponse).toEqual({ name: 'read_log', output: offloaded })
    expect(toolResponse.output).toMatch(/^ {2}read_log_0_\w+ \(/m)
  })

  it('keeps content blocks as the same objects if the output is stored', async () => {
    const custom: Part = { custom: { hits: 3 } }
    const { toolResponse } = await offload(response(LOG, [image, custom]))
    expect(toolResponse).toMatchObject({ output: offloaded, content: [image, custom] })
    expect(toolResponse.content?.[0]).toBe(image)
  })

  it('keeps an output after the replacement as the same object if the content is stored', async () => {
    const output = { caption: 'a chart' }
    const { toolResponse } = await offload(response(output, [largeImage, image]))
    expect(toolResponse).toMatchObject({ output: { offloaded, output }, content: [image] })
    expect((toolResponse.output as { output: unknown }).output).toBe(output)
  })

  it('writes the replacement into a missing output, and omits empty content', async () => {
    const { toolResponse } = await offload(response(undefined, [{ text: LOG }]))
    expect(toolResponse).toEqual({ name: 'read_log', ref: 'call_1', output: offloaded })
  })

  it('stores the bytes of an image that a tool returns as an output', async () => {
    const offloader = create()
    const { toolResponse } = await offload(
      response({ url: largeImage.media?.url, contentType: 'image/png' }),
      offloader,
    )
    const [, reference = ''] = /^ {2}(\S+) \(/m.exec(String(toolResponse.output)) ?? []
    const { content, contentType } = await offloader.options.storage.retrieve(reference)
    expect({ contentType, size: content.length }).toEqual({ contentType: 'image/png', size: 1_500_000 })
  })

  it('keeps an error marked as an error', async () => {
    expect((await offload(response({ error: LOG }))).toolResponse.output).toEqual({ error: offloaded })
  })

  it('keeps the form and the small parts of an MCP result', async () => {
    const picture = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }
    const { output } = (await offload(response({ content: [picture, { type: 'text', text: LOG }] }))).toolResponse
    expect(output).toEqual({ content: [{ type: 'text', text: offloaded }, picture] })
  })

  it("adds a previewer's image to the content", async () => {
    const added = { type: 'image', mediaType: 'image/webp', data: new Uint8Array(3_000) } as const
    const previewer = {
      name: 'smaller',
      previews: 'media',
      recognize: () => 1,
      read: async () => ({ blocks: [added] }),
    }
    const { toolResponse } = await offload(response(undefined, [largeImage]), create({ previewers: [previewer] }))
    expect(toolResponse.content).toEqual([
      { media: { url: expect.stringMatching(/^data:image\/webp;base64,AAAA/), contentType: 'image/webp' } },
    ])
  })

  describe('outputForm', () => {
    const PNG = 'iVBORw0KGgo='
    const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    const image = { type: 'image', mediaType: 'image/png', data: bytes }

    it.each<[what: string, output: unknown, block: object]>([
      ['text', 'two users', { type: 'text', text: 'two users' }],
      ['a value', { users: 2 }, { type: 'json', value: { users: 2 } }],
      ['null', null, { type: 'json', value: null }],
      ['false', false, { type: 'json', value: false }],
      ['an array', ['error'], { type: 'json', value: ['error'] }],
      ['a data: URL', `data:image/png;base64,${PNG}`, image],
      ['a medium', { url: `data:image/png;base64,${PNG}`, contentType: 'image/png' }, image],
      ['an image of MCP', { type: 'image', data: PNG, mimeType: 'image/png' }, image],
      [
        'a resource of MCP',
        { type: 'resource', resource: { uri: 'file:///a.md', mimeType: 'text/markdown', text: '# A' } },
        { type: 'text', text: '# A', name: 'file:///a.md', mediaType: 'text/markdown' },
      ],
    ])('reads %s as one block, and replaces it as a whole', (_what, output, block) => {
      const { values, toBlock, isError, replace } = outputForm(output)
      expect(values).toEqual([output])
      expect(toBlock(values[0])).toMatchObject(block)
      expect(isError).toBe(false)
      expect(replace('the preview', [])).toBe('the preview')
    })

    it.each<[what: string, output: unknown]>([
      ['a data: URL that is not Base64', 'data:image/png;base64,not base64!'],
      ['text that mentions a data: URL', `see data:image/png;base64,${PNG}`],
    ])('does not read %s as media', (_what, output) => {
      expect(outputForm(output).toBlock(output)).not.toHaveProperty('data')
    })

    it.each<[what: string, output: unknown]>([
      ['a medium by URL', { url: 'https://example.com/a.png', contentType: 'image/png' }],
      ['a medium with another field', { url: `data:image/png;base64,${PNG}`, caption: 'a chart' }],
      ['an image of MCP with another field', { type: 'image', data: PNG, mimeType: 'image/png', caption: 'a chart' }],
      ['a resource of MCP with another field', { type: 'resource', resource: { uri: 'a', text: 'a', _meta: {} } }],
      ['a resource of another structure', { type: 'resource' }],
      ['an image without data', { type: 'image', source: 'a.png' }],
      ['an error with another field', { error: 'no such file', code: 404 }],
      ['an error that is not a text', { error: { code: 404 } }],
      ['content of another structure', { content: [{ type: 'text', text: 'a' }], rows: 2 }],
    ])('reads %s as a plain value, so that nothing is lost', (_what, output) => {
      const { toBlock, isError } = outputForm(output)
      expect(toBlock(output)).toEqual({ type: 'json', value: output })
      expect(isError).toBe(false)
    })

    it('reads a missing output as no blocks', () => {
      const { values, replace } = outputForm(undefined)
      expect(values).toEqual([])
      expect(replace('the preview', [])).toBe('the preview')
    })

    it('recognizes an error, and replaces it with another error', () => {
      const { values, toBlock, isError, replace } = outputForm({ error: 'no such file' })
      expect(values.map(toBlock)).toEqual([{ type: 'text', text: 'no such file' }])
      expect(isError).toBe(true)
      expect(replace('the preview', [])).toEqual({ error: 'the preview' })
    })

    it.each<unknown>(['two users', { users: 2 }, { error: 'no such file' }])(
      'keeps %j beside the replacement',
      (output) => {
        const { values, replace } = outputForm(output)
        expect(replace('the preview', values)).toEqual({ offloaded: 'the preview', output })
      },
    )

    it('reads an MCP result, and keeps its form', () => {
      const part = { type: 'image', data: PNG, mimeType: 'image/png' }
      const output = { content: [{ type: 'text', text: 'a chart' }, part], isError: true, _meta: { took: 7 } }
      const { values, toBlock, isError, replace } = outputForm(output)
      expect(values.map(toBlock)).toMatchObject([{ type: 'text', text: 'a chart' }, image])
      expect(isError).toBe(true)
      const replaced = replace('the preview', [part]) as typeof output
      expect(replaced).toEqual({ ...output, content: [{ type: 'text', text: 'the preview' }, part] })
      expect(replaced.content[1]).toBe(part)
    })
  })

  describe('contentPart', () => {
    const data = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    const URL_OF_DATA = 'data:image/png;base64,iVBORw0KGgo='

    it.each<[Part, ContentBlock]>([
      [{ text: '' }, { type: 'text', text: '' }],
      [
        { text: 'a', metadata: { name: 'a.html', contentType: 'text/html', context: 'By Ada.' } },
        { type: 'text', text: 'a', name: 'a.html', mediaType: 'text/html', context: 'By Ada.' },
      ],
      [
        { text: 'a', metadata: { uri: 'file:///a.md', mimeType: 'text/markdown' } },
        { type: 'text', text: 'a', name: 'file:///a.md', mediaType: 'text/markdown' },
      ],
      [
        { media: { url: URL_OF_DATA }, metadata: { filename: 'a.png' } },
        { type: 'image', mediaType: 'image/png', name: 'a.png', data },
      ],
      [{ data: null }, { type: 'json', value: null }],
      [{ data: { a: 1 } }, { type: 'json', value: { a: 1 } }],
      [{ resource: { uri: 'file:///a.log' } }, { type: 'link', url: 'file:///a.log' }],
      [{ media: { url: URL_OF_DATA } }, { type: 'image', mediaType: 'image/png', data }],
      [
        { media: { url: 'https://example.com/a.mp4', contentType: 'video/mp4' } },
        { type: 'video', mediaType: 'video/mp4', url: 'https://example.com/a.mp4' },
      ],
    ])('reads %j', (part, block) => {
      expect(readPart(part)).toEqual({ ...('mediaType' in block ? { name: undefined } : {}), ...block })
    })

    it.each<unknown>([
      { custom: { hits: 3 } },
      { reasoning: 'so' },
      { toolRequest: { name: 'a' } },
      { media: { url: 'data:image/png;base64,not base64!' } },
      { media: {} },
      {},
      null,
      'text',
    ])('passes %j through unchanged', (part) => {
      const block = readPart(part as Part)
      expect(block).toEqual({ type: 'unknown', value: part })
      expect((block as { value: unknown }).value).toBe(part)
    })

    it.each<[ContentBlock, Part]>([
      [{ type: 'text', text: 'a' }, { text: 'a' }],
      [{ type: 'json', value: { a: 1 } }, { data: { a: 1 } }],
      [{ type: 'image', mediaType: 'image/png', data }, { media: { url: URL_OF_DATA, contentType: 'image/png' } }],
    ])('writes %j', (block, part) => {
      expect(writePart(block)).toEqual(part)
    })

    it('writes blocks without text or bytes as data', () => {
      const link = { type: 'link', url: 'https://example.com' } as const
      expect(writePart(link)).toEqual({ data: link })
    })
  })
})
