import type { ServerCommand } from '@spillway/mcp/proxy'
import type { ServerUrl } from '@spillway/mcp/http'
import { usageError } from '../cli-error.ts'

/** A server that a proxy stands in front of, as a configuration names it. */
export interface ServerSettings {
  readonly name: string
  /** What the names of its tools begin with where there are several servers. */
  readonly prefix: string
  readonly server: ServerCommand | ServerUrl
  /** Tools whose results stay as they are. */
  readonly exclude: readonly string[]
}

/** Cursor and VS Code write `${env:NAME}`, and entries of theirs are moved here. */
const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g
const ASKED_BY_HOST = /\$\{input:[^}]*\}/
const HEADER = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/

/**
 * Put variables of the environment into a text, `${NAME}`, `${env:NAME}` or `${NAME:-default}`, so that secrets need not
 * stand in files or on command lines.
 */
export function expandVariables(text: string, what: string): string {
  const [asked] = ASKED_BY_HOST.exec(text) ?? []
  if (asked !== undefined)
    throw usageError(`${what} has ${asked}, for which only VS Code asks. Write \${NAME} there, and let it set NAME.`)
  return text.replaceAll(VARIABLE, (_whole, name: string, otherwise?: string) => {
    const value = process.env[name] ?? otherwise
    if (value === undefined) throw usageError(`${what} needs the variable ${name}, which is not set.`)
    return value
  })
}

/** Read headers such as `Authorization: Bearer ${TOKEN}`. What they hold is not told to anybody. */
export function parseHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, name, value = ''] = HEADER.exec(line) ?? []
    if (name === undefined)
      throw usageError("Write a header as 'Name: value', such as 'Authorization: Bearer ${TOKEN}'.")
    headers[name] = expandVariables(value, `The header ${name}`)
  }
  return headers
}

/** Check the address of a server. */
export function parseServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usageError('The URL of a server begins with https:// or http://.')
  if (url.username !== '' || url.password !== '')
    throw usageError(
      "Leave user name and password out of the URL of a server: pass them as --header 'Authorization: …'.",
    )
  return url.href
}
