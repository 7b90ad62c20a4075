import { describe, expect, it } from 'vitest'
import type { HistoryMessage, HistoryPart, HistoryText, HistoryToolResult } from '../history-message.ts'
import { openAIChat } from './openai-chat.ts'

const format = openAIChat()

const PNG = 'iVBORw0KGgo='

const call = (id: string, name = 'read', args = '{"path":"app.log"}'): object => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

/** Messages of every kind that the API supports. */
const EVERYTHING: object[] = [
  { role: 'system', content: 'You are terse.' },
  { role: 'developer', content: [{ type: 'text', text: 'Be brief.', prompt_cache_breakpoint: { mode: 'explicit' } }] },
  { role: 'user', name: 'ann', content: 'Why?' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Look.' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
      { type: 'file', file: { file_id: 'file_1' } },
      { type: 'hologram', beams: 3 },
    ],
  },
  {
    role: 'assistant',
    reasoning_content: 'I should read two files.',
    content: null,
    tool_calls: [call('a'), { id: 'b', type: 'custom', custom: { name: 'grep', input: 'error.*' } }, { id: 7 }],
    refusal: null,
    unknown: { retained: true },
  },
  { role: 'tool', tool_call_id: 'a', content: 'first' },
  {
    content: [{ type: 'text', text: 'second', cache_control: { type: 'ephemeral' } }],
    tool_call_id: 'b',
    role: 'tool',
  },
  { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
  { role: 'assistant', content: '', refusal: 'No.', audio: { id: 'audio_1' } },
  { role: 'assistant', content: null, function_call: { name: 'old', arguments: '{}' } },
  { role: 'function', name: 'old', content: 'old result' },
  { role: 'assistant' },
]

const read = (): HistoryMessage[] => [...format.read(EVERYTHING)]

/** Change the parts of one message in a copy, as compaction does. */
function edit(
  messages: readonly HistoryMessage[],
  index: number,
  change: (part: HistoryPart) => HistoryPart,
): HistoryMessage[] {
  const message = messages[index]!
  return [...messages].with(index, { ...message, parts: message.parts.map(change) })
}

const withContent =
  (text: string) =>
  (part: HistoryPart): HistoryPart =>
    part.type === 'tool-result' ? { ...part, content: [{ type: 'text', text }] } : part

describe('openAIChat', () => {
  it('reads every kind of message', () => {
    const messages = read()
    expect(messages.map(({ role }) => role)).toEqual([
      ...['system', 'system', 'user', 'user', 'assistant', 'tool', 'tool'],
      ...['assistant', 'assistant', 'assistant', 'tool', 'assistant'],
    ])
    expect(messages.map(({ parts }) => parts.map(({ type }) => type).join(' '))).toEqual([
      'text',
      'text',
      'text',
      'text image image audio document opaque opaque',
      'reasoning tool-call tool-call opaque',
      'tool-result',
      'tool-result',
      'text',
      'text text opaque',
      'opaque',
      'text',
      '',
    ])
    expect(messages[3]?.parts.slice(1, 5)).toMatchObject([
      { mediaType: 'image/png', base64: PNG },
      { mediaType: 'image/*', url: 'https://example.com/a.png' },
      { mediaType: 'audio/wav', base64: 'AAAA' },
      { mediaType: 'application/pdf', base64: 'JVBERi0=', name: 'a.pdf' },
    ])
    expect(messages[4]?.parts.slice(1, 3)).toMatchObject([
      { id: 'a', name: 'read', input: '{"path":"app.log"}', inputIsText: true },
      { id: 'b', name: 'grep', input: 'error.*', inputIsText: false },
    ])
    expect(messages[6]?.parts[0]).toMatchObject({ callId: 'b', toolName: 'grep', content: [{ text: 'second' }] })
  })

  it('writes the same messages that were read', () => {
    const written = format.write(read())
    for (const [index, message] of EVERYTHING.entries()) expect(written[index]).toBe(message)
  })

  it('changes only the content of a result', () => {
    const written = format.write(edit(edit(read(), 5, withContent('short')), 6, withContent('shorter')))
    expect(written[5]).toStrictEqual({ role: 'tool', tool_call_id: 'a', content: 'short' })
    expect(JSON.stringify(written[6])).toBe(
      '{"content":[{"type":"text","text":"shorter","cache_control":{"type":"ephemeral"}}],"tool_call_id":"b","role":"tool"}',
    )
    expect(written.filter((message, index) => message !== EVERYTHING[index])).toHaveLength(2)
  })

  it('restores a result from stored blocks', () => {
    const original = read()
    const [result] = original[6]!.parts as unknown as [HistoryToolResult]
    const shortened = format.read(format.write(edit(original, 6, withContent('short'))))
    const restored = format.write(
      edit(shortened, 6, (part) => ({ ...(part as HistoryToolResult), content: result.content })),
    )
    expect(restored[6]).toStrictEqual(EVERYTHING[6])
    const [copy] = restored[6] === undefined ? [] : [restored[6] as { content: unknown[] }]
    expect(copy?.content[0]).toBe((EVERYTHING[6] as { content: unknown[] }).content[0])
  })

  it('restores media of a result from stored bytes', () => {
    const media = [
      { type: 'image', mediaType: 'image/png', base64: PNG },
      { type: 'audio', mediaType: 'audio/mpeg', base64: 'AAAA' },
      { type: 'document', mediaType: 'application/pdf', base64: 'JVBERi0=' },
    ] as const
    const restored = format.write(edit(read(), 6, (part) => ({ ...(part as HistoryToolResult), content: media })))
    expect(restored[6]).toMatchObject({
      content: [
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
        { type: 'file', file: { filename: 'document', file_data: 'data:application/pdf;base64,JVBERi0=' } },
      ],
    })
  })

  it('changes only the arguments of a call', () => {
    const shorten = (part: HistoryPart): HistoryPart => (part.type === 'tool-call' ? { ...part, input: '{}' } : part)
    const written = format.write(edit(edit(read(), 4, shorten), 9, shorten))
    expect(written[4]).toStrictEqual({
      ...EVERYTHING[4],
      tool_calls: [
        call('a', 'read', '{}'),
        { id: 'b', type: 'custom', custom: { name: 'grep', input: '{}' } },
        { id: 7 },
      ],
    })
    expect(Object.keys(written[4]!)).toEqual(Object.keys(EVERYTHING[4]!))
    expect(written[9]).toStrictEqual(EVERYTHING[9])
  })

  it('writes a string as a string if a text changes or is appended', () => {
    const upper = (part: HistoryPart): HistoryPart =>
      part.type === 'text' ? { ...part, text: part.text.toUpperCase() } : part
    const [, , user, parts] = format.write(edit(edit(read(), 2, upper), 3, upper))
    expect(user).toStrictEqual({ role: 'user', name: 'ann', content: 'WHY?' })
    expect(parts).toMatchObject({
      content: [{ type: 'text', text: 'LOOK.' }, { type: 'image_url' }, {}, {}, {}, {}, {}],
    })
    const append = (index: number): HistoryMessage => {
      const message = read()[index]!
      return { ...message, parts: [...message.parts, { type: 'text', text: '<state_snapshot>' }] }
    }
    expect(format.write([append(0)])).toEqual([{ role: 'system', content: 'You are terse.\n\n<state_snapshot>' }])
    expect(format.write([append(1)])).toMatchObject([
      { role: 'developer', content: [{ text: 'Be brief.' }, { type: 'text', text: '<state_snapshot>' }] },
    ])
    expect(format.write([append(11)])).toEqual([{ role: 'assistant', content: '<state_snapshot>' }])
  })

  it('writes a new system message', () => {
    expect(format.write([{ role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] }, read()[2]!])).toEqual([
      { role: 'system', content: 'Be brief.' },
      EVERYTHING[2],
    ])
  })

  it('does not change calls and results of former functions, also in a message that changes', () => {
    const messages = [
      { role: 'assistant', content: 'first', function_call: { name: 'old', arguments: '{}' } },
      { role: 'function', name: 'old', content: 'x' },
    ]
    const [called, answered] = format.read(messages)
    expect(format.write([called!, answered!])).toEqual(messages)
    const [text, call] = called!.parts
    const changed = { ...called!, parts: [{ ...text!, text: 'second' } as HistoryText, call!] }
    expect(format.write([changed])).toEqual([{ ...messages[0], content: 'second' }])
  })

  it.each([
    ['a value that is not an array', null, 'messages must be an array, not null.'],
    ['a message that is null', [null], 'messages[0] must be an object, not null.'],
    ['an unknown role', [{ role: '__proto__' }], "messages[0].role must be a role of the API, not '__proto__'."],
    [
      'content of a wrong type',
      [{ role: 'user', content: 7 }],
      'messages[0].content must be a string, an array or null, not a number.',
    ],
    [
      'calls of a wrong type',
      [{ role: 'assistant', tool_calls: {} }],
      'messages[0].tool_calls must be an array, not an object.',
    ],
    [
      'a result without its id',
      [{ role: 'tool', content: 'x' }],
      'messages[0].tool_call_id must be a string, not undefined.',
    ],
  ])('rejects %s', (_what, messages, error) => {
    expect(() => format.read(messages as object[])).toThrow(new TypeError(error))
  })
})
