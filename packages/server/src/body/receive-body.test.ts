import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ReadableStream } from 'node:stream/web'
import { receiveBody, type BodySpool, type ReceiveOptions } from './receive-body.ts'

const OPTIONS: ReceiveOptions = {
  maxBytes: 1_000_000,
  minBodyBytesPerSecond: 1_000,
  bodyWindowMs: 1_000,
  bodyTimeoutMs: 2_000,
  caller: 'a',
}

function request(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  headers: Record<string, string> = {},
): Request {
  const init = { method: 'POST', body: ReadableStream.from(chunks), headers, duplex: 'half' }
  return new Request('http://localhost/', init as RequestInit)
}

/** Create a spool in memory that counts its open bodies and written bytes. */
function memorySpool(): { readonly spool: BodySpool; readonly open: () => number; readonly written: () => number } {
  let open = 0
  let written = 0
  const spool: BodySpool = {
    open: async () => {
      open += 1
      const chunks: Uint8Array[] = []
      let isRemoved = false
      return {
        write: async (chunk) => {
          written += chunk.length
          chunks.push(chunk.slice())
        },
        read: async () => Buffer.concat(chunks),
        remove: async () => {
          if (!isRemoved) open -= 1
          isRemoved = true
        },
      }
    },
  }
  return { spool, open: () => open, written: () => written }
}

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => index % 251)

describe('receiveBody', () => {
  it.each([0, 1, 65_536, 65_537, 300_000])(
    'returns a body of %d bytes, and writes a large body to the spool',
    async (size) => {
      const { spool, open, written } = memorySpool()
      const whole = bytes(size)
      const chunks = Array.from({ length: Math.ceil(size / 10_000) }, (_, index) =>
        whole.subarray(index * 10_000, (index + 1) * 10_000),
      )
      const body = await receiveBody(request(chunks), { ...OPTIONS, spool })
      expect(body.size).toBe(size)
      expect(written()).toBe(size > 65_536 ? size : 0)
      expect(Buffer.compare(await body.read(), whole)).toBe(0)
      await body.remove()
      await body.remove()
      expect(open()).toBe(0)
    },
  )

  it('rejects a declared length over the limit before it reads the body', async () => {
    let pulled = 0
    async function* chunks(): AsyncGenerator<Uint8Array> {
      pulled += 1
      yield bytes(1)
    }
    await expect(receiveBody(request(chunks(), { 'content-length': '1000001' }), OPTIONS)).rejects.toMatchObject({
      code: 'too-large',
      status: 413,
    })
    expect(pulled).toBeLessThanOrEqual(1)
  })

  it('stops reading a body that exceeds the limit, and removes it from the spool', async () => {
    const { spool, open } = memorySpool()
    let given = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        given += 100_000
        yield bytes(100_000)
      }
    }
    await expect(receiveBody(request(endless()), { ...OPTIONS, spool })).rejects.toMatchObject({ code: 'too-large' })
    expect(given).toBeLessThan(2_000_000)
    expect(open()).toBe(0)
  })

  describe('with a slow client', () => {
    const times = { bodyWindowMs: 100, bodyTimeoutMs: 400 }
    const tooSlow = { code: 'request-timeout', status: 408 }

    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
    afterEach(() => void vi.useRealTimers())

    /** Start to receive a body. Returns a function that returns the outcome so far. */
    function receive(chunks: AsyncIterable<Uint8Array>, spool: BodySpool): () => unknown {
      let outcome: unknown = 'pending'
      receiveBody(request(chunks), { ...OPTIONS, ...times, spool }).then(
        () => (outcome = 'received'),
        (error: unknown) => (outcome = error),
      )
      return () => outcome
    }

    it('rejects if the client sends no bytes', async () => {
      const { spool, open } = memorySpool()
      async function* still(): AsyncGenerator<Uint8Array> {
        yield bytes(100_000)
        await new Promise(() => {})
      }
      const outcome = receive(still(), spool)
      await vi.advanceTimersByTimeAsync(99)
      expect([outcome(), open()]).toEqual(['pending', 1])
      await vi.advanceTimersByTimeAsync(1)
      expect(outcome()).toMatchObject(tooSlow)
      expect(open()).toBe(0)
    })

    /** Yields bytes every 50 ms. */
    async function* trickling(count: number): AsyncGenerator<Uint8Array> {
      yield bytes(100_000)
      for (;;) {
        yield bytes(count)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }

    it('rejects if the client sends more slowly than the minimum rate', async () => {
      const { spool, open } = memorySpool()
      const outcome = receive(trickling(10), spool)
      await vi.advanceTimersByTimeAsync(100)
      expect([outcome(), open()]).toEqual(['pending', 1])
      await vi.advanceTimersByTimeAsync(50)
      expect(outcome()).toMatchObject(tooSlow)
      expect(open()).toBe(0)
    })

    it('rejects after the total time, at any rate', async () => {
      const { spool, open } = memorySpool()
      const outcome = receive(trickling(50), spool)
      await vi.advanceTimersByTimeAsync(399)
      expect([outcome(), open()]).toEqual(['pending', 1])
      await vi.advanceTimersByTimeAsync(1)
      expect(outcome()).toMatchObject(tooSlow)
      expect(open()).toBe(0)
    })
  })

  it('rejects a body that ends early', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield bytes(10)
      throw new Error('reset')
    }
    await expect(receiveBody(request(broken()), OPTIONS)).rejects.toMatchObject({ code: 'request-timeout' })
  })

  it('rejects with the error of a full spool', async () => {
    const spool: BodySpool = { open: () => Promise.reject(Object.assign(new Error('full'), { code: 'overloaded' })) }
    await expect(receiveBody(request([bytes(100_000)]), { ...OPTIONS, spool })).rejects.toThrow('full')
  })
})
