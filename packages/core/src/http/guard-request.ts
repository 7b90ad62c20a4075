import type { AccessTokens, KnownCaller } from './access-tokens.ts'

/** What guards a service. */
export interface GuardOptions {
  /** Host names that requests may be for, without a port; {@link LOOPBACK_HOSTS} for this machine alone. */
  readonly allowedHosts: readonly string[]
  /** Absent where everybody who reaches the service is the one user of this machine. */
  readonly tokens?: AccessTokens | undefined
}

/** Why a request is refused: for its `Host`, its `Origin`, or for want of a known token. */
export type RefusalReason = 'host' | 'origin' | 'token'

/** What becomes of a request: its caller, or why it is refused with which status. */
export type Guarded =
  | { readonly caller: KnownCaller }
  | { readonly refused: RefusalReason; readonly status: 401 | 403; readonly message: string }

/** By these names a machine knows itself. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** The one caller where there are no tokens. */
const ANYBODY: KnownCaller = { scope: [], id: '' }
const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i

/**
 * Let a request pass only if its `Host` and `Origin` are known, which pages of other sites cannot make them, and its
 * bearer is. Only headers are read. Rejects where the tokens are given twice.
 *
 * Without tokens the caller has the scope `[]`. A request without an `Origin` is none of a page.
 *
 * @example
 * ```ts
 * import { guardRequest, LOOPBACK_HOSTS } from '@spillway/core/http'
 *
 * const headers = { host: 'localhost:8002', origin: 'https://elsewhere.example' }
 * const guarded = await guardRequest(new Headers(headers), { allowedHosts: LOOPBACK_HOSTS })
 * console.assert('refused' in guarded && guarded.refused === 'origin' && guarded.status === 403)
 * ```
 */
export async function guardRequest(headers: Headers, { allowedHosts, tokens }: GuardOptions): Promise<Guarded> {
  const host = HOST.exec(headers.get('host') ?? '')?.[1]?.toLowerCase()
  if (host === undefined || !allowedHosts.includes(host))
    return refuse(
      'host',
      403,
      'This service is not known under that Host. Allow the name where the service is started.',
    )
  const origin = headers.get('origin')
  if (origin !== null && !isKnownOrigin(origin, allowedHosts))
    return refuse('origin', 403, 'Pages of that Origin may not use this service.')
  if (tokens === undefined) return { caller: ANYBODY }
  const caller = await tokens.callerOf(headers)
  return caller === undefined ? refuse('token', 401, 'Send a known token: Authorization: Bearer <token>.') : { caller }
}

function isKnownOrigin(origin: string, allowedHosts: readonly string[]): boolean {
  return URL.canParse(origin) && allowedHosts.includes(new URL(origin).hostname)
}

const refuse = (refused: RefusalReason, status: 401 | 403, message: string): Guarded => ({ refused, status, message })
