import { describe, expect, it } from 'vitest'
import type { HistoryContent, HistoryMessage, HistoryPart } from '../history-message.ts'
import { openAIAgents, openAIResponses } from './openai-responses.ts'

const format = openAIResponses()

const PNG = 'data:image/png;base64,iVBORw0KGgo='

/** Replace the result or the arguments in one item. */
function edit(items: object[], index: number, change: (part: HistoryPart) => HistoryPart): object[] {
  const messages = [...format.read(items)]
  const message = messages[index]!
  messages[index] = { ...message, parts: message.parts.map(change) }
  return format.write(messages)
}

const withText =
  (value: string) =>
  (part: HistoryPart): HistoryPart =>
    part.type === 'tool-result' ? { ...part, content: [{ type: 'text', text: value }] } : part

describe('openAIResponses', () => {
  it('reads output of a model as messages of the assistant, and does not change results of the provider', () => {
    const items = [
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [
          { type: 'summary_text', text: 'First' },
          { type: 'summary_text', text: 'then' },
        ],
      },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'mcp_approval_response', approval_request_id: 'a', approve: true },
      { id: 'msg_9' },
      { type: 'compaction', encrypted_content: 'gA' },
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    ]
    const messages = format.read(items)
    expect(messages.map(({ role, parts }) => [role, parts[0]?.type])).toEqual([
      ['assistant', 'reasoning'],
      ['assistant', 'opaque'],
      ['tool', 'opaque'],
      ['assistant', 'opaque'],
      ['assistant', 'opaque'],
      ['assistant', 'text'],
    ])
    expect(messages[0]?.parts[0]).toMatchObject({ text: 'First\nthen' })
  })

  it('pairs local shell results by the id of the call or by the id of its item', () => {
    const call = {
      type: 'local_shell_call',
      id: 'ls_1',
      call_id: 'call_1',
      action: { type: 'exec', command: ['ls'], env: {} },
    }
    const results = [
      { type: 'local_shell_call_output', id: 'ls_1', output: 'a' },
      { type: 'local_shell_call_output', id: 'x', call_id: 'call_1', output: 'b' },
    ]
    for (const { parts } of format.read([call, ...results]).slice(1))
      expect(parts[0]).toMatchObject({ callId: 'call_1', toolName: 'local_shell' })
  })

  it('reads the output of commands, and does not change their exit codes', () => {
    const outcome = { type: 'exit', exit_code: 2 }
    const output = [
      { stdout: 'one\n', stderr: 'two\n', outcome },
      { stdout: '', stderr: 'three', outcome },
    ]
    const items = [
      { type: 'shell_call', call_id: 'c', action: { commands: ['a', 'b'] } },
      { type: 'shell_call_output', call_id: 'c', output, max_output_length: 9 },
    ]
    expect(format.read(items)[1]?.parts[0]).toMatchObject({ content: [{ text: 'one\ntwo\n' }, { text: 'three' }] })
    expect(edit(items, 1, withText('short'))[1]).toEqual({
      ...items[1],
      output: [{ stdout: 'short', stderr: '', outcome }],
    })
  })

  it('writes arguments in the form that the API requires', () => {
    const items = [
      {
        type: 'apply_patch_call',
        call_id: 'a',
        status: 'completed',
        operation: { type: 'update_file', path: 'a', diff: 'long' },
      },
      { type: 'shell_call', call_id: 'b', action: { commands: ['long', 'ls'], timeout_ms: 5 } },
      { type: 'computer_call', call_id: 'c', id: 'cu', status: 'completed', action: { type: 'type', text: 'long' } },
      { type: 'custom_tool_call', call_id: 'd', name: 'sql', input: 'long' },
    ]
    const whole = (part: HistoryPart): HistoryPart =>
      part.type === 'tool-call' ? { ...part, input: { offloaded: 'short' } } : part
    const written = items.map((_item, index) => edit(items, index, whole)[index])
    expect(written).toEqual([
      { ...items[0], operation: { type: 'update_file', path: 'a', diff: 'short' } },
      { ...items[1], action: { commands: ['short'], timeout_ms: 5 } },
      items[2],
      { ...items[3], input: '{"offloaded":"short"}' },
    ])
    const inside = { type: 'update_file', path: 'a', diff: 'short' }
    const [patched] = edit(items, 0, (part) => (part.type === 'tool-call' ? { ...part, input: inside } : part))
    expect(patched).toEqual({ ...items[0], operation: inside })
  })

  it('never changes screenshots, and results that programs of the provider read', () => {
    const items = [
      { type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', image_url: PNG } },
      { type: 'function_call_output', call_id: 'd', caller: { type: 'program', caller_id: 'p' }, output: 'long' },
      { type: 'function_call_output', name: 'read', output: 'of no call' },
    ]
    expect(
      format
        .read(items)
        .map(({ parts: [part] }) => (part?.type === 'tool-result' ? part.content[0]?.type : part?.type)),
    ).toEqual(['opaque', 'opaque', 'opaque'])
    expect(edit(items, 0, withText('short'))[0]).toBe(items[0])
  })

  it('writes an array as an array, and keeps the cache breakpoint of its parts', () => {
    const mark = { prompt_cache_breakpoint: { mode: 'explicit' } }
    const image = { type: 'input_image', image_url: PNG }
    const output = [{ type: 'input_text', text: 'long', ...mark }, image]
    const items = [{ type: 'function_call_output', id: 'fco', call_id: 'c', output, status: null }]
    const shortened = edit(items, 0, (part) =>
      part.type === 'tool-result' ? { ...part, content: [{ type: 'text', text: 'short' }, part.content[1]!] } : part,
    )
    expect(shortened[0]).toEqual({ ...items[0], output: [{ type: 'input_text', text: 'short', ...mark }, image] })
    expect((shortened[0] as (typeof items)[0])!.output[1]).toBe(image)
  })

  it.each([
    [[{ type: 'message', role: 'judge', content: 'x' }], "items[0].role must be a role of the API, not 'judge'."],
    [[{ type: 'message', role: 'user', content: 7 }], 'items[0].content must be a string or an array, not a number.'],
    [[{ type: 7 }], 'items[0].type must be a string, not a number.'],
    [[{}], 'items[0].type must be a string, not undefined.'],
    [
      [{ type: 'function_call_output', call_id: 'c', output: 7 }],
      'items[0].output must be an output of the API, not a number.',
    ],
  ])('rejects %j', (items, error) => {
    expect(() => format.read(items)).toThrow(new TypeError(error))
  })
})

describe('openAIAgents', () => {
  const format = openAIAgents()

  const withContent =
    (content: readonly HistoryContent[]) =>
    (message: HistoryMessage): HistoryMessage => ({
      ...message,
      parts: message.parts.map((part): HistoryPart => (part.type === 'tool-result' ? { ...part, content } : part)),
    })

  it('writes an output in its original form: a text, a single part, or parts', () => {
    const item = { type: 'function_call_result', name: 'read', callId: 'c', status: 'completed' }
    const items = [
      { ...item, output: 'long' },
      { ...item, output: { type: 'text', text: 'long', providerData: { retained: true } } },
      { ...item, output: { type: 'image', image: { data: 'iVBORw0KGgo=', mediaType: 'image/png' } } },
      { ...item, output: [{ type: 'input_text', text: 'long' }] },
    ]
    const messages = format.read(items)
    expect(messages.map(({ parts: [part] }) => part?.type === 'tool-result' && part.content[0]?.type)).toEqual([
      'text',
      'text',
      'image',
      'text',
    ])
    expect(
      format
        .write(messages.map(withContent([{ type: 'text', text: 'short' }])))
        .map((one) => (one as (typeof items)[0]).output),
    ).toEqual([
      'short',
      { type: 'text', text: 'short' },
      { type: 'text', text: 'short' },
      [{ type: 'input_text', text: 'short' }],
    ])
  })

  it('reads images, sounds and files with data, and does not change those that have only an id', () => {
    const content = [
      { type: 'input_image', image: 'data:image/png;base64,iVBORw0KGgo=' },
      { type: 'input_image', image: { id: 'f' } },
      { type: 'input_file', file: { url: 'https://example.com/a.pdf' }, filename: 'a.pdf' },
      { type: 'input_file', file: 'JVBERi0=' },
      { type: 'audio', audio: 'AAAA', format: 'mp3' },
    ]
    expect(format.read([{ role: 'user', content }])[0]?.parts).toMatchObject([
      { type: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgo=' },
      { type: 'opaque' },
      { type: 'document', url: 'https://example.com/a.pdf', name: 'a.pdf' },
      { type: 'document', base64: 'JVBERi0=' },
      { type: 'audio', mediaType: 'audio/mp3', base64: 'AAAA' },
    ])
  })
})
