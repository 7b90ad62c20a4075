/** What services over HTTP have in common: who calls, in which scope, and whether a page of another site does. */
export { AccessTokens, type AccessToken, type KnownCaller } from './access-tokens.ts'
export { guardRequest, LOOPBACK_HOSTS, type Guarded, type GuardOptions, type RefusalReason } from './guard-request.ts'
