import { join } from 'node:path'
import type { ServerCommand } from '../src/proxy/index.ts'

/** Command that starts an installed reference server. */
export function referenceServer(
  name: 'everything' | 'filesystem' | 'memory',
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ServerCommand {
  const script = join(import.meta.dirname, `../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`)
  return { command: process.execPath, args: [script, ...args], env }
}
