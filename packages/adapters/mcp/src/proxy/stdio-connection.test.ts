import { PassThrough, Writable } from 'node:stream'
import { setImmediate as tick } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newTold, type Told } from '../../test/fake-connection.ts'
import { streamPair } from '../../test/streams.ts'
import type { Message } from '../relay/message.ts'
import { GrowingBuffer, LineReader, StdioConnection, type OverlongLine } from './stdio-connection.ts'

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
  it('delivers messages unchanged and in order', async () => {
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

  it('accepts batches, and skips empty lines', async () => {
    const { told, input } = await bench()
    input.write(`\n \r\n${JSON.stringify([PING, { ...PING, id: 2 }])}\r\n`)
    await settle()
    expect(told.messages).toEqual([PING, { ...PING, id: 2 }])
    expect(told.errors).toEqual([])
  })

  it('reports lines that are not messages without their text, and continues', async () => {
    const { told, input } = await bench()
    input.write(`API_KEY=secret\n{"secret":1}\n[7]\nnull\n${JSON.stringify(PING)}\n`)
    await settle()
    expect(told.messages).toEqual([PING])
    expect(told.errors.map(({ message }) => message)).toEqual([
      'A line of 14 characters is not JSON: servers must log to standard error.',
      ...Array.from({ length: 3 }, () => 'A line is JSON, but not a JSON-RPC 2.0 message.'),
    ])
  })

  it('is closed once when the input ends, after the last message', async () => {
    const { connection, told, input } = await bench()
    input.end(JSON.stringify(PING))
    await settle()
    await connection.close()
    expect(told.messages).toEqual([PING])
    expect(told.closes).toEqual(['its output ended'])
    await expect(connection.send(PING)).rejects.toThrow('The connection is closed.')
  })

  it('is closed by an error of a stream, and reports it', async () => {
    const { told, input } = await bench()
    input.destroy(new Error('the pipe is broken'))
    await settle()
    expect(told.errors).toEqual([new Error('the pipe is broken')])
    expect(told.closes).toEqual(['the pipe is broken'])
  })

  it('waits while the other end reads slowly, but not after it is closed', async () => {
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

it('notifications are dropped for an end that does not read, and answers are not', async () => {
  const output = new Writable({ write() {} })
  const connection = new StdioConnection({ input: new PassThrough(), output })
  await connection.start(newTold())
  const send = (message: object): void => void connection.send({ jsonrpc: '2.0', ...message })
  const data = 'a line of a log\n'.repeat(65_536)
  for (let count = 0; count < 100; count += 1)
    send({ method: 'notifications/message', params: { level: 'info', data } })
  const kept = output.writableLength
  expect(kept).toBeLessThan(72_000_000)
  send({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } })
  expect(output.writableLength).toBe(kept)
  for (const message of [{ id: 1, result: {} }, { method: 'notifications/tools/list_changed' }]) send(message)
  expect(output.writableLength).toBeGreaterThan(kept + 80)
  await connection.close()
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
  ])('is answered with an error if it is %s', async (_name, message, id) => {
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
  ])('causes an error response to its sender if the message is a request %s', async (_name, message) => {
    const { told, input, written } = await bench(1_000)
    input.write(`${JSON.stringify(message)}\n`)
    await settle()
    expect(told.messages).toEqual([])
    expect(JSON.parse(written())).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: -32_603 } })
  })

  it('is reported if it is a notification', async () => {
    const { told, input, written } = await bench(1_000)
    input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { text } })}\n`)
    await settle()
    expect([told.messages, written()]).toEqual([[], ''])
    expect(told.errors).toHaveLength(1)
  })
})

describe('lineReader', () => {
  /** Read chunks, and return the lines. For overlong lines, return their size. */
  function read(chunks: readonly Buffer[], maxBytes = 1_000): readonly (string | number)[] {
    const lines: (string | number)[] = []
    const reader = new LineReader(maxBytes, {
      onLine: (line) => void lines.push(line),
      onOverlong: ({ bytes }) => void lines.push(bytes),
    })
    for (const chunk of chunks) reader.push(chunk)
    reader.end()
    return lines
  }

  /** Reference implementation: split the whole text at once. */
  function split(text: string, maxBytes: number): readonly (string | number)[] {
    const lines = text.split('\n')
    // Text after the last newline is a line only if the text is not empty.
    if (lines.at(-1) === '') lines.pop()
    return lines.map((line) => {
      const bytes = Buffer.byteLength(line)
      return bytes > maxBytes ? bytes : line.replace(/\r$/, '')
    })
  }

  function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
    const sorted = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
    return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end))
  }

  describe('LineReader', () => {
    it('returns all lines, and reports overlong lines, even if a chunk ends within a character', () => {
      const text = fc.string({ unit: fc.constantFrom('a', 'é', '日', '👩', '\r', '\n', '\n', '"'), maxLength: 60 })
      fc.assert(
        fc.property(
          text,
          fc.array(fc.nat(), { maxLength: 8 }),
          fc.integer({ min: 1, max: 12 }),
          (value, places, maxBytes) => {
            expect(read(cut(Buffer.from(value), places), maxBytes)).toEqual(split(value, maxBytes))
          },
        ),
        { numRuns: 1_000 },
      )
    })

    it('keeps only the start and the end of a line that is too long, and continues after it', () => {
      const told: OverlongLine[] = []
      const lines: string[] = []
      const reader = new LineReader(1_000, {
        onLine: (line) => lines.push(line),
        onOverlong: (line) => told.push(line),
      })
      reader.push(Buffer.from('{"id":1,'))
      for (let index = 0; index < 100; index += 1) reader.push(Buffer.alloc(1_000, 'x'))
      reader.push(Buffer.from(',"end":1}\nnext\n'))
      expect(told).toHaveLength(1)
      expect(told[0]?.bytes).toBe(100_017)
      expect(told[0]?.head).toMatch(/^\{"id":1,x+$/)
      expect(told[0]?.tail).toMatch(/^x+,"end":1\}$/)
      expect([told[0]?.head.length, told[0]?.tail.length]).toEqual([512, 512])
      expect(lines).toEqual(['next'])
    })

    it('reads a line of 64 MB in 1,024 chunks in linear time', { timeout: 10_000 }, () => {
      const [line] = read(
        [...Array.from({ length: 1_024 }, () => Buffer.alloc(65_536, 'x')), Buffer.from('\n')],
        100_000_000,
      )
      expect(String(line).length).toBe(67_108_864)
    })
  })
})

describe('growingBuffer', () => {
  describe('GrowingBuffer', () => {
    it('contains all added bytes in order, and is empty after they were taken', () => {
      const pieces = fc.array(
        fc.nat(200_000).map((size) => Buffer.alloc(size, `é👩${size}`)),
        { maxLength: 5 },
      )
      fc.assert(
        fc.property(pieces, pieces, (first, second) => {
          const buffer = new GrowingBuffer()
          for (const part of [first, second]) {
            for (const piece of part) buffer.add(piece)
            const expected = Buffer.concat(part)
            expect(buffer.length).toBe(expected.length)
            expect(buffer.text(10, 20)).toBe(expected.subarray(10, 20).toString('utf8'))
            expect(buffer.take() === expected.toString('utf8')).toBe(true)
            expect(buffer.length).toBe(0)
          }
        }),
        { numRuns: 20 },
      )
    })

    it('copies the given bytes', () => {
      const buffer = new GrowingBuffer()
      const bytes = Buffer.from('abc')
      buffer.add(bytes)
      bytes.fill(0)
      expect(buffer.text()).toBe('abc')
      expect(buffer.text(5)).toBe('')
      buffer.clear()
      buffer.clear()
      expect(buffer.text()).toBe('')
    })
  })
})
