import { guardRequest as guardHeaders, type GuardOptions } from '@spillway/core/http'

/** What becomes of a request: a scope to work in, or a refusal. */
export type Guarded = { readonly scope: readonly string[] } | { readonly refusal: Response }

/** What clients of MCP are told of a request that is refused. */
const ERROR_CODES = { host: -32_000, origin: -32_000, token: -32_001 } as const

/**
 * Let a request pass only if its `Host` and `Origin` are known, which pages of other sites cannot make them, and its
 * bearer is.
 */
export async function guardRequest(request: Request, options: GuardOptions): Promise<Guarded> {
  const guarded = await guardHeaders(request.headers, options)
  if ('caller' in guarded) return { scope: guarded.caller.scope }
  const { refused, status, message } = guarded
  const headers: Record<string, string> = refused === 'token' ? { 'www-authenticate': 'Bearer' } : {}
  const error = { code: ERROR_CODES[refused], message }
  return { refusal: Response.json({ jsonrpc: '2.0', error, id: null }, { status, headers }) }
}
