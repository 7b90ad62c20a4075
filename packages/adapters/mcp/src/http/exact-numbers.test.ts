import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeMessage } from '../proxy/message-text.ts'
import type { Message } from '../relay/message.ts'
import { ExactNumbers } from './exact-numbers.ts'

const RESULT = '{"id":1915883588174806058,"price":10.00,"text":"é \\" 12345678901234567890","list":[-0,1e400,7]}'
const MESSAGE = `{"jsonrpc":"2.0","id":1,"result":${RESULT}}`

/** A body in chunks of the given size. */
function body(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
}

describe('ExactNumbers', () => {
  it('keeps the numbers of a body exact through JSON.parse, with any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (size) => {
        const numbers = new ExactNumbers()
        const marked = numbers.markBody(body(MESSAGE, size), { isEventStream: false })
        const message = (await new Response(marked).json()) as Message
        expect(writeMessage(numbers.reveal(message))).toBe(MESSAGE)
      }),
    )
  })

  it('marks numbers only in the data of events', async () => {
    const stream = [
      ': 12345678901234567890',
      'id: 12345678901234567890',
      `data: ${MESSAGE}`,
      '',
      'retry: 1.0',
      `data: ${MESSAGE}`,
      '',
      'data: {"n":1.0}',
    ].join('\r\n')
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 400 }), async (size) => {
        const numbers = new ExactNumbers()
        const lines = (await new Response(numbers.markBody(body(stream, size), { isEventStream: true })).text()).split(
          '\r\n',
        )
        const [comment, id, first, , retry, second] = lines
        expect([comment, id, retry]).toEqual([': 12345678901234567890', 'id: 12345678901234567890', 'retry: 1.0'])
        for (const line of [first, second]) {
          const message = JSON.parse((line ?? '').slice('data: '.length)) as Message
          expect(writeMessage(numbers.reveal(message))).toBe(MESSAGE)
        }
      }),
    )
  })

  it('returns the same message if no number was marked', async () => {
    const numbers = new ExactNumbers()
    const text = '{"jsonrpc":"2.0","id":1,"result":{"n":[1,-2.5,1e+21]}}'
    const message = (await new Response(numbers.markBody(body(text, 9), { isEventStream: false })).json()) as Message
    expect(numbers.reveal(message)).toBe(message)
  })

  it('passes a body on unchanged if it is longer than allowed', async () => {
    const text = `[${'1.0,'.repeat(1_000)}1.0]`
    const marked = new ExactNumbers().markBody(body(text, 100), { isEventStream: false, maxLength: 500 })
    expect(await new Response(marked).text()).toBe(text)
  })
})
