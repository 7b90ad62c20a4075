import { expect, test } from 'vitest'
import { readClaudeCode } from './claude-code.ts'

const row = (type: string, content: unknown, id?: string): string => JSON.stringify({ type, message: { id, content } })
const read = (...rows: string[]) => readClaudeCode(rows.join('\n'))

test('rows of one message become one message, followed by the results of its parallel calls in order', () => {
  const { messages, steps } = read(
    row('user', 'Read both.'),
    row('assistant', [{ type: 'thinking', thinking: 'Both, then.' }], 'm1'),
    row('assistant', [{ type: 'tool_use', id: 'a', name: 'Read', input: { file: 'a' } }], 'm1'),
    row('user', [{ type: 'tool_result', tool_use_id: 'a', content: 'text of a' }]),
    row('assistant', [{ type: 'tool_use', id: 'b', name: 'Read', input: { file: 'b' } }], 'm1'),
    row('user', [
      { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'text of b' }] },
      { type: 'text', text: 'Go on.' },
    ]),
    row('assistant', [{ type: 'text', text: 'Done.' }], 'm2'),
  )
  expect(messages).toEqual([
    { role: 'user', content: 'Read both.' },
    {
      role: 'assistant',
      content: 'Both, then.',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'Read', arguments: '{"file":"a"}' } },
        { id: 'b', type: 'function', function: { name: 'Read', arguments: '{"file":"b"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: 'text of a' },
    { role: 'tool', tool_call_id: 'b', content: 'text of b' },
    { role: 'user', content: 'Go on.' },
    { role: 'assistant', content: 'Done.' },
  ])
  expect(steps.map(({ message }) => message)).toEqual([0, 1, 1, 2, 1, 3, 4, 5])
})

test('rows that are not messages are left out, and an image becomes a line of text', () => {
  const { messages, steps } = read(
    JSON.stringify({ type: 'progress', data: {} }),
    row('user', 'Look.'),
    row('assistant', [{ type: 'tool_use', id: 'a', name: 'Look', input: {} }], 'm1'),
    row('user', [
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [
          { type: 'text', text: 'Here:' },
          { type: 'image', source: { media_type: 'image/png', data: 'AAAA' } },
        ],
      },
    ]),
  )
  expect(messages.at(-1)?.content).toBe('Here:\n[image: image/png, 4 characters of base64]')
  expect(steps.at(-1)).toEqual({ message: 2 })
})

test('a block of unknown type causes an error, because its content would be lost', () => {
  expect(() => read(row('user', [{ type: 'document' }]))).toThrow('A block of the type document')
})

test('results before the first call are left out, because their calls are missing, and a later result without a call causes an error', () => {
  const result = (id: string) => row('user', [{ type: 'tool_result', tool_use_id: id, content: `text of ${id}` }])
  const call = row('assistant', [{ type: 'tool_use', id: 'b', name: 'Read', input: {} }], 'm1')
  const { messages, steps } = read(result('a'), call, result('b'))
  expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool'])
  expect(steps).toEqual([
    { message: undefined, result: 'text of a' },
    { message: 0 },
    { message: 1, result: 'text of b' },
  ])
  expect(() => read(result('a'), call, result('c'))).toThrow('The result c has no call.')
})
