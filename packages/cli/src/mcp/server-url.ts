import { usageError } from '../cli-error.ts'

/** Cursor and VS Code write `${env:NAME}`. */
const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g
const ASKED_BY_HOST = /\$\{input:[^}]*\}/
const HEADER = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/

/** Parse headers such as `Authorization: Bearer ${TOKEN}`, with environment variables. Errors never quote values. */
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

/** Expand `${NAME}`, `${env:NAME}` and `${NAME:-default}`, so that users need not write secrets in arguments. */
function expandVariables(text: string, what: string): string {
  const [variable] = ASKED_BY_HOST.exec(text) ?? []
  if (variable !== undefined)
    throw usageError(`${what} has ${variable}, which only VS Code can ask for. Write \${NAME}, and set NAME.`)
  return text.replaceAll(VARIABLE, (_whole, name: string, otherwise?: string) => {
    const value = process.env[name] ?? otherwise
    if (value === undefined) throw usageError(`${what} needs the variable ${name}, which is not set.`)
    return value
  })
}

export function parseServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usageError('The URL of a server begins with https:// or http://.')
  if (url.username !== '' || url.password !== '')
    throw usageError("Leave user and password out of the URL of a server: pass them as --header 'Authorization: …'.")
  return url.href
}
