import type { ServerUrl } from '@spillway/mcp/http'
import type { ServerCommand } from '@spillway/mcp/proxy'
import { readNamedFile, usageError } from '../cli-error.ts'

interface ProxyConfig {
  readonly server: ServerSettings
  readonly options: Readonly<Record<string, unknown>>
}

type Fields = Readonly<Record<string, unknown>>

const OPTIONS: Readonly<Record<string, 'string' | 'number'>> = {
  store: 'string',
  scope: 'string',
  ttl: 'string',
  maxTokens: 'number',
  previewTokens: 'number',
  maxRetrievalTokens: 'number',
}
const SERVER_KEYS = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'exclude']

/** Read a configuration file with `mcpServers` and options. Throws a `usage` error that names file and problem. */
export async function readConfig(path: string): Promise<ProxyConfig> {
  const config = fieldsOf(await readJson(path))
  if (config === undefined) throw usageError(`${path} must be a JSON object with "mcpServers".`)
  const { mcpServers, servers = mcpServers, ...options } = config
  for (const [name, value] of Object.entries(options)) {
    const type = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined
    if (type === undefined)
      throw usageError(
        `${path}: unknown option ${JSON.stringify(name)}. Known: mcpServers, ${Object.keys(OPTIONS).join(', ')}.`,
      )
    if (typeof value !== type) throw usageError(`${path}: ${name} must be a ${type}, got ${typeof value}.`)
  }
  const [entry, ...others] = Object.entries(fieldsOf(servers) ?? {})
  if (entry === undefined) throw usageError(`${path} names no server: "mcpServers": { "name": { "command": "…" } }.`)
  if (others.length > 0) throw usageError(`${path} names several servers. A proxy is for one: write a file for each.`)
  const [name, value] = entry
  return { server: readServer(`${path}: ${name}`, name, value), options }
}

function readServer(where: string, name: string, value: unknown): ServerSettings {
  const fields = fieldsOf(value)
  if (fields === undefined) throw usageError(`${where} must be an object with "command" or "url".`)
  const unknown = Object.keys(fields).find((key) => !SERVER_KEYS.includes(key))
  if (unknown !== undefined)
    throw usageError(`${where}: unknown key ${JSON.stringify(unknown)}. Known: ${SERVER_KEYS.join(', ')}.`)
  const { type, command, url, cwd } = fields
  const settings = { name, exclude: texts(where, 'exclude', fields['exclude']) }
  const expand = (text: string): string => expandVariables(text, where)
  if (typeof command === 'string' && url === undefined) {
    if (type !== undefined && type !== 'stdio') throw usageError(`${where}: a command has the type "stdio".`)
    if (cwd !== undefined && typeof cwd !== 'string') throw usageError(`${where}: cwd must be a folder.`)
    const args = texts(where, 'args', fields['args']).map(expand)
    return { ...settings, server: { command: expand(command), args, cwd, env: expanded(where, 'env', fields['env']) } }
  }
  if (typeof url === 'string' && command === undefined) {
    if (type !== undefined && type !== 'http' && type !== 'streamable-http' && type !== 'sse')
      throw usageError(`${where}: a URL has the type "http" or "sse".`)
    const headers = expanded(where, 'headers', fields['headers'])
    return { ...settings, server: { url: parseServerUrl(expand(url)), headers, type: type === 'sse' ? 'sse' : 'http' } }
  }
  throw usageError(`${where} must have either "command" or "url".`)
}

function texts(where: string, name: string, value: unknown = []): readonly string[] {
  if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value
  throw usageError(`${where}: ${name} must be an array of texts.`)
}

function expanded(where: string, name: string, value: unknown = {}): Readonly<Record<string, string>> {
  const entries = Object.entries(fieldsOf(value) ?? { '': undefined })
  return Object.fromEntries(
    entries.map(([key, text]) => {
      if (typeof text !== 'string') throw usageError(`${where}: ${name} must be an object of texts.`)
      return [key, expandVariables(text, `${where}: ${key}`)]
    }),
  )
}

async function readJson(path: string): Promise<unknown> {
  const text = await readNamedFile(path)
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown
  } catch (error) {
    // The parser's message may quote secrets.
    if (error instanceof SyntaxError)
      throw usageError(`${path} is not JSON. Comments and trailing commas are not allowed.`)
    throw error
  }
}

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

export interface ServerSettings {
  readonly name: string
  readonly server: ServerCommand | ServerUrl
  /** Tools whose results are not offloaded. */
  readonly exclude: readonly string[]
}

/** Cursor and VS Code write `${env:NAME}`. */
const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g
const ASKED_BY_HOST = /\$\{input:[^}]*\}/
const HEADER = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/

/** Expand `${NAME}`, `${env:NAME}` and `${NAME:-default}`, so that files need no secrets. */
export function expandVariables(text: string, what: string): string {
  const [variable] = ASKED_BY_HOST.exec(text) ?? []
  if (variable !== undefined)
    throw usageError(`${what} has ${variable}, for which only VS Code asks. Write \${NAME} there, and let it set NAME.`)
  return text.replaceAll(VARIABLE, (_whole, name: string, otherwise?: string) => {
    const value = process.env[name] ?? otherwise
    if (value === undefined) throw usageError(`${what} needs the variable ${name}, which is not set.`)
    return value
  })
}

/** Parse headers such as `Authorization: Bearer ${TOKEN}`. Errors never quote values. */
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
