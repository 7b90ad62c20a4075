import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../relay/message.ts'
import { readId, readMessages, writeMessage } from './message-text.ts'

const read = (text: string): Message => readMessages(text)[0] as Message
const NUMBERS = '{"id":1915883588174806058,"price":10.00,"small":-0,"far":1e400}'

describe('the text of a message', () => {
  it.each([
    `{"jsonrpc":"2.0","id":1,"result":${NUMBERS}}`,
    ' { "jsonrpc" : "2.0", "id":1.0, "params": {"10":1,"2":1, "a":1, "a":2} } ',
    '{"jsonrpc":"2.0","method":"x","params":{"text":"\\u00e9\\/\\ud800"}}',
    `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(50_000)}1.0${']'.repeat(50_000)}}`,
  ])('is written unchanged: %.60s', (text) => {
    expect(writeMessage(read(text))).toBe(text)
  })

  it('keeps the digits of its numbers if the message is changed', () => {
    const message = read(`{"jsonrpc":"2.0","id":1,"params":{"arguments":${NUMBERS}}}`)
    expect(writeMessage({ ...message, id: 2 })).toBe(`{"jsonrpc":"2.0","id":2,"params":{"arguments":${NUMBERS}}}`)
  })

  it('keeps the digits of numbers in a batch', () => {
    const texts = [`{"jsonrpc":"2.0","id":1,"result":${NUMBERS}}`, '{"jsonrpc":"2.0","id":2,"result":{}}']
    expect(readMessages(`[${texts.join(',')}]`).map((message) => writeMessage(message as Message))).toEqual(texts)
  })

  it('is otherwise read in the same way as by JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify({ params: value })
        expect(readMessages(text)).toEqual([JSON.parse(text)])
      }),
    )
  })
})

describe('a request id', () => {
  const IDS = ['9007199254740993', '9007199254740992', '-12345678901234567890', '1.5000']

  it('becomes a unique string if it is not a safe integer, and is written as received', () => {
    const messages = IDS.map((id) => read(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`))
    expect(new Set(messages.map(({ id }) => id)).size).toBe(IDS.length)
    for (const [index, { id }] of messages.entries()) {
      expect(readId(IDS[index] as string)).toBe(id)
      expect(writeMessage({ jsonrpc: '2.0', id: id!, result: {} })).toBe(
        `{"jsonrpc":"2.0","id":${IDS[index]},"result":{}}`,
      )
    }
  })

  it('is the same in the notification that cancels its request', () => {
    const text = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}'
    const message = read(text)
    expect(message.params?.['requestId']).toBe(readId('9007199254740993'))
    expect(writeMessage({ ...message, params: { ...message.params } })).toBe(text)
  })

  it('is read as a number in any notation if it has few digits', () => {
    expect([readId('1'), readId('1.0'), readId('"1"')]).toEqual([1, 1, '1'])
  })
})
