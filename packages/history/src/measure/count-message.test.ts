import { describe, expect, it } from 'vitest'
import { aiSdkMessages } from '../formats/ai-sdk-messages.ts'
import { countMessage, TextCounter } from './count-message.ts'

interface Message {
  role: string
  content: Record<string, unknown>[]
}

/** Count the tokens of a message as its format reads it, and count the calls of the token counter. */
function counting(): (message: Message) => { readonly tokens: number; readonly asked: number } {
  let asked = 0
  const counter = new TextCounter((text) => ((asked += 1), text.length))
  return (message) => {
    const before = asked
    counter.startPass()
    const [read] = aiSdkMessages<Message>().read([message])
    return { tokens: countMessage(read!, counter.count), asked: asked - before }
  }
}

const call = (input: object): Message => ({
  role: 'assistant',
  content: [
    { type: 'text', text: 'Let me look.' },
    { type: 'tool-call', toolCallId: 'a', toolName: 'read', input },
  ],
})
const result = (output: object): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'read', output }],
})

describe('countMessage', () => {
  it.each([
    call({ path: 'a.ts' }),
    result({ type: 'text', value: 'ok' }),
    result({ type: 'json', value: { ok: true } }),
  ])('counts the tokens of the same message only once: %j', (message) => {
    const count = counting()
    const first = count(message)
    expect(first.asked).toBeGreaterThan(0)
    expect(count(message)).toEqual({ tokens: first.tokens, asked: 0 })
  })

  it.each<[string, Message, (message: Message) => void]>([
    ['a text', call({}), ({ content }) => void Object.assign(content[0]!, { text: 'Let me look at all of it.' })],
    ['arguments', call({}), ({ content }) => void Object.assign(content[1]!['input'] as object, { path: 'a.ts' })],
    ['a part', call({}), ({ content }) => void content.push({ type: 'text', text: 'And more.' })],
    [
      'a value',
      result({ type: 'json', value: {} }),
      ({ content }) => void Object.assign((content[0]!['output'] as { value: object }).value, { rows: [1, 2, 3] }),
    ],
    [
      'an image',
      result({ type: 'content', value: [] }),
      ({ content }) =>
        void (content[0]!['output'] as { value: object[] }).value.push({
          type: 'media',
          data: 'a'.repeat(10_000),
          mediaType: 'image/png',
        }),
    ],
  ])('counts a message again after %s was added', (_, message, change) => {
    const count = counting()
    const { tokens } = count(message)
    change(message)
    expect(count(message).tokens).toBeGreaterThan(tokens)
    expect(count(message).tokens).toBe(counting()(message).tokens)
  })

  it('forgets the count of a text that the last seven passes did not need', () => {
    const count = counting()
    const message = call({ path: 'a.ts' })
    const first = count(message)
    for (let pass = 0; pass < 6; pass += 1) count(result({}))
    expect(count(message).asked).toBe(0)
    for (let pass = 0; pass < 8; pass += 1) count(result({}))
    expect(count(message).asked).toBe(first.asked)
  })
})
