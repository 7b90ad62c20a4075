import { readFile } from 'node:fs/promises'
import type { AccessToken, AccessTokens } from '@spillway/mcp/http'
import { InvalidArgumentError, type Command } from 'commander'
import { usageError } from '../cli-error.ts'
import { collect } from '../option-parsers.ts'

/** An address to listen at. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Options of commands that can serve over HTTP in place of standard input and output. */
export interface ListenOptions {
  readonly listen?: ListenAddress
  readonly tokens?: string
  readonly allowHost?: readonly string[]
}

/** Give a command the options by which it serves over HTTP. */
export function addListenOptions(command: Command): Command {
  return command
    .option(
      '--listen <[host:]port>',
      'serve over HTTP at this address instead, at 127.0.0.1 unless told otherwise',
      parseAddress,
    )
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

/** Read the file of tokens. Its content is never told, also not by the message of an error. */
export async function readTokens(path: string, make: typeof AccessTokens): Promise<AccessTokens> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw usageError(`${path} cannot be read (${code}).`, { cause: error })
  }
  try {
    const tokens: unknown = JSON.parse(text)
    if (!Array.isArray(tokens)) throw new TypeError('It must be an array.')
    return new make(tokens.map((token) => Object(token) as AccessToken))
  } catch (error) {
    if (error instanceof SyntaxError) throw usageError(`${path} is no JSON: [{ "token": "…", "scope": ["tenant-1"] }].`)
    if (error instanceof TypeError) throw usageError(`${path}: ${error.message}`)
    throw error
  }
}
