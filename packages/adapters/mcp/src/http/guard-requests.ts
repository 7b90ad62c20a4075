import { hostHeaderValidationResponse, originValidationResponse } from '@modelcontextprotocol/server'
import type { AccessTokens } from './access-tokens.ts'

/** What guards a service. */
export interface GuardOptions {
  /** Host names that requests may be for, without a port: those of the loopback interface unless told otherwise. */
  readonly allowedHosts: readonly string[]
  /** Absent where everybody who reaches the service is the one user of this machine. */
  readonly tokens?: AccessTokens | undefined
}

/** What becomes of a request: a scope to work in, or a refusal. */
export type Guarded = { readonly scope: readonly string[] } | { readonly refusal: Response }

/** By these names a machine knows itself. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Let a request pass only if its `Host` and `Origin` are known, which pages of other sites cannot make them, and its
 * bearer is.
 */
export function guardRequest(request: Request, { allowedHosts, tokens }: GuardOptions): Guarded {
  const hosts = [...allowedHosts]
  const refusal = hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, hosts)
  if (refusal !== undefined) return { refusal }
  if (tokens === undefined) return { scope: [] }
  const scope = tokens.scopeOf(request.headers)
  if (scope !== undefined) return { scope }
  const headers = { 'www-authenticate': 'Bearer' }
  const error = { code: -32_001, message: 'Send a known token: Authorization: Bearer <token>.' }
  return { refusal: Response.json({ jsonrpc: '2.0', error, id: null }, { status: 401, headers }) }
}
