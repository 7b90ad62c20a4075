import { Agent, request } from 'node:http'

/** A request to send. */
export interface CallRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** A received answer. */
export interface Answer {
  readonly status: number | undefined
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: Buffer
}

/** Sends requests over persistent connections. */
export class Sender {
  readonly #agent: Agent

  constructor(connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  send(url: string, { method, path, headers, body }: CallRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const length = method === 'GET' ? {} : { 'content-length': body.length }
      const options = { method, agent: this.#agent, headers: { ...headers, ...length } }
      const sent = request(url + path, options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
        )
        response.once('error', reject)
      })
      sent.once('error', reject)
      sent.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
