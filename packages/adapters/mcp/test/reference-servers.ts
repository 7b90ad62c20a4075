import { join } from 'node:path'
import type { ServerCommand } from '../src/proxy/index.ts'

/** How a reference server is started that is installed here. */
export function referenceServer(
  name: 'everything' | 'filesystem' | 'memory',
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ServerCommand {
  const script = join(import.meta.dirname, `../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`)
  return { command: process.execPath, args: [script, ...args], env }
}
