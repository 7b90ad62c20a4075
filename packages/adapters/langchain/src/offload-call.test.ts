import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { Command, GraphInterrupt, NodeInterrupt, ParentCommand, Send } from '@langchain/langgraph'
import { describe, expect, it } from 'vitest'
import { isCommand, offloadCall, replaceInCommand } from './offload-call.ts'

const LOG = 'a line of a log\n'.repeat(1_000)
const PNG = 'iVBORw0KGgo='
const toolCall = { name: 'read_log', id: 'call_1', args: { path: '/a' } }
const offloaded = expect.stringMatching(/^\[Offloaded: /)

const calling = <Result>(run: () => Result | Promise<Result>, signal?: AbortSignal): Promise<Result> =>
  offloadCall(new ContextOffloader({ storage: new InMemoryStorage() }), toolCall, signal, run)

/** Return the error of a call whose tool throws the given value. */
const throwing = async (thrown: unknown, signal?: AbortSignal): Promise<unknown> =>
  calling(() => {
    throw thrown
  }, signal).then(
    () => expect.fail('The call does not throw.'),
    (error: unknown) => error,
  )

it('offloadCall changes only the content of a message', async () => {
  const artifact = { rows: [1] }
  const fields = {
    id: 'message_1',
    name: 'read_log',
    tool_call_id: 'call_1',
    status: 'success',
    artifact,
    metadata: { took: 7 },
    additional_kwargs: { a: 1 },
    response_metadata: { b: 2 },
  } as const
  const original = new ToolMessage({ ...fields, content: LOG })
  const message = await calling(() => original)
  expect(message).toMatchObject({ ...fields, content: offloaded })
  expect(message.artifact).toBe(artifact)
  expect(original.content).toBe(LOG)
  expect(JSON.parse(JSON.stringify(message))).toMatchObject({ kwargs: { ...fields, content: offloaded } })
})

it.each<[what: string, result: unknown]>([
  ['a small text', new ToolMessage({ content: 'small', tool_call_id: 'call_1' })],
  ['no content', new ToolMessage({ content: [], tool_call_id: 'call_1' })],
  [
    'a small command',
    new Command({ update: { messages: [new ToolMessage({ content: 'a', tool_call_id: 'call_1' })] } }),
  ],
  [
    'an answer of the retrieval tool',
    new ToolMessage({ content: LOG, tool_call_id: 'call_1', name: RETRIEVAL_TOOL_NAME }),
  ],
  ['a value that is neither a message nor a command', { content: LOG }],
])('offloadCall returns the same object for %s', async (_what, result) => {
  expect(await calling(() => result)).toBe(result)
})

it('offloadCall keeps blocks that are not offloaded after the replacement, as the same objects', async () => {
  const image = { type: 'image', mimeType: 'image/png', data: PNG }
  const custom = { type: 'search_result', source: 'a' }
  const content = [image, { type: 'text', text: LOG }, custom]
  const message = await calling(() => new ToolMessage({ content, tool_call_id: 'call_1' }))
  expect(message.content).toEqual([{ type: 'text', text: offloaded }, image, custom])
  expect(message.content[1]).toBe(image)
})

it('offloadCall stores an array of plain objects as one value', async () => {
  const rows = Array.from({ length: 5_000 }, (_, id) => ({ id }))
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const message = await offloadCall(
    offloader,
    toolCall,
    undefined,
    () => new ToolMessage({ content: rows as never, tool_call_id: 'call_1' }),
  )
  expect(message.content).toEqual([{ type: 'text', text: expect.stringMatching(/^\[Offloaded: 1 block/) }])
})

it('offloadCall offloads each message of a command under its own id', async () => {
  const messages = ['call_1', 'call_2'].map((id) => new ToolMessage({ content: LOG, tool_call_id: id }))
  const command = await calling(() => new Command({ update: { messages, seen: true } }))
  expect(command.update).toMatchObject({ seen: true, messages: [{ content: offloaded }, { content: offloaded }] })
  const [first, second] = (command.update as { messages: ToolMessage[] }).messages
  expect(first?.content).toMatch(/\n {2}call_1_/)
  expect(second?.content).toMatch(/\n {2}call_2_/)
})

it('offloadCall throws the same error if it is small', async () => {
  const error = new RangeError('small')
  expect(await throwing(error)).toBe(error)
})

it('offloadCall throws an error of the same class if it is large, with the original as its cause', async () => {
  const error = Object.assign(new RangeError(LOG), { code: 'E1' })
  const thrown = await throwing(error)
  expect(thrown).toBeInstanceOf(RangeError)
  expect(thrown).toMatchObject({ message: offloaded, code: 'E1', cause: error })
})

it.each([
  new GraphInterrupt([{ value: LOG }]),
  new NodeInterrupt(LOG),
  new ParentCommand(new Command({ graph: Command.PARENT, update: { note: LOG } })),
  new DOMException(LOG, 'AbortError'),
  Object.assign(new Error(LOG), { name: 'AbortError' }),
])('offloadCall passes on thrown values that are not tool errors: %o', async (signal) => {
  expect(await throwing(signal)).toBe(signal)
})

it("offloadCall passes on a tool's error after the run was aborted", async () => {
  const error = new Error(LOG)
  expect(await throwing(error, AbortSignal.abort())).toBe(error)
})

it('offloadCall throws the cause of an error that LangChain wrapped, because LangChain shows the cause to the model', async () => {
  const cause = new RangeError(LOG)
  const wrapped = [1, 2].reduce<Error>(
    (inner) => Object.assign(new Error(LOG, { cause: inner }), { '~brand': 'MiddlewareError' }),
    cause,
  )
  const thrown = await throwing(wrapped)
  expect(thrown).toBeInstanceOf(RangeError)
  expect(thrown).toMatchObject({ message: offloaded, cause })
  const small = Object.assign(new Error('small', { cause: new Error('small') }), { '~brand': 'MiddlewareError' })
  expect(await throwing(small)).toBe(small)
})

it('offloadCall accepts a tool call without an id', async () => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const thrown = offloadCall(offloader, { name: 'a', args: {} }, undefined, () => Promise.reject(new Error(LOG)))
  await expect(thrown).rejects.toMatchObject({ message: offloaded })
})

it("offloadCall adds a previewer's image as an image", async () => {
  const added = { type: 'image', mediaType: 'image/webp', data: new Uint8Array(3_000) } as const
  const previewer = { name: 'smaller', recognize: () => 1, read: async () => ({ blocks: [added] }) }
  const previewers = [{ ...previewer, previews: 'media' as const }]
  const offloader = new ContextOffloader({ storage: new InMemoryStorage(), previewers })
  const url = `data:image/png;base64,${'A'.repeat(2_000_000)}`
  const content = [{ type: 'image_url', image_url: { url } }]
  const message = await offloadCall(
    offloader,
    toolCall,
    undefined,
    () => new ToolMessage({ content, tool_call_id: 'c' }),
  )
  expect(message.content).toMatchObject([
    { type: 'text', text: offloaded },
    { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/webp;base64,AAAA/) } },
  ])
})

describe('replaceInCommand', () => {
  const message = (content: string): ToolMessage => new ToolMessage({ content, tool_call_id: content })
  const large = message('large')
  const small = message('small')
  const replaced = message('replaced')
  const ai = new AIMessage('not of a tool')
  const replace = async (one: ToolMessage): Promise<ToolMessage> => (one === large ? replaced : one)

  it.each<[form: string, update: unknown, expected: unknown]>([
    [
      'messages',
      { messages: [ai, large, small, large], files: { a: 1 } },
      { messages: [ai, replaced, small, replaced], files: { a: 1 } },
    ],
    ['one message', { messages: large }, { messages: replaced }],
    [
      'pairs',
      [
        ['files', [large]],
        ['messages', [large]],
      ],
      [
        ['files', [large]],
        ['messages', [replaced]],
      ],
    ],
    ['a state that is an array of messages', [ai, large], [ai, replaced]],
    ['a state that is a message', large, replaced],
  ])('replaces tool messages in an update of %s', async (_form, update, expected) => {
    const command = new Command({
      update: update as Record<string, unknown>,
      goto: ['a', new Send('b', {})],
      resume: 1,
    })
    const result = await replaceInCommand(command as Command & { lg_name: 'Command' }, replace)
    expect(result).toBeInstanceOf(Command)
    expect(isCommand(result)).toBe(true)
    expect(result.update).toEqual(expected)
    expect(result).toMatchObject({ goto: ['a', expect.any(Send)], resume: 1, graph: undefined })
    expect(JSON.stringify(command.update)).toBe(JSON.stringify(update))
  })

  it('keeps the target graph of a command', async () => {
    const command = new Command({ graph: Command.PARENT, goto: 'a', update: { messages: [large] } })
    expect(await replaceInCommand(command as Command & { lg_name: 'Command' }, replace)).toMatchObject({
      graph: Command.PARENT,
      goto: ['a'],
    })
  })

  it.each<unknown>([
    undefined,
    null,
    'text',
    { messages: [ai, small] },
    { messages: small },
    { messages: 'text' },
    { other: [large] },
    [['other', [large]]],
    [],
  ])('returns the same command if it has no large messages: %j', async (update) => {
    const command = new Command({ update: update as Record<string, unknown> })
    expect(await replaceInCommand(command as Command & { lg_name: 'Command' }, replace)).toBe(command)
  })
})
