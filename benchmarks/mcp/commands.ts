import { join } from 'node:path'

/** A command and its arguments. */
export type Command = readonly [string, ...string[]]

/** The command that starts the measured server. */
export const SERVER: Command = [process.execPath, join(import.meta.dirname, 'log-server.ts')]

const BIN = join(import.meta.dirname, '../../packages/cli/src/bin.ts')

/** Return the command that starts the proxy for that server, with stored content in a folder. */
export const proxyOf = (store: string): Command => [
  process.execPath,
  BIN,
  ...['mcp', 'proxy', '--store', `file:${store}`, '--'],
  ...SERVER,
]
