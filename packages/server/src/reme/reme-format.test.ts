import { expect, it } from 'vitest'
import { remeFormat } from './reme-format.ts'

const flat = {
  role: 'assistant',
  content: 'I will',
  tool_calls: [
    { id: 'a', name: 'search', arguments: { q: 1 } },
    { id: 'b', type: 'tool', name: 'search', arguments: '{"q":2}' },
  ],
}
const chat = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'search', arguments: '{}' } }],
}
const object = { role: 'tool', tool_call_id: 'a', content: { path: '/a', __proto__: null } }

it('the ReMe format reads flat calls, and results that are objects, in the same way as calls and results of the API', () => {
  const [call, result] = remeFormat().read([flat, object])
  expect(call?.parts.filter(({ type }) => type === 'tool-call')).toMatchObject([
    { id: 'a', name: 'search', input: '{"q":1}' },
    { id: 'b', name: 'search', input: '{"q":2}' },
  ])
  expect(result?.parts).toMatchObject([{ type: 'tool-result', callId: 'a', toolName: 'search' }])
})

it('the ReMe format returns the same objects if nothing was changed', () => {
  const format = remeFormat()
  const messages = [{ role: 'user', content: 'x' }, flat, object, chat]
  const written = format.write(format.read(messages))
  for (const [index, message] of messages.entries()) expect(written[index]).toBe(message)
})

it('the ReMe format writes flat calls as flat calls, even in a changed message', () => {
  const format = remeFormat()
  const [message] = format.read([flat])
  const parts = message!.parts.map((part) => (part.type === 'text' ? { ...part, text: 'other' } : part))
  expect(format.write([{ ...message!, parts }])).toEqual([{ ...flat, content: 'other' }])
})

it('the ReMe format rejects a value that is not a message', () => {
  expect(() => remeFormat().read([5] as never)).toThrow('messages[0] must be an object')
  expect(() => remeFormat().read('x' as never)).toThrow('messages must be an array')
})
