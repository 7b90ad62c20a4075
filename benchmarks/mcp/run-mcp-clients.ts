import { Sender, type Answer } from '../server/send-request.ts'

/** Options of the clients. */
export interface McpClientOptions {
  readonly url: string
  readonly clients: number
  readonly milliseconds: number
  /** Length of each result. */
  readonly characters: number
}

/** Figures of all clients. */
export interface McpClientFigures {
  readonly seconds: number
  readonly latencies: readonly number[]
  /** Calls with an unexpected answer. */
  readonly failed: number
  /** Number of replacements with a reference. */
  readonly stored: number
  /** References that could not be read. */
  readonly lost: number
}

/** Let clients with separate sessions call a tool repeatedly. */
export async function runMcpClients(options: McpClientOptions): Promise<McpClientFigures> {
  const { url, clients, milliseconds, characters } = options
  const sender = new Sender(clients)
  const latencies: number[] = []
  let failed = 0
  let lost = 0
  let id = 0

  async function post(session: string | undefined, message: object): Promise<Answer> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
    }
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
    return await sender.send(url, { method: 'POST', path: '', headers, body })
  }

  const call = (session: string, name: string, input: object): Promise<Answer> =>
    post(session, { id: ++id, method: 'tools/call', params: { name, arguments: input } })

  async function open(): Promise<string> {
    const clientInfo = { name: 'benchmark', version: '1.0.0' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const { headers, body } = await post(undefined, { id: ++id, method: 'initialize', params })
    const session = headers['mcp-session-id']
    if (typeof session !== 'string') throw new Error(body.toString())
    await post(session, { method: 'notifications/initialized' })
    await post(session, { id: ++id, method: 'tools/list', params: {} })
    return session
  }

  /** Run a client. The references of its session are read after all measured calls. */
  async function client(session: string, end: number): Promise<readonly string[]> {
    const references: string[] = []
    while (performance.now() < end) {
      const begin = performance.now()
      const { status, body } = await call(session, 'read_log', { characters })
      latencies.push(performance.now() - begin)
      const text = body.toString()
      if (status !== 200 || !text.includes('"result"') || text.includes('"isError":true')) failed += 1
      const reference = /\[Stored references:\]\\n +(\w+)/.exec(text)?.[1]
      if (reference !== undefined) references.push(reference)
    }
    return references
  }

  async function check(session: string, references: readonly string[]): Promise<void> {
    for (const reference of references) {
      const { body } = await call(session, 'retrieve_offloaded_content', {
        reference,
        line_range: { start: 1, end: 2 },
      })
      if (!/untrusted content\\n[\s>|\d]*[\da-f]{8}-/.test(body.toString())) lost += 1
    }
  }

  const sessions = await Promise.all(Array.from({ length: clients }, open))
  const begin = performance.now()
  const stored = await Promise.all(sessions.map((session) => client(session, begin + milliseconds)))
  const seconds = (performance.now() - begin) / 1_000
  await Promise.all(sessions.map((session, index) => check(session, stored[index] ?? [])))
  sender.close()
  return { seconds, latencies, failed, stored: stored.flat().length, lost }
}
