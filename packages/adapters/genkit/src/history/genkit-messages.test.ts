import { propertyRuns } from '@spillway-internal/test-run'
import type { HistoryMessage, HistoryPart, HistoryToolCall, HistoryToolResult } from '@spillway/history'
import type { MessageData } from 'genkit'
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { histories } from '../../test/history/generated-messages.ts'
import { genkitMessages } from './genkit-messages.ts'

const format = genkitMessages()
const REFERENCE = `[Offloaded: 1 block, ~12345 tokens]\nIt is stored.\n${'the beginning of it '.repeat(6)}`

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

/** Expect equal messages, with their fields in the same order. */
function expectSame(actual: readonly MessageData[], expected: readonly MessageData[]): void {
  expect(actual).toStrictEqual(expected)
  expect(JSON.stringify(actual)).toBe(JSON.stringify(expected))
}

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

  it('pair every call with its response, with or without a ref', () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        const parts = partsOf(format.read(messages))
        const ids = parts.filter(isCall).map(({ id }) => id)
        expect(parts.filter(isResult).map(({ callId }) => callId)).toEqual(ids)
        expect(new Set(ids).size).toBe(ids.length)
      }),
    )
  })

  it('change only in tool results, and can be restored', () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        const original = format.read(messages)
        const shorten = (part: HistoryPart): HistoryPart =>
          isResult(part) ? { ...part, content: [{ type: 'text', text: REFERENCE }] } : part
        const written = format.write(edit(original, shorten))
        for (const [index, message] of messages.entries()) {
          if (message.role !== 'tool') expect(written[index]).toBe(message)
          else expect(withoutReturned(written[index]!)).toStrictEqual(withoutReturned(message))
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
        expect(format.write(restored)).toEqual(messages)
      }),
    )
  })

  it('change only in the input of calls', () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        const original = format.read(messages)
        const written = format.write(edit(original, (part) => (isCall(part) ? { ...part, input: { short: 7 } } : part)))
        for (const [index, { content, ...message }] of messages.entries()) {
          const { content: now, ...other } = written[index]!
          expect(other).toStrictEqual(message)
          for (const [at, part] of content.entries())
            if (part.toolRequest === undefined) expect(now[at]).toBe(part)
            else expect(now[at]).toStrictEqual({ ...part, toolRequest: { ...part.toolRequest, input: { short: 7 } } })
        }
      }),
    )
  })
})

const withoutReturned = ({ content, ...message }: MessageData): object => ({
  ...message,
  content: content.map(({ toolResponse, ...part }) => {
    const { output: _output, content: _content, ...response } = toolResponse!
    return { ...part, toolResponse: response }
  }),
})

describe('genkitMessages', () => {
  it('appends to a system message, or adds a system message', () => {
    const snapshot = { type: 'text', text: '<state_snapshot>' } as const
    const system: MessageData = { role: 'system', content: [{ text: 'Be brief.' }], metadata: { preamble: true } }
    const [message] = format.read([system])
    expect(format.write([{ ...message!, parts: [...message!.parts, snapshot] }])).toEqual([
      { ...system, content: [{ text: 'Be brief.' }, { text: '<state_snapshot>' }] },
    ])
    expect(format.write([{ role: 'system', parts: [snapshot] }])).toEqual([
      { role: 'system', content: [{ text: '<state_snapshot>' }] },
    ])
  })

  it('keeps an error marked as an error', () => {
    const failed = { toolResponse: { name: 'read', ref: 'a', output: { error: 'no such file '.repeat(100) } } }
    const messages: MessageData[] = [{ role: 'tool', content: [failed] }]
    const [message] = format.read(messages)
    expect(message?.parts[0]).toMatchObject({ isError: true, content: [{ type: 'text' }] })
    const shorten = (part: HistoryPart): HistoryPart =>
      isResult(part) ? { ...part, content: [{ type: 'text', text: REFERENCE }] } : part
    expect(format.write(edit([message!], shorten))[0]?.content[0]?.toolResponse?.output).toEqual({ error: REFERENCE })
  })

  it.each([
    ['a value that is not an array', null, 'messages must be an array, not null.'],
    ['a value that is not a message', [7], 'messages[0] must be an object, not a number.'],
    ['an unknown role', [{ role: '__proto__', content: [] }], 'messages[0].role must be system, user, model or tool'],
    ['a message without content', [{ role: 'user', content: 'x' }], "messages[0].content must be an array, not 'x'."],
  ])('rejects %s', (_what, messages, error) => {
    expect(() => format.read(messages as MessageData[])).toThrow(error)
  })

  it('accepts any parts, or throws a TypeError', () => {
    const fields = fc.record(
      { name: fc.anything(), ref: fc.anything(), input: fc.anything(), output: fc.anything(), content: fc.anything() },
      { requiredKeys: [] },
    )
    const part = fc.oneof(
      fc.anything(),
      fc.record({ text: fc.anything(), media: fc.anything() }),
      fc.record({ toolRequest: fields }),
      fc.record({ toolResponse: fields }),
    )
    const role = fc.constantFrom('system', 'user', 'model', 'tool', 'other')
    fc.assert(
      fc.property(fc.array(fc.record({ role, content: fc.array(part) })), (messages) => {
        let read: readonly HistoryMessage[] = []
        try {
          read = format.read(messages as MessageData[])
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError)
          return
        }
        const written = format.write(read)
        for (const [index, message] of messages.entries()) expect(written[index]).toBe(message)
      }),
      propertyRuns(200, 1_000),
    )
  })
})
