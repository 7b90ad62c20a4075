import { propertyRuns } from '@spillway-internal/test-run'
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { inspect, isDeepStrictEqual } from 'node:util'
import { nativeHistories } from '../../test/native-histories.ts'
import { FORMAT_NAMES, validateHistory, type FormatName } from '../../test/validate-history.ts'
import { decodeLossless, encodeLossless, type HistoryFormat } from '../history-format.ts'
import type { HistoryMessage, HistoryPart, HistoryToolCall, HistoryToolResult } from '../history-message.ts'
import { aiSdkMessages } from './ai-sdk-messages.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { geminiContents } from './gemini-contents.ts'
import { openAIAgents, openAIResponses } from './openai-responses.ts'
import { openAIChat } from './openai-chat.ts'

const FORMATS: Readonly<Record<FormatName, HistoryFormat<unknown>>> = {
  'openai-chat': openAIChat() as HistoryFormat<unknown>,
  'openai-responses': openAIResponses() as HistoryFormat<unknown>,
  'openai-agents': openAIAgents() as HistoryFormat<unknown>,
  'anthropic-messages': anthropicMessages() as HistoryFormat<unknown>,
  'ai-sdk-messages': aiSdkMessages() as HistoryFormat<unknown>,
  'gemini-contents': geminiContents() as HistoryFormat<unknown>,
}
/** Conversations of each format. */
const RUNS = propertyRuns(50, 1_000)
const REFERENCE = `[Offloaded: 1 block, ~12345 tokens]\nIt is stored, and can be read with the tool.\n${'the beginning of it '.repeat(6)}`

/** Return the messages of a conversation, and its system prompt if that is a separate field. */
function messagesOf(conversation: unknown): unknown[] {
  if (Array.isArray(conversation)) return conversation
  const { messages, contents, ...prompt } = conversation as Record<string, unknown>
  return [...Object.values(prompt), ...((messages ?? contents) as unknown[])]
}

/** Change parts in copies of messages, as compaction does. */
function edit(messages: readonly HistoryMessage[], change: (part: HistoryPart) => HistoryPart): HistoryMessage[] {
  return messages.map((message) => {
    const parts = message.parts.map(change)
    return parts.every((part, at) => part === message.parts[at]) ? message : { ...message, parts }
  })
}

/** Expect equal values. A field `constructor` is compared like any other field. */
function expectSame(value: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(value, expected)) expect(inspect(value, { depth: 12 })).toBe(inspect(expected, { depth: 12 }))
  expect(isDeepStrictEqual(value, expected)).toBe(true)
}

const isResult = (part: HistoryPart): part is HistoryToolResult => part.type === 'tool-result'
const isCall = (part: HistoryPart): part is HistoryToolCall => part.type === 'tool-call'
const partsOf = (messages: readonly HistoryMessage[]): HistoryPart[] => messages.flatMap(({ parts }) => parts)

/** Replace the whole content of a result by a reference, except for opaque blocks. */
function shorten(part: HistoryPart): HistoryPart {
  if (!isResult(part)) return part
  const retained = part.content.filter(({ type }) => type === 'opaque')
  if (retained.length === part.content.length) return part
  return { ...part, content: [{ type: 'text', text: REFERENCE }, ...retained] }
}

describe.each(FORMAT_NAMES)('the format %s', (name) => {
  const format = FORMATS[name]
  const histories = nativeHistories(name)
  const invalid = nativeHistories(name, { orphans: true })

  it('writes the same message objects that were read', () => {
    fc.assert(
      fc.property(fc.oneof(histories, invalid), (conversation) => {
        const written = format.write(format.read(conversation))
        const before = messagesOf(conversation)
        const after = messagesOf(written)
        expect(after).toHaveLength(before.length)
        for (const message of before) expect(after.includes(message)).toBe(true)
        expectSame(written, conversation)
      }),
      RUNS,
    )
  })

  it('writes equal messages from copies of messages and from saved JSON', () => {
    fc.assert(
      fc.property(histories, (conversation) => {
        const messages = format.read(conversation)
        const copies = messages.map((message) => ({ ...message, parts: message.parts.map((part) => ({ ...part })) }))
        expectSame(format.write(copies), conversation)
        const saved: unknown = decodeLossless(JSON.parse(JSON.stringify(encodeLossless(messages))))
        expectSame(format.write(saved as HistoryMessage[]), conversation)
      }),
      RUNS,
    )
  })

  it('changes only the content of results, and can restore it', () => {
    fc.assert(
      fc.property(fc.oneof(histories, invalid), (conversation) => {
        const original = format.read(conversation)
        const written = format.write(edit(original, shorten))
        expect(validateHistory(name, written)).toEqual(validateHistory(name, conversation))
        const reread = format.read(written)
        const shortened = partsOf(edit(original, shorten)).filter(isResult)
        const found = partsOf(reread).filter(isResult)
        expect(found.map(({ content }) => content.map(withoutNative))).toEqual(
          shortened.map(({ content }) => content.map(withoutNative)),
        )
        // After the original blocks are put back, all values are equal to the originals.
        const contents = partsOf(original).filter(isResult)
        let at = -1
        const restored = edit(reread, (part) =>
          isResult(part) ? { ...part, content: contents[(at += 1)]!.content } : part,
        )
        expectSame(format.write(restored), conversation)
      }),
      RUNS,
    )
  })

  it('changes only the arguments of calls', () => {
    fc.assert(
      fc.property(histories, (conversation) => {
        const original = format.read(conversation)
        const other = (part: HistoryPart): HistoryPart =>
          isCall(part) && JSON.stringify(part.input) !== '{}'
            ? { ...part, input: part.inputIsText || typeof part.input === 'string' ? '{"a":1}' : { a: 1 } }
            : part
        const written = format.write(edit(original, other))
        expect(validateHistory(name, written)).toEqual([])
        const inputs = partsOf(original).filter(isCall)
        let at = -1
        const restored = edit(format.read(written), (part) => {
          if (!isCall(part)) return part
          const { input } = inputs[(at += 1)]!
          return JSON.stringify(input) === '{}' ? part : { ...part, input }
        })
        expectSame(format.write(restored), conversation)
      }),
      RUNS,
    )
  })

  it('appends a text to the system prompt, and creates a system prompt if there is none', () => {
    fc.assert(
      fc.property(histories, (conversation) => {
        const snapshot = { type: 'text', text: '<state_snapshot>' } as const
        const [first, ...others] = format.read(conversation)
        const isSystem = first?.role === 'system'
        const messages = first === undefined ? [] : isSystem ? others : [first, ...others]
        const system = isSystem
          ? { ...first, parts: [...first.parts, snapshot] }
          : ({ role: 'system', parts: [snapshot] } as const)
        const written = format.write([system, ...messages])
        expect(validateHistory(name, written)).toEqual([])
        const [prompt, ...rest] = format.read(written)
        expect(prompt?.role).toBe('system')
        expect(prompt?.parts.map((part) => ('text' in part ? part.text : '')).join('\n')).toMatch(/<state_snapshot>$/)
        expect(rest.map(({ native }) => native?.value)).toEqual(messages.map(({ native }) => native?.value))
      }),
      RUNS,
    )
  })

  it('writes the same messages for any value that it can read, and otherwise throws a TypeError', () => {
    const roles = fc.constantFrom('user', 'assistant', 'tool', 'model', 'system', 'function', '__proto__', 7)
    const types = fc.constantFrom(
      'text',
      'tool-call',
      'tool_use',
      'tool_result',
      'tool-result',
      'function_call',
      'image',
      'file',
    )
    const part = fc.oneof(
      fc.anything(),
      fc.record({ type: types, text: fc.anything(), id: fc.anything(), output: fc.anything(), content: fc.anything() }),
      fc.record({ functionCall: fc.anything(), functionResponse: fc.anything(), inlineData: fc.anything() }),
    )
    const content = fc.oneof(fc.anything(), fc.array(part))
    const message = fc.record(
      { role: roles, type: types, content, parts: content, tool_calls: content, call_id: fc.anything() },
      { requiredKeys: [] },
    )
    const list = fc.array(fc.oneof(fc.anything(), message), { maxLength: 4 })
    const conversations = fc.oneof(
      list,
      fc.record({ system: content, messages: list }),
      fc.record({ systemInstruction: content, contents: list }),
    )
    fc.assert(
      fc.property(conversations, (conversation) => {
        let messages: readonly HistoryMessage[] = []
        try {
          messages = format.read(conversation)
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError)
          return
        }
        const written = messagesOf(format.write(messages))
        for (const one of written) expect(messagesOf(conversation).includes(one)).toBe(true)
        expect(Object.prototype).not.toHaveProperty('polluted')
      }),
      propertyRuns(400, 20_000),
    )
  })
})

const withoutNative = ({ native: _native, ...piece }: { readonly native?: unknown }): object => piece

it('messages of another format are rejected, and the error names the fix', () => {
  const messages = FORMATS['openai-chat'].read([{ role: 'user', content: 'Why did the build fail?' }])
  expect(() => FORMATS['anthropic-messages'].write(messages)).toThrow(
    'messages[0] was not read with the format anthropic-messages. Write messages with the format that read them.',
  )
})
