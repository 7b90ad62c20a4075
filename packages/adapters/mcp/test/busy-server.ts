import { join } from 'node:path'
import type { ServerCommand } from '../src/proxy/index.ts'

/** A server for tests of many calls, and of servers that exit. */
export const busyServer = (env: Readonly<Record<string, string>> = {}): ServerCommand => ({
  command: process.execPath,
  args: [join(import.meta.dirname, 'programs/busy-server.ts')],
  env,
})
