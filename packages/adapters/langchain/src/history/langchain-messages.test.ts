import { isDeepStrictEqual } from 'node:util'
import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
  type StoredMessage,
} from '@langchain/core/messages'
import type { HistoryMessage, HistoryPart, HistoryToolCall, HistoryToolResult } from '@spillway/history'
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { histories, oddMessages } from '../../test/history/generated-messages.ts'
import { langchainMessages } from './langchain-messages.ts'

const format = langchainMessages()
const REFERENCE = '[Offloaded: 1 block, ~12345 tokens]\nIt is stored.'

/** Change parts of messages by copying the messages, as compaction does. */
function edit(messages: readonly HistoryMessage[], change: (part: HistoryPart) => HistoryPart): HistoryMessage[] {
  return messages.map((message) => {
    const parts = message.parts.map(change)
    return parts.every((part, at) => part === message.parts[at]) ? message : { ...message, parts }
  })
}

const isResult = (part: HistoryPart): part is HistoryToolResult => part.type === 'tool-result'
const isCall = (part: HistoryPart): part is HistoryToolCall => part.type === 'tool-call'
const partsOf = (messages: readonly HistoryMessage[]): HistoryPart[] => messages.flatMap(({ parts }) => parts)

/** Expect equal messages, of the same classes and with the same fields. */
function expectSame(actual: readonly BaseMessage[], expected: readonly BaseMessage[]): void {
  for (const [index, message] of expected.entries()) {
    const other = actual[index]!
    if (!isDeepStrictEqual(Object.entries(other), Object.entries(message)))
      expect(Object.entries(other)).toEqual(Object.entries(message))
    expect(Object.getPrototypeOf(other)).toBe(Object.getPrototypeOf(message))
    expect(JSON.stringify(other)).toBe(JSON.stringify(message))
  }
  expect(actual).toHaveLength(expected.length)
}

/** Return the messages as restored from a checkpoint. */
const reloaded = (messages: readonly BaseMessage[]): BaseMessage[] =>
  mapStoredMessagesToChatMessages(
    JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages([...messages]))) as StoredMessage[],
  )

describe('generated histories', () => {
  it('are written back as the same messages', () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        const written = format.write(format.read(messages))
        expect(written).toHaveLength(messages.length)
        for (const [index, message] of messages.entries()) expect(written[index]).toBe(message)
        const copies = format.read(messages).map(({ parts, ...message }) => ({
          ...message,
          parts: parts.map((part) => ({ ...part })),
        }))
        expectSame(format.write(copies), messages)
      }),
    )
  })

  it('change only in the content of results, and can be restored', () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        const original = format.read(messages)
        const shorten = (part: HistoryPart): HistoryPart =>
          isResult(part) ? { ...part, content: [{ type: 'text', text: REFERENCE }] } : part
        const written = format.write(edit(original, shorten))
        for (const [index, message] of messages.entries()) {
          if (message.type !== 'tool') expect(written[index]).toBe(message)
          else expectOthersSame(written[index]!, message, ['content'])
        }
        const reread = format.read(written)
        for (const part of partsOf(reread).filter(isResult)) {
          expect(part.content).toHaveLength(1)
          expect(part.content[0]).toMatchObject({ type: 'text', text: REFERENCE })
        }
        const contents = partsOf(original).filter(isResult)
        let at = -1
        const restored = edit(reread, (part) =>
          isResult(part) ? { ...part, content: contents[(at += 1)]!.content } : part,
        )
        expectSame(format.write(restored), messages)
      }),
    )
  })

  it('change only in the arguments of calls, even if messages repeat the arguments', () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        const original = format.read(messages)
        const secret = JSON.stringify(
          partsOf(original)
            .filter(isCall)
            .map(({ input }) => input),
        )
        const other = (part: HistoryPart): HistoryPart => (isCall(part) ? { ...part, input: { short: 7 } } : part)
        const written = format.write(edit(original, other))
        for (const [index, message] of messages.entries()) {
          const one = written[index]!
          if (!AIMessage.isInstance(one) || (one.tool_calls ?? []).length === 0) expect(one).toBe(message)
          else {
            for (const { args } of one.tool_calls ?? []) expect(args).toEqual({ short: 7 })
            const fields = Object.entries(one).filter(([name]) => name !== 'lc_kwargs')
            const places = (JSON.stringify(fields).match(/\\*"short\\*": ?7/g) ?? []).length
            expect(places).toBe(placesOfArguments(message as AIMessage))
            expectOthersSame(one, message, PLACES)
            expect(geminiBlocks(one)).toEqual(
              geminiBlocks(message).map((block) => ({
                ...block,
                functionCall: { ...block.functionCall, args: { short: 7 } },
              })),
            )
            // The arguments are the same after a checkpoint.
            const [again] = reloaded([one])
            for (const { args } of (again as AIMessage).tool_calls ?? []) expect(args).toEqual({ short: 7 })
          }
        }
        expect(secret).toBe(
          JSON.stringify(
            partsOf(original)
              .filter(isCall)
              .map(({ input }) => input),
          ),
        )
        const natives = partsOf(original).filter(isCall)
        let at = -1
        const restored = edit(format.read(written), (part) => (isCall(part) ? natives[(at += 1)]! : part))
        expectSame(format.write(restored), messages)
      }),
    )
  })

  it('are stored as JSON and restored with their classes and all fields', () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        const json = JSON.stringify(format.encode?.([...messages, ...oddMessages()]))
        expectSame(format.decode?.(JSON.parse(json)) ?? [], [...messages, ...oddMessages()])
      }),
    )
  })

  it('are recognized after a checkpoint', () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        // Checkpoints lose bytes, and values that JSON cannot express.
        const plain = messages.filter((message) => isDeepStrictEqual(reloaded([message])[0]?.content, message.content))
        const [before, after] = [format.read(plain), format.read(reloaded(plain))]
        expect(after.map(({ native }) => JSON.stringify(native))).toEqual(
          before.map(({ native }) => JSON.stringify(native)),
        )
      }),
    )
  })
})

const PLACES = ['tool_calls', 'content', 'additional_kwargs', 'response_metadata', 'tool_call_chunks']

/** Expect that two messages differ at most in the given fields. */
function expectOthersSame(actual: BaseMessage, expected: BaseMessage, fields: readonly string[]): void {
  expect(Object.getPrototypeOf(actual)).toBe(Object.getPrototypeOf(expected))
  const others = (message: BaseMessage): unknown =>
    Object.entries(message).filter(([name]) => name !== 'lc_kwargs' && !fields.includes(name))
  expect(others(actual)).toEqual(others(expected))
  expect(Object.keys(actual.lc_kwargs as object)).toEqual(Object.keys(expected.lc_kwargs as object))
}

const geminiBlocks = ({ content }: BaseMessage): readonly { readonly functionCall: object }[] =>
  (typeof content === 'string' ? [] : content).filter(({ type }) => type === 'functionCall') as never

/** Count the places in which a message repeats the arguments of its calls. */
function placesOfArguments(message: AIMessage): number {
  const { tool_calls: calls = [], content, additional_kwargs: kwargs, response_metadata: metadata } = message
  const blocks =
    typeof content === 'string'
      ? []
      : content.filter(({ type }) => ['tool_use', 'tool_call', 'functionCall'].includes(type))
  const items = (metadata['output'] ?? []) as { type: string }[]
  return (
    calls.length +
    blocks.length +
    (kwargs.tool_calls?.length ?? 0) +
    items.filter(({ type }) => type === 'function_call').length +
    ('tool_call_chunks' in message ? (message.tool_call_chunks as unknown[]).length : 0)
  )
}

describe('langchainMessages', () => {
  it('reads messages of other roles', () => {
    const read = format.read(oddMessages())
    expect(read.map(({ role }) => role)).toEqual(['user', 'system', 'tool'])
    expect(read.map(({ parts: [part] }) => part?.type)).toEqual(['opaque', 'text', 'tool-result'])
    expect(read[2]?.parts[0]).toMatchObject({ callId: 'screen', content: [{ type: 'opaque' }] })
  })

  it('reads names of tools from their calls', () => {
    const calls = [{ id: 'call_1', name: 'read_log', args: {} }]
    const messages = [
      new AIMessage({ content: '', tool_calls: calls }),
      new ToolMessage({ content: 'x', tool_call_id: 'call_1' }),
    ]
    expect(format.read(messages)[1]?.parts[0]).toMatchObject({ toolName: 'read_log', callId: 'call_1' })
  })

  it('makes unique ids for calls without ids', () => {
    const calls = [
      { name: 'a', args: {} },
      { name: 'b', args: {}, id: 'call_0_0' },
    ]
    const ids = partsOf(format.read([new AIMessage({ content: '', tool_calls: calls })])).filter(isCall)
    expect(new Set(ids.map(({ id }) => id)).size).toBe(2)
  })

  it('appends to a system message in its form, or adds a system message', () => {
    const snapshot = { type: 'text', text: '<state_snapshot>' } as const
    const append = (content: SystemMessage['content']): BaseMessage => {
      const message = format.read([new SystemMessage({ content, id: 's' })])[0]!
      return format.write([{ ...message, parts: [...message.parts, snapshot] }])[0]!
    }
    expect(append('Be brief.')).toMatchObject({ id: 's', content: 'Be brief.\n\n<state_snapshot>' })
    expect(append([{ type: 'text', text: 'Be brief.' }])).toMatchObject({
      content: [{ text: 'Be brief.' }, { type: 'text', text: '<state_snapshot>' }],
    })
    const made = format.write([{ role: 'system', parts: [snapshot] }])
    expect(made[0]).toBeInstanceOf(SystemMessage)
    expect(made[0]?.content).toBe('<state_snapshot>')
  })

  it('treats a message that was changed in place as a different message', () => {
    const message = new HumanMessage('one')
    const before = format.read([message])[0]?.native
    message.content = 'two'
    const after = format.read([message])[0]
    expect(after?.parts[0]).toMatchObject({ text: 'two' })
    expect(JSON.stringify(after?.native)).not.toBe(JSON.stringify(before))
  })

  it('keeps the classes of streamed chunks in storage', () => {
    const chunk = new AIMessageChunk({ content: 'Hello' })
    const [decoded] = format.decode?.(JSON.parse(JSON.stringify(format.encode?.([chunk])))) ?? []
    expect(decoded).toBeInstanceOf(AIMessageChunk)
    expect((decoded as AIMessageChunk).concat(new AIMessageChunk(' you')).text).toBe('Hello you')
  })

  it.each([
    ['a value that is not an array', null, 'messages must be an array, not null.'],
    ['a plain object', [{ role: 'user', content: 'x' }], 'messages[0] must be a message of LangChain'],
    ['nothing', [undefined], 'messages[0] must be a message of LangChain'],
    [
      'a result without a call',
      [Object.assign(new ToolMessage('x', 'a'), { tool_call_id: 7 })],
      'messages[0].tool_call_id must be a string, not a number.',
    ],
  ])('rejects %s', (_what, messages, error) => {
    expect(() => format.read(messages as BaseMessage[])).toThrow(error)
  })

  it.each([
    ['a value that is not a list', {}],
    ['another class', [{ class: 'Object', fields: {}, given: [] }]],
    ['a class of another kind', [{ class: 'constructor', fields: {}, given: [] }]],
    ['a field in the place of a method', [{ class: 'HumanMessage', fields: { getType: 'x' }, given: [] }]],
    ['a field in the place of the type', [{ class: 'HumanMessage', fields: { type: 'system' }, given: [] }]],
    ['a message without fields', [{ class: 'HumanMessage', given: [] }]],
  ])('rejects stored values of another form: %s', (_what, value) => {
    expect(() => format.decode?.(value)).toThrow(TypeError)
  })

  it('rejects values that JSON cannot express', () => {
    const message = new ToolMessage({ content: 'x', tool_call_id: 'a', artifact: { close: () => {} } })
    expect(() => format.encode?.([message])).toThrow(TypeError)
  })
})
