import { expect, it } from 'vitest'
import { anthropicMessages } from '../formats/anthropic-messages.ts'
import { rebaseMessage } from './rebase-message.ts'

interface Message {
  readonly role: string
  readonly content: readonly object[]
}

const format = anthropicMessages<Message>()
const mark = { cache_control: { type: 'ephemeral' } }
const call = (input: object, more: object = {}): object => ({ type: 'tool_use', id: 'a', name: 'read', input, ...more })
const result = (content: string, more: object = {}): object => ({
  type: 'tool_result',
  tool_use_id: 'a',
  content,
  ...more,
})

it.each<[string, string, object, object, object]>([
  ['a result', 'user', result('short', mark), result('long'), result('short')],
  ['a result that is marked now', 'user', result('short'), result('long', mark), result('short', mark)],
  ['arguments', 'assistant', call({ path: '…' }, mark), call({ path: 'a.ts' }), call({ path: '…' })],
  [
    'a text',
    'user',
    { type: 'text', text: 'short', ...mark },
    { type: 'text', text: 'long' },
    { type: 'text', text: 'short' },
  ],
  ['what has not changed', 'user', result('ok', mark), result('ok'), result('ok')],
])('gives %s the marks of now', (_, role, changed, now, expected) => {
  const before = { role, content: [result('first'), changed] }
  const read = format.read({ messages: [before, { role, content: [result('first'), now] }] })
  const { messages } = format.write([rebaseMessage(read[0]!, read[1]!)])
  expect(JSON.stringify(messages)).toBe(JSON.stringify([{ role, content: [result('first'), expected] }]))
})

it('gives back the very message that says the same, and leaves one of other parts', () => {
  const [one, same, other] = format.read({
    messages: [
      { role: 'user', content: [result('ok', mark)] },
      { role: 'user', content: [result('ok')] },
      { role: 'user', content: [result('ok'), result('more')] },
    ],
  })
  expect(rebaseMessage(one!, same!)).toBe(same)
  expect(rebaseMessage(one!, other!)).toBe(one)
})
