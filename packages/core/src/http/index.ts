/** Authentication of HTTP services, and protection against requests from other sites. */
export { AccessTokens, type AccessToken, type KnownCaller } from './access-tokens.ts'
export { guardRequest, LOOPBACK_HOSTS, type Guarded, type GuardOptions, type RefusalReason } from './guard-request.ts'
