import { PassThrough, Writable } from 'node:stream'
import { setImmediate as tick } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newTold, type Told } from '../../test/fake-connection.ts'
import { streamPair } from '../../test/streams.ts'
import type { Message } from '../relay/message.ts'
import { StdioConnection } from './stdio-connection.ts'

const PING: Message = { jsonrpc: '2.0', id: 1, method: 'ping' }

interface Bench {
  readonly connection: StdioConnection
  readonly told: Told
  readonly input: PassThrough
  readonly written: () => string
}

async function bench(maxMessageBytes?: number): Promise<Bench> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let written = ''
  output.on('data', (data: Buffer) => (written += data.toString()))
  const connection = new StdioConnection({ input, output, maxMessageBytes })
  const told = newTold()
  await connection.start(told)
  return { connection, told, input, written: () => written }
}

async function settle(): Promise<void> {
  for (let round = 0; round < 10; round += 1) await tick()
}

describe('StdioConnection', () => {
  it('brings messages to the other end as they are, in their order', async () => {
    const params = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })
    await fc.assert(
      fc.asyncProperty(fc.array(params, { maxLength: 20 }), async (all) => {
        const [left, right] = streamPair()
        const [sender, receiver] = [new StdioConnection(left), new StdioConnection(right)]
        const [told, heard] = [newTold(), newTold()]
        await Promise.all([sender.start(told), receiver.start(heard)])
        for (const one of all) await sender.send({ jsonrpc: '2.0', method: 'x', params: one })
        await settle()
        // -0 is 0 in JSON.
        expect(heard.messages).toEqual(
          JSON.parse(JSON.stringify(all.map((one) => ({ jsonrpc: '2.0', method: 'x', params: one })))),
        )
        expect([...told.errors, ...heard.errors]).toEqual([])
      }),
      { numRuns: 30 },
    )
  })

  it('takes batches, and passes over empty lines', async () => {
    const { told, input } = await bench()
    input.write(`\n \r\n${JSON.stringify([PING, { ...PING, id: 2 }])}\r\n`)
    await settle()
    expect(told.messages).toEqual([PING, { ...PING, id: 2 }])
    expect(told.errors).toEqual([])
  })

  it('tells of lines that are no messages, without their text, and goes on', async () => {
    const { told, input } = await bench()
    input.write(`API_KEY=secret\n{"secret":1}\n[7]\nnull\n${JSON.stringify(PING)}\n`)
    await settle()
    expect(told.messages).toEqual([PING])
    expect(told.errors.map(({ message }) => message)).toEqual([
      'A line of 14 characters is no JSON: servers must log to standard error.',
      ...Array.from({ length: 3 }, () => 'A line is JSON, but no message of JSON-RPC 2.0.'),
    ])
  })

  it('is closed once, when the input ends, with what came last', async () => {
    const { connection, told, input } = await bench()
    input.end(JSON.stringify(PING))
    await settle()
    await connection.close()
    expect(told.messages).toEqual([PING])
    expect(told.closes).toEqual(['its output ended'])
    await expect(connection.send(PING)).rejects.toThrow('The connection is closed.')
  })

  it('is closed by an error of a stream, which is told', async () => {
    const { told, input } = await bench()
    input.destroy(new Error('the pipe is broken'))
    await settle()
    expect(told.errors).toEqual([new Error('the pipe is broken')])
    expect(told.closes).toEqual(['the pipe is broken'])
  })

  it('waits where the other end reads slowly, and no longer than it is open', async () => {
    const slow = new Writable({ highWaterMark: 10, write: () => {} })
    const connection = new StdioConnection({ input: new PassThrough(), output: slow })
    await connection.start(newTold())
    let isSent = false
    for (let count = 0; count < 20; count += 1) void connection.send(PING)
    expect(slow.listenerCount('drain')).toBe(1)
    const sent = connection.send(PING).then(() => (isSent = true))
    await settle()
    expect(isSent).toBe(false)
    await connection.close()
    await sent
  })
})

describe('a message that is too large', () => {
  const text = 'x'.repeat(2_000)

  it.each([
    ['a result with its id first', { jsonrpc: '2.0', id: 7, result: { text } }, 7],
    ['a result with its id last', { result: { text }, jsonrpc: '2.0', id: 'seven' }, 'seven'],
    [
      'a result that begins with a method',
      { result: { structuredContent: { method: 'GET', text } }, jsonrpc: '2.0', id: 7 },
      7,
    ],
    ['an error', { jsonrpc: '2.0', id: 7, error: { code: -1, message: text } }, 7],
  ])('is answered with an error where it is %s', async (_name, message, id) => {
    const { told, input, written } = await bench(1_000)
    const line = JSON.stringify(message)
    input.write(`${line}\n${JSON.stringify(PING)}\n`)
    await settle()
    const why = `A message of ${line.length} bytes is larger than the 1000 allowed: raise --max-message-bytes.`
    expect(told.messages).toEqual([{ jsonrpc: '2.0', id, error: { code: -32_603, message: why } }, PING])
    expect(told.errors).toEqual([new Error(why)])
    expect(written()).toBe('')
  })

  it.each([
    ['with its id first', { jsonrpc: '2.0', id: 7, method: 'x', params: { result: { text } } }],
    ['with its id last', { method: 'x', params: { result: { text } }, jsonrpc: '2.0', id: 7 }],
  ])('is refused to who asks where it is a request %s', async (_name, message) => {
    const { told, input, written } = await bench(1_000)
    input.write(`${JSON.stringify(message)}\n`)
    await settle()
    expect(told.messages).toEqual([])
    expect(JSON.parse(written())).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: -32_603 } })
  })

  it('is told of where it is a notification', async () => {
    const { told, input, written } = await bench(1_000)
    input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { text } })}\n`)
    await settle()
    expect([told.messages, written()]).toEqual([[], ''])
    expect(told.errors).toHaveLength(1)
  })
})
