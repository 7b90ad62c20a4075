import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Command } from './commands.ts'

/** A client built with the SDK, and the process that it has started. */
export interface SdkClient {
  readonly client: Client
  readonly pid: number
}

const MINUTES_10 = 600_000

/** Start a server, connect to it with the SDK, and list its tools, which the SDK needs for checking results. */
export async function connectSdk([command, ...args]: Command): Promise<SdkClient> {
  // The transport passes on few environment variables. NODE_OPTIONS determines whether built packages are measured.
  const env = { NODE_OPTIONS: process.env['NODE_OPTIONS'] ?? '' }
  const transport = new StdioClientTransport({ command, args, env, stderr: 'inherit' })
  const client = new Client({ name: 'benchmark', version: '1.0.0' })
  await client.connect(transport)
  await client.listTools()
  return { client, pid: transport.pid ?? 0 }
}

/** Call a tool. Returns the length of the answer as JSON. */
export async function callTool({ client }: SdkClient, name: string, input: Record<string, unknown>): Promise<string> {
  const result = await client.callTool({ name, arguments: input }, undefined, { timeout: MINUTES_10 })
  return JSON.stringify(result.content)
}
