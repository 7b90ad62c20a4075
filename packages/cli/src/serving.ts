import type { AccessToken, AccessTokens } from '@spillway/core/http'
import { readNamedFile, usageError } from './cli-error.ts'
import type { ListenOptions } from './commands/options.ts'
import { noteLine } from './output.ts'

/** Read the tokens file, if the options name one. Errors never contain its content. */
export async function readTokens({ tokens: path }: ListenOptions): Promise<AccessTokens | undefined> {
  if (path === undefined) return undefined
  const [text, { AccessTokens }] = await Promise.all([readNamedFile(path), import('@spillway/core/http')])
  try {
    const list: unknown = JSON.parse(text)
    if (!Array.isArray(list)) throw new TypeError('The file must contain an array of tokens.')
    const tokens = new AccessTokens(list.map((token) => Object(token) as AccessToken))
    await tokens.ready()
    return tokens
  } catch (error) {
    if (error instanceof SyntaxError)
      throw usageError(`${path} is not JSON: [{ "token": "…", "scope": ["tenant-1"] }].`)
    if (error instanceof TypeError) throw usageError(`${path}: ${error.message}`)
    throw error
  }
}

/** Wait until a service listens, announce it, and wait for a signal. Throws a `usage` error if it cannot listen. */
export async function listenUntilSignal<Service extends { readonly url: string }>(
  starting: Promise<Service>,
  announce: (service: Service) => Promise<void> = ({ url }) => noteLine(`Listening at ${url}`),
): Promise<Service> {
  const service = await starting.catch((error: unknown) => {
    throw error instanceof Error ? usageError(`--listen: ${error.message}`, { cause: error }) : error
  })
  await announce(service)
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  await runUntilSignal(stopped, stop)
  return service
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export async function runUntilSignal<Result>(run: Promise<Result>, stop: () => void): Promise<Result> {
  for (const signal of SIGNALS) process.once(signal, stop)
  try {
    return await run
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
  }
}
