import { once } from 'node:events'
import { createServer, request as sendRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { sparePort } from './spare-port.ts'

/** A response that replaces the server's response. */
export interface HttpFault {
  readonly status: number
  /** An S3 error code, for example `SlowDown`. The response has an S3 error document with it. */
  readonly code?: string | undefined
  /** The whole body, instead of an error document. */
  readonly body?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Pattern of the operations that fail; see {@link HttpFaults.requests}. Defaults to all operations. */
  readonly operation?: RegExp | undefined
}

/** An HTTP proxy in front of a server that counts requests, and can answer instead of the server. */
export interface HttpFaults {
  /** The URL, for example `http://127.0.0.1:17000`. */
  readonly endpoint: string
  /**
   * Number of requests by operation: method and sorted names of the query's parameters, for example `PUT` or
   * `GET ?list-type&prefix`. The parameter `x-id`, which SDKs add, is left out.
   */
  readonly requests: ReadonlyMap<string, number>
  /** Number of requests. */
  readonly count: number
  /** Bytes of bodies that clients have received from the server. */
  readonly bytesRead: number
  /** Bytes of bodies that clients have sent. */
  readonly bytesWritten: number
  /** Answer the next requests with a fault, at most this many; `Infinity` for no limit. Replaces an earlier fault. */
  failNext(count: number, fault: HttpFault): void
  /** Remove the fault, and set all counters to 0. */
  reset(): void
  /** Stop the proxy, and break all connections. */
  close(): Promise<void>
}

/** Start an HTTP proxy on a spare port of 127.0.0.1. `Host` is forwarded unchanged, so signatures stay valid. */
export async function httpFaults(endpoint: string): Promise<HttpFaults> {
  const proxy = new HttpFaultProxy(endpoint, await sparePort())
  await proxy.listen()
  return proxy
}

class HttpFaultProxy implements HttpFaults {
  readonly endpoint: string
  readonly requests = new Map<string, number>()
  bytesRead = 0
  bytesWritten = 0
  readonly #target: URL
  readonly #port: number
  readonly #server: Server
  #fault: HttpFault | undefined
  #faultsLeft = 0

  constructor(target: string, port: number) {
    this.#target = new URL(target)
    this.#port = port
    this.endpoint = `http://127.0.0.1:${port}`
    this.#server = createServer((request, response) => this.#serve(request, response))
  }

  get count(): number {
    return [...this.requests.values()].reduce((sum, count) => sum + count, 0)
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#server.unref()
  }

  failNext(count: number, fault: HttpFault): void {
    this.#fault = fault
    this.#faultsLeft = count
  }

  reset(): void {
    this.#faultsLeft = 0
    this.bytesRead = 0
    this.bytesWritten = 0
    this.requests.clear()
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const operation = operationOf(request)
    this.requests.set(operation, (this.requests.get(operation) ?? 0) + 1)
    request.on('data', (chunk: Buffer) => (this.bytesWritten += chunk.length))
    const fault = this.#fault
    if (this.#faultsLeft > 0 && fault !== undefined && (fault.operation?.test(operation) ?? true)) {
      this.#faultsLeft -= 1
      // Like real servers, the proxy reads the request before it refuses it.
      request.on('end', () => refuse(response, fault)).resume()
    } else this.#forward(request, response)
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    const { method, url, headers } = request
    // The proxy itself has already answered `Expect: 100-continue`.
    const { expect: _, connection: __, ...passed } = headers
    const { hostname, port } = this.#target
    const forwarded = sendRequest({ hostname, port, method, path: url, headers: passed, setHost: false, agent: false })
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('data', (chunk: Buffer) => (this.bytesRead += chunk.length))
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    response.on('close', () => forwarded.destroy())
    request.pipe(forwarded)
  }
}

function operationOf({ method = '', url = '' }: IncomingMessage): string {
  const names = [...new Set(new URL(url, 'http://host').searchParams.keys())].filter((name) => name !== 'x-id').sort()
  return names.length === 0 ? method : `${method} ?${names.join('&')}`
}

function refuse(response: ServerResponse, { status, code, body, headers }: HttpFault): void {
  const xml = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>As told.</Message></Error>`
  const text = body ?? (code === undefined ? '' : xml)
  response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(text)
}
