import { describe, expect, it } from 'vitest'
import { anthropicMessages } from '../formats/anthropic-messages.ts'
import type { HistoryMessage } from '../history-message.ts'
import { isSameContent } from './is-same-content.ts'

interface Message {
  role: string
  content: unknown
}
const result = (text: string): object => ({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text }] })
const read = (message: Message): HistoryMessage => anthropicMessages<Message>().read({ messages: [message] })[0]!

describe('isSameContent', () => {
  it('knows the same object, and a copy of it', () => {
    const message = { role: 'user', content: [result('ok'), { type: 'text', text: 'Go on.' }] }
    expect(isSameContent(read(message), read(message))).toBe(true)
    expect(isSameContent(read(message), read(structuredClone(message)))).toBe(true)
  })

  it('tells another message, whatever else its API keeps', () => {
    const one = read({ role: 'user', content: [result('ok')] })
    expect(isSameContent(one, read({ role: 'user', content: [result('other')] }))).toBe(false)
    expect(isSameContent(one, read({ role: 'user', content: [{ ...result('ok'), cache_control: {} }] }))).toBe(true)
    expect(isSameContent(one, { ...one, role: 'assistant' })).toBe(false)
  })

  it.each<[string, (message: { role: string; content: object[] }) => void]>([
    ['a text', ({ content }) => void Object.assign(content[0]!, { content: 'another' })],
    [
      'a text within',
      ({ content }) => void Object.assign((content[0] as Message).content as object[], [{ type: 'text', text: 'x' }]),
    ],
    ['a field', ({ content }) => void Object.assign(content[0]!, { is_error: true })],
    ['a part more', ({ content }) => void content.push(result('more'))],
    ['a part less', ({ content }) => void content.pop()],
  ])('tells the same object with %s since it was read', (_, change) => {
    const message = { role: 'user', content: [result('ok')] }
    const before = read(message)
    change(message)
    expect(isSameContent(before, read(message))).toBe(false)
  })
})
