import type { AccessTokens, KnownCaller } from './access-tokens.ts'

/** Options of {@link guardRequest}. */
export interface GuardOptions {
  /** Allowed host names, without a port. {@link LOOPBACK_HOSTS} allows only this machine. */
  readonly allowedHosts: readonly string[]
  /** Accepted tokens. If absent, every caller is the one user of this machine, and forwarded requests are refused. */
  readonly tokens?: AccessTokens | undefined
}

/** Reason of a refusal: the `Host`, the `Origin`, a proxy in front of a service without tokens, or an unknown token. */
export type RefusalReason = 'host' | 'origin' | 'forwarded' | 'token'

/** Result of a check: the caller of the request, or the reason and HTTP status of its refusal. */
export type Guarded =
  | { readonly caller: KnownCaller }
  | { readonly refused: RefusalReason; readonly status: 401 | 403; readonly message: string }

/** Host names of the loopback interface. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
const ANYBODY: KnownCaller = { scope: [], id: '' }
/** Headers by which a proxy names its client or itself. */
const FORWARDED = /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/
const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i

/**
 * Accept a request only if its `Host`, `Origin` and bearer token are allowed. Reads only headers.
 *
 * Pages of other sites cannot forge the `Host` and `Origin`. A request without an `Origin` does not come from a page.
 * Without tokens, the caller has the scope `[]`. A request from a proxy is then refused, because its sender may be on
 * another machine. Rejects if a token is repeated.
 */
export async function guardRequest(headers: Headers, { allowedHosts, tokens }: GuardOptions): Promise<Guarded> {
  const host = HOST.exec(headers.get('host') ?? '')?.[1]?.toLowerCase()
  if (host === undefined || !allowedHosts.includes(host))
    return refuse('host', 403, 'This service is not known under that Host. Allow the name when you start the service.')
  const origin = headers.get('origin')
  if (origin !== null && !isKnownOrigin(origin, allowedHosts))
    return refuse('origin', 403, 'Pages of that Origin may not use this service.')
  if (tokens === undefined)
    return [...headers.keys()].some((name) => FORWARDED.test(name))
      ? refuse(
          'forwarded',
          403,
          'A proxy forwarded this request. To use the service through a proxy, start it with tokens.',
        )
      : { caller: ANYBODY }
  const caller = await tokens.callerOf(headers)
  return caller === undefined ? refuse('token', 401, 'Send a known token: Authorization: Bearer <token>.') : { caller }
}

function isKnownOrigin(origin: string, allowedHosts: readonly string[]): boolean {
  return URL.canParse(origin) && allowedHosts.includes(new URL(origin).hostname)
}

const refuse = (refused: RefusalReason, status: 401 | 403, message: string): Guarded => ({ refused, status, message })
