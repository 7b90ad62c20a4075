import { describe, expect, it } from 'vitest'
import { anthropicMessages } from '../formats/anthropic-messages.ts'
import type { HistoryMessage } from '../history-message.ts'
import { isSameContent, rebaseMessage } from './remembered-history.ts'

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

describe('rebase message', () => {
  interface Message {
    readonly role: string
    readonly content: readonly object[]
  }

  const format = anthropicMessages<Message>()

  const mark = { cache_control: { type: 'ephemeral' } }

  const call = (input: object, more: object = {}): object => ({
    type: 'tool_use',
    id: 'a',
    name: 'read',
    input,
    ...more,
  })

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
})
