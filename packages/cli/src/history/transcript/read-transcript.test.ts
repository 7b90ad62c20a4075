import { expect, test } from 'vitest'
import { detectFormat } from './read-transcript.ts'

const user = { role: 'user', content: 'a' }

test.each([
  ['openai-chat', [user, { role: 'assistant', content: 'b' }]],
  ['openai-chat', [user, { role: 'assistant', content: null, tool_calls: [] }]],
  ['openai-chat', [{ role: 'tool', tool_call_id: 'a', content: 'b' }]],
  ['openai-chat', [{ role: 'developer', content: 'b' }]],
  ['openai-chat', [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'u' } }] }]],
  ['openai-chat', [{ role: 'user', content: [{ type: 'file', file: { file_data: 'd' } }] }]],
  ['openai-responses', [user, { type: 'function_call', call_id: 'a', name: 'b', arguments: '{}' }]],
  ['openai-responses', [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] }]],
  ['openai-responses', [{ role: 'user', content: [{ type: 'input_text', text: 'a' }] }]],
  ['openai-responses', [{ type: 'reasoning', id: 'a', summary: [] }]],
  ['openai-agents', [user, { type: 'function_call', callId: 'a', name: 'b', arguments: '{}' }]],
  [
    'openai-agents',
    [
      { type: 'message', role: 'user', content: 'a' },
      { type: 'function_call_result', callId: 'a' },
    ],
  ],
  ['anthropic', [user, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: {} }] }]],
  [
    'anthropic',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', source: {} },
        ],
      },
    ],
  ],
  ['ai-sdk', [user, { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a' }] }]],
  ['ai-sdk', [{ role: 'user', content: [{ type: 'image', image: 'data' }] }]],
  ['ai-sdk', [{ role: 'user', content: [{ type: 'file', data: 'data', mediaType: 'text/plain' }] }]],
  ['gemini', [{ role: 'user', parts: [{ text: 'a' }] }]],
  ['gemini', [{ role: 'model', parts: [] }]],
  ['neutral', [{ role: 'user', parts: [{ type: 'text', text: 'a' }] }]],
])('the format of %s is recognized by %j', (format, messages) => {
  expect(detectFormat(messages, undefined, false)).toBe(format)
})

test('the format of a list with only texts is recognized by the document around it', () => {
  expect(detectFormat([user], 'messages', true)).toBe('anthropic')
  expect(detectFormat([user], 'messages', false)).toBe('openai-chat')
  expect(detectFormat([user], 'input', false)).toBe('openai-responses')
  expect(detectFormat([{}], 'contents', false)).toBe('gemini')
})

test.each([
  [[{ speaker: 'user', text: 'a' }]],
  [[user, { event: 'a' }]],
  [[user, 'a']],
  [[{ id: 'a', role: 'user', parts: [{ type: 'text', text: 'a' }] }]],
  [[{ type: 'human', data: { content: 'a' } }]],
  [[]],
])('the format is not recognized by %j', (messages) => {
  expect(detectFormat(messages, undefined, false)).toBeUndefined()
})
