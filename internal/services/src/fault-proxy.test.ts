import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { faultProxy, type FaultProxy } from './fault-proxy.ts'

const MEGABYTE = 1_000_000

/** Start a proxy in front of a server that sends back everything it receives. */
async function echo(): Promise<FaultProxy> {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await faultProxy({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
  onTestFinished(async () => {
    await proxy.close()
    server.close()
  })
  return proxy
}

function open(proxy: FaultProxy): Socket {
  // Errors also arrive after the test has read everything. Readers get them from the stream.
  return connect({ host: proxy.host, port: proxy.port }).on('error', () => {})
}

/** Read this many bytes. Rejects if the connection breaks before. */
async function read(socket: Socket, bytes: number): Promise<number> {
  let size = 0
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length
    if (size >= bytes) return size
  }
  throw new Error(`ended after ${size}`)
}

describe('a proxy', () => {
  test('passes everything on, and counts it', async () => {
    const proxy = await echo()
    const socket = open(proxy)
    socket.write(Buffer.alloc(3 * MEGABYTE))
    expect(await read(socket, 3 * MEGABYTE)).toBe(3 * MEGABYTE)
    expect([proxy.bytesRead, proxy.bytesWritten, proxy.connections]).toEqual([3 * MEGABYTE, 3 * MEGABYTE, 1])
    socket.end()
    await once(socket, 'close')
  })

  test('cuts open connections, and accepts new ones', async () => {
    const proxy = await echo()
    const socket = open(proxy)
    socket.write('a')
    await read(socket, 1)
    proxy.cut()
    await expect(read(socket, 1)).rejects.toMatchObject({ code: 'ECONNRESET' })
    const next = open(proxy)
    next.write('b')
    expect(await read(next, 1)).toBe(1)
  })

  test('cuts one connection in the middle of a transfer', async () => {
    const proxy = await echo()
    proxy.cutAfter(MEGABYTE)
    const socket = open(proxy)
    socket.write(Buffer.alloc(3 * MEGABYTE))
    await expect(read(socket, 3 * MEGABYTE)).rejects.toThrow(/ECONNRESET|EPIPE|ended after/)
    expect(proxy.bytesRead + proxy.bytesWritten).toBe(MEGABYTE)
    const next = open(proxy)
    next.write(Buffer.alloc(3 * MEGABYTE))
    expect(await read(next, 3 * MEGABYTE)).toBe(3 * MEGABYTE)
  })

  test('stalls all connections without closing them, even new ones, and later forwards data again', async () => {
    const proxy = await echo()
    const before = open(proxy)
    before.write('a')
    await read(before, 1)
    proxy.stall()
    const after = open(proxy)
    before.write('b')
    after.write('c')
    await once(after, 'connect')
    // This is long enough for forwarded data to arrive.
    await delay(100)
    expect(proxy.bytesRead).toBe(1)
    await proxy.restore()
    expect([await read(before, 1), await read(after, 1)]).toEqual([1, 1])
  })

  test('refuses connections until it is restored, on the same port', async () => {
    const proxy = await echo()
    const socket = open(proxy)
    await once(socket, 'connect')
    await proxy.refuse()
    await expect(read(socket, 1)).rejects.toMatchObject({ code: 'ECONNRESET' })
    await expect(once(open(proxy), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await proxy.restore()
    const next = open(proxy)
    next.write('a')
    expect(await read(next, 1)).toBe(1)
  })
})
