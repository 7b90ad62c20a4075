import type { AccessToken, AccessTokens } from '@spillway/core/http'
import { InvalidArgumentError, type Command } from 'commander'
import { readNamedFile, usageError } from './cli-error.ts'
import { collect } from './option-parsers.ts'

interface ListenAddress {
  readonly host: string
  readonly port: number
}

export interface ListenOptions {
  readonly listen?: ListenAddress
  readonly tokens?: string
  readonly allowHost?: readonly string[]
}

export function addListenOptions(
  command: Command,
  listens = 'serve over HTTP at this address instead; the host is 127.0.0.1 by default',
): Command {
  return command
    .option('--listen <[host:]port>', listens, parseAddress)
    .option('--tokens <file>', 'who may use it and in which scope: JSON, [{ "token": "…", "scope": ["tenant-1"] }]')
    .option('--allow-host <name>', 'a name by which clients reach it, beside localhost; may be repeated', collect)
}

/** Parse `8003`, `127.0.0.1:8003` or `[::1]:8003`. */
export function parseAddress(text: string): ListenAddress {
  const [, bracketed, name, port = ''] = /^(?:(?:\[([\da-f:]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? []
  if (port === '' || Number(port) > 65_535)
    throw new InvalidArgumentError('Write a port, such as 8003, or an address with one, such as 127.0.0.1:8003.')
  return { host: bracketed ?? name ?? '127.0.0.1', port: Number(port) }
}

/** Read the tokens file, if there is one. Errors never quote its content. */
export async function readTokens({ tokens: path }: ListenOptions): Promise<AccessTokens | undefined> {
  if (path === undefined) return undefined
  const [text, { AccessTokens }] = await Promise.all([readNamedFile(path), import('@spillway/core/http')])
  try {
    const list: unknown = JSON.parse(text)
    if (!Array.isArray(list)) throw new TypeError('It must be an array.')
    const tokens = new AccessTokens(list.map((token) => Object(token) as AccessToken))
    await tokens.ready()
    return tokens
  } catch (error) {
    if (error instanceof SyntaxError) throw usageError(`${path} is no JSON: [{ "token": "…", "scope": ["tenant-1"] }].`)
    if (error instanceof TypeError) throw usageError(`${path}: ${error.message}`)
    throw error
  }
}

/** Convert a failure to listen to a usage error. */
export async function explainListen<Service>(starting: Promise<Service>): Promise<Service> {
  try {
    return await starting
  } catch (error) {
    if (error instanceof Error) throw usageError(`--listen: ${error.message}`, { cause: error })
    throw error
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Run until a signal stops it, and return the result. */
export async function runUntilSignal<Result>(run: Promise<Result>, stop: () => void): Promise<Result> {
  for (const signal of SIGNALS) process.once(signal, stop)
  try {
    return await run
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
  }
}
