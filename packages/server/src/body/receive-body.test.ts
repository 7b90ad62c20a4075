import { ReadableStream } from 'node:stream/web'
import { describe, expect, it } from 'vitest'
import type { BodySpool } from './body-spool.ts'
import { receiveBody, type ReceiveOptions } from './receive-body.ts'

const OPTIONS: ReceiveOptions = { maxBytes: 1_000_000, bodyIdleMs: 1_000, bodyTimeoutMs: 2_000 }

function request(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  headers: Record<string, string> = {},
): Request {
  const init = { method: 'POST', body: ReadableStream.from(chunks), headers, duplex: 'half' }
  return new Request('http://localhost/', init as RequestInit)
}

/** Keeps what it is given, and says what is left of it. */
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
    'gives back %d bytes, and keeps none of a large one in memory',
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

  it('refuses a length over the limit without reading a byte', async () => {
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

  it('cuts a body off that passes the limit, and leaves nothing of it', async () => {
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

  it('gives up on a client that stands still, or trickles', async () => {
    const { spool, open } = memorySpool()
    async function* still(): AsyncGenerator<Uint8Array> {
      yield bytes(100_000)
      await new Promise(() => {})
    }
    async function* trickling(): AsyncGenerator<Uint8Array> {
      for (;;) {
        yield bytes(1)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const times = { bodyIdleMs: 100, bodyTimeoutMs: 400 }
    for (const chunks of [still(), trickling()]) {
      const begin = performance.now()
      await expect(receiveBody(request(chunks), { ...OPTIONS, ...times, spool })).rejects.toMatchObject({
        code: 'request-timeout',
        status: 408,
      })
      expect(performance.now() - begin).toBeLessThan(1_000)
    }
    expect(open()).toBe(0)
  })

  it('says that a body ended before its time', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield bytes(10)
      throw new Error('reset')
    }
    await expect(receiveBody(request(broken()), OPTIONS)).rejects.toMatchObject({ code: 'request-timeout' })
  })

  it('passes on that there is no room', async () => {
    const spool: BodySpool = { open: () => Promise.reject(Object.assign(new Error('full'), { code: 'overloaded' })) }
    await expect(receiveBody(request([bytes(100_000)]), { ...OPTIONS, spool })).rejects.toThrow('full')
  })
})
