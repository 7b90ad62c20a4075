import { describe, expect, it } from 'vitest'
import type { HistoryContent, HistoryPart, HistoryToolCall, HistoryToolResult } from '../history-message.ts'
import { geminiContents } from './gemini-contents.ts'

const format = geminiContents()

const call = (name: string, id?: string): object => ({
  functionCall: { ...(id === undefined ? {} : { id }), name, args: { a: 1 } },
})

const response = (name: string, value: object = {}, id?: string): object => ({
  functionResponse: { ...(id === undefined ? {} : { id }), name, response: value },
})

/** Return the calls of all responses, as positions. */
function pairsOf(contents: object[]): number[] {
  const parts = format.read({ contents }).flatMap((message) => message.parts)
  const ids = parts.filter((part): part is HistoryToolCall => part.type === 'tool-call').map(({ id }) => id)
  const results = parts.filter((part): part is HistoryToolResult => part.type === 'tool-result')
  expect(new Set(ids).size).toBe(ids.length)
  return results.map(({ callId }) => ids.indexOf(callId))
}

/** Write a response after replacing its content. */
function withContent(functionResponse: object, content: readonly HistoryContent[]): object {
  const messages = format.read({ contents: [{ role: 'user', parts: [{ functionResponse }] }] }).map((message) => ({
    ...message,
    parts: message.parts.map((part): HistoryPart => (part.type === 'tool-result' ? { ...part, content } : part)),
  }))
  const [
    {
      parts: [written],
    },
  ] = format.write(messages).contents as [{ parts: [{ functionResponse: object }] }]
  return written.functionResponse
}

const short: HistoryContent = { type: 'text', text: 'short' }

const log = 'a line of a log\n'.repeat(20)

describe('geminiContents', () => {
  it('pairs responses with calls by id, or by name and order', () => {
    expect(
      pairsOf([
        { role: 'model', parts: [call('read'), call('grep'), call('read')] },
        { role: 'user', parts: [response('grep'), response('read'), response('read')] },
        { role: 'model', parts: [call('read', 'x'), call('read', 'y')] },
        { role: 'function', parts: [response('read', {}, 'y'), response('read')] },
      ]),
    ).toEqual([1, 0, 2, 4, 3])
  })

  it('does not pair a response with a call of an earlier turn', () => {
    expect(
      pairsOf([
        { role: 'model', parts: [call('read'), call('read')] },
        { role: 'user', parts: [response('read')] },
        { role: 'model', parts: [call('grep')] },
        { role: 'user', parts: [response('read'), response('grep')] },
      ]),
    ).toEqual([0, -1, 2])
  })

  it('writes no ids if the original has no ids', () => {
    const contents = [
      { role: 'model', parts: [{ ...call('read'), thoughtSignature: 'Cg' }] },
      { role: 'user', parts: [response('read', { output: 'x' })] },
    ]
    const copies = format
      .read({ contents })
      .map((message) => ({ ...message, parts: message.parts.map((part) => ({ ...part })) }))
    expect(format.write(copies)).toStrictEqual({ contents })
  })

  it.each([
    [{ output: log }, { output: 'short' }],
    [
      { status: 'ok', log, took: 3 },
      { status: 'ok', log: 'short', took: 3 },
    ],
    [
      { stdout: log, stderr: 'a warning' },
      { stdout: 'short', stderr: 'a warning' },
    ],
    [{ error: log }, { error: 'short' }],
    [{ rows: [1, 2] }, { output: 'short' }],
    [{ first: log, second: log }, { output: 'short' }],
    [{ log, beside: Array.from({ length: 900 }, (_, index) => index) }, { output: 'short' }],
  ])('replaces the content of %o by a text', (value, expected) => {
    expect(withContent({ id: 'c', name: 'read', response: value }, [short])).toEqual({
      id: 'c',
      name: 'read',
      response: expected,
    })
  })

  it('restores an object from JSON, and an error response is still an error', () => {
    expect(
      withContent({ name: 'read', response: { output: 'short' } }, [{ type: 'json', value: { rows: [1] } }]),
    ).toEqual({
      name: 'read',
      response: { rows: [1] },
    })
    expect(withContent({ name: 'read', response: { error: { code: 7 } } }, [short])).toEqual({
      name: 'read',
      response: { error: 'short' },
    })
  })

  it('keeps media next to a response, and removes media that the changed result does not have', () => {
    const parts = [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }]
    const whole = { name: 'read', response: { output: log }, parts, willContinue: false }
    const [result] = format.read({ contents: [{ role: 'user', parts: [{ functionResponse: whole }] }] })[0]!
      .parts as unknown as [HistoryToolResult]
    expect(result.content).toMatchObject([{ type: 'text' }, { type: 'image', base64: 'iVBORw0KGgo=' }])
    expect(withContent(whole, [short, result.content[1]!])).toEqual({ ...whole, response: { output: 'short' } })
    expect(withContent(whole, [short])).toStrictEqual({
      name: 'read',
      response: { output: 'short' },
      willContinue: false,
    })
  })

  it('does not change thoughts, and code that the API ran', () => {
    const [message] = format.read({
      contents: [
        {
          role: 'model',
          parts: [
            { text: 'hm', thought: true },
            { executableCode: { code: '1' } },
            { codeExecutionResult: { output: '1' } },
          ],
        },
      ],
    })
    expect(message?.parts.map(({ type }) => type)).toEqual(['reasoning', 'opaque', 'opaque'])
  })

  it.each([
    ['Be brief.', 'Be brief.\n\nshort'],
    [
      { role: 'user', parts: [{ text: 'Be brief.' }] },
      { role: 'user', parts: [{ text: 'Be brief.' }, { text: 'short' }] },
    ],
    [[{ text: 'Be brief.' }], [{ text: 'Be brief.' }, { text: 'short' }]],
    [['Be brief.'], ['Be brief.', { text: 'short' }]],
  ])('accepts a text at the end of the instruction %j', (systemInstruction, expected) => {
    const [message] = format.read({ systemInstruction, contents: [] })
    expect(format.write([{ ...message!, parts: [...message!.parts, { type: 'text', text: 'short' }] }])).toStrictEqual({
      systemInstruction: expected,
      contents: [],
    })
  })

  it.each([
    [{ contents: {} }, 'contents must be an array, not an object.'],
    [{ contents: [{ role: 'system', parts: [] }] }, "contents[0].role must be user or model, not 'system'."],
    [{ contents: [{ role: 'user', parts: 'x' }] }, "contents[0].parts must be an array, not 'x'."],
    [
      { systemInstruction: null, contents: [] },
      'systemInstruction must be a string, a part, an array or a content, not null.',
    ],
  ])('rejects %j', (conversation, error) => {
    expect(() => format.read(conversation as never)).toThrow(new TypeError(error))
  })
})
