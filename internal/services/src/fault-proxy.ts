import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { sparePort } from './spare-port.ts'

/** A TCP proxy in front of a server that can break connections like a real network. */
export interface FaultProxy {
  readonly host: string
  readonly port: number
  /** Number of bytes that clients have received from the server. */
  readonly bytesRead: number
  /** Number of bytes that clients have sent to the server. */
  readonly bytesWritten: number
  /** Number of accepted connections. */
  readonly connections: number
  /** Reset all connections. New connections work. */
  cut(): void
  /** Reset all connections once, after this many more bytes in both directions, counted over all connections. */
  cutAfter(bytes: number): void
  /** Stop forwarding data, and accept new connections without answering. */
  stall(): void
  /** Reset all connections, and refuse new ones. */
  refuse(): Promise<void>
  /** Forward everything again, including stalled data. */
  restore(): Promise<void>
  /** Reset all connections, and stop the proxy. */
  close(): Promise<void>
}

/** Start a proxy on a spare port of 127.0.0.1 for the server at `host` and `port`. */
export async function faultProxy(target: { readonly host: string; readonly port: number }): Promise<FaultProxy> {
  const proxy = new TcpFaultProxy(target, await sparePort())
  await proxy.listen()
  return proxy
}

class TcpFaultProxy implements FaultProxy {
  readonly host = '127.0.0.1'
  readonly port: number
  bytesRead = 0
  bytesWritten = 0
  connections = 0
  readonly #target: { readonly host: string; readonly port: number }
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #isStalled = false
  #bytesUntilCut = Infinity

  constructor(target: { readonly host: string; readonly port: number }, port: number) {
    this.#target = target
    this.port = port
  }

  async listen(): Promise<void> {
    if (this.#server !== undefined) return
    const server = createServer({ pauseOnConnect: true }, (client) => this.#accept(client))
    this.#server = server
    server.listen(this.port, this.host)
    await once(server, 'listening')
    server.unref()
  }

  cut(): void {
    this.#bytesUntilCut = Infinity
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  cutAfter(bytes: number): void {
    this.#bytesUntilCut = bytes
  }

  stall(): void {
    this.#isStalled = true
    for (const socket of this.#sockets) socket.pause()
  }

  async refuse(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    this.cut()
    if (server !== undefined) await new Promise((resolve) => server.close(resolve))
  }

  async restore(): Promise<void> {
    this.#bytesUntilCut = Infinity
    this.#isStalled = false
    for (const socket of this.#sockets) socket.resume()
    await this.listen()
  }

  async close(): Promise<void> {
    await this.refuse()
  }

  #accept(client: Socket): void {
    this.connections += 1
    const server = connect(this.#target)
    this.#pass(client, server, (bytes) => (this.bytesWritten += bytes))
    this.#pass(server, client, (bytes) => (this.bytesRead += bytes))
  }

  #pass(from: Socket, to: Socket, count: (bytes: number) => void): void {
    this.#sockets.add(from)
    from.setNoDelay(true)
    from.on('data', (chunk: Buffer) => {
      const allowed = chunk.subarray(0, this.#bytesUntilCut)
      count(allowed.length)
      this.#bytesUntilCut -= allowed.length
      if (!to.write(allowed)) from.pause()
      if (this.#bytesUntilCut === 0) this.cut()
    })
    to.on('drain', () => this.#isStalled || from.resume())
    from.on('end', () => to.end())
    // If one side of a connection breaks, the other side is reset.
    from.on('error', () => to.resetAndDestroy())
    from.on('close', () => {
      this.#sockets.delete(from)
      to.destroy()
    })
    if (!this.#isStalled) from.resume()
  }
}
