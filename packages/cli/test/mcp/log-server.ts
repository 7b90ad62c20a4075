/** An MCP server over stdio for tests of the proxy. It loads no SDK, because each test starts it. */
import { createInterface } from 'node:readline'

/** Each tool takes its input and returns a text. */
const TOOLS: Readonly<Record<string, (input: { readonly text?: string; readonly lines?: number }) => string>> = {
  echo: ({ text = '' }) => text,
  read_log: ({ lines = 0 }) =>
    Array.from({ length: lines }, (_, line) => `line ${line}: ${line % 1_000 === 999 ? 'FAILED' : 'ok'}`).join('\n'),
  // This tool returns a secret, to test that only the result of the call contains it.
  secret: () => String(process.env['SERVER_SECRET']),
  crash: () => process.exit(7),
}

interface Request {
  readonly id?: number
  readonly method: string
  readonly params: { readonly protocolVersion: string; readonly name: string; readonly arguments?: object }
}

function resultOf({ method, params }: Request): unknown {
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'logs', version: '1.0.0' },
    }
  if (method === 'tools/list')
    return { tools: Object.keys(TOOLS).map((name) => ({ name, inputSchema: { type: 'object' } })) }
  if (method === 'tools/call')
    return { content: [{ type: 'text', text: TOOLS[params.name]?.(params.arguments ?? {}) }] }
  return undefined
}

for await (const line of createInterface(process.stdin)) {
  const request = JSON.parse(line) as Request
  const result = resultOf(request)
  const answer = result === undefined ? { error: { code: -32_601, message: 'Method not found' } } : { result }
  if (request.id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer }))
}
