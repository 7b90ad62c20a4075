import { join } from 'node:path'

/** A command and its arguments. */
export type Command = readonly [string, ...string[]]

/** Starts the server of the measurements. */
export const SERVER: Command = [process.execPath, join(import.meta.dirname, 'log-server.ts')]

const BIN = join(import.meta.dirname, '../../packages/cli/src/bin.ts')

/** Starts the proxy in front of that server, with its content in a folder. */
export const proxyOf = (store: string): Command => [
  process.execPath,
  BIN,
  ...['mcp', 'proxy', '--store', `file:${store}`, '--'],
  ...SERVER,
]
