import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { BIN, spillway } from '../spillway.ts'

/** The command that starts the server of {@link LOG_SERVER}. */
export const LOG_SERVER: readonly string[] = [
  process.execPath,
  fileURLToPath(new URL('log-server.ts', import.meta.url)),
]

/** The folder and the environment in which a process is started. */
interface Place {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Connect to `spillway ...args` over stdio. `log` returns everything written to standard error. */
export async function connectStdio(
  args: readonly string[],
  { cwd, env }: Place,
): Promise<{ readonly client: Client; readonly log: () => string }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, ...args],
    cwd,
    env: { PATH: String(process.env['PATH']), ...forTestRun(), ...env },
    stderr: 'pipe',
  })
  const written: Buffer[] = []
  transport.stderr?.on('data', (chunk: Buffer) => written.push(chunk))
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { client, log: () => Buffer.concat(written).toString() }
}

/** Connect to `spillway ...args` in this process. No other command can run in this process until the client is closed. */
export async function connectInProcess(args: readonly string[], place: Place): Promise<{ readonly client: Client }> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const end = spillway(args, { ...place, conversation: { stdin, stdout } })
  const client = new Client({ name: 'test', version: '1.0.0' })
  Object.assign(client, { onclose: () => void stdin.end() })
  onTestFinished(async () => {
    await client.close()
    expect(await end).toMatchObject({ code: 0, stderr: '' })
  })
  // Messages of both ends have the same form on a stream.
  await client.connect(new StdioServerTransport(stdout, stdin))
  return { client }
}

/** Return the environment variables that a test run passes on to every process. */
function forTestRun(): Record<string, string> {
  const names = ['NODE_COMPILE_CACHE', 'SPILLWAY_TEST_FILE']
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

/** Connect to an MCP server over HTTP. */
export async function connectHttp(url: string, token?: string): Promise<Client> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  onTestFinished(() => client.close())
  return client
}

/** Return the text of the first block of a result. */
export async function textOf(result: Promise<unknown>): Promise<string> {
  const { content } = (await result) as { readonly content: readonly { readonly text?: string }[] }
  return content[0]?.text ?? ''
}
