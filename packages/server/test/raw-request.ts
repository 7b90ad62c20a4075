import { connect, type Socket } from 'node:net'

/** The response to bytes that were written to a connection directly. */
export interface RawAnswer {
  readonly status: number
  readonly headers: string
  readonly body: string
}

/** Write bytes to a port. Returns everything that arrives until the connection ends. */
export async function rawRequest(port: number, write: (socket: Socket) => void | Promise<void>): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  const ended = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => chunks.push(chunk))
    // The server may close the connection before it has read everything.
    socket.on('error', () => resolve())
    socket.on('close', () => resolve())
  })
  await new Promise((resolve) => socket.once('connect', resolve))
  await write(socket)
  await ended
  const text = Buffer.concat(chunks).toString()
  const [headers = '', ...rest] = text.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(headers)?.[1] ?? 0)
  return { status, headers, body: rest.join('\r\n\r\n') }
}

/** Write the request line and the headers of a request. */
export const head = (path: string, headers: Readonly<Record<string, string>>, method = 'POST'): string =>
  [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries({ host: 'localhost', 'content-type': 'application/json', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '\r\n',
  ].join('\r\n')

/** Resolves when the server has ended a connection that sends nothing. */
export async function silentConnection(port: number): Promise<void> {
  await rawRequest(port, () => {})
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
