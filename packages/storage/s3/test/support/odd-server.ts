import { once } from 'node:events'
import {
  createServer,
  request as sendRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** An answer of a server. */
export interface Answer {
  readonly status: number
  readonly headers?: IncomingHttpHeaders
  readonly body?: Uint8Array | string
  /** Cut the connection after this many bytes of the body. */
  readonly cutAt?: number
}

/** Answer a request in any way; `ask` sends the request to the real server and returns its answer. */
export type Answerer = (request: IncomingMessage, ask: () => Promise<Answer>) => Promise<Answer>

/** A server that can be stopped. */
export interface OddServer {
  readonly endpoint: string
  /** Set the answers from now on. Without a function, the real server answers. */
  answer(answerer?: Answerer): void
  close(): Promise<void>
}

/** Start a server in front of a real server, to change some of its answers. */
export async function oddServer(real: string): Promise<OddServer> {
  const { hostname, port } = new URL(real)
  const asIs: Answerer = (_, ask) => ask()
  let answerer = asIs
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const ask = async (): Promise<Answer> => {
      const { method, url, headers } = request
      const { expect: _, connection: __, ...passed } = headers
      const options = { hostname, port, method, path: url, headers: passed, setHost: false, agent: false }
      const [answer] = (await once(sendRequest(options).end(Buffer.concat(chunks)), 'response')) as [IncomingMessage]
      const body: Buffer[] = []
      for await (const chunk of answer) body.push(chunk as Buffer)
      return { status: answer.statusCode ?? 502, headers: answer.headers, body: Buffer.concat(body) }
    }
    const { status, headers = {}, body = '', cutAt } = await answerer(request, ask)
    response.writeHead(status, headers)
    if (cutAt === undefined) response.end(body)
    else response.write(Buffer.from(body).subarray(0, cutAt), () => response.destroy())
  }
  // If answering fails, the client sees a lost connection.
  const server = createServer((request, response) => {
    void Promise.allSettled([handle(request, response)]).then(([handled]) => {
      if (handled.status === 'rejected') response.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (next = asIs) => void (answerer = next),
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** The answer of S3 to a failed request. */
export const failure = (status: number, code: string): Answer => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>As told.</Message></Error>`,
})
