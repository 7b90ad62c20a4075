/** A sentence to plant in a log, and a question about it in which some words have other forms. */
export interface Planted {
  readonly sentence: string
  readonly question: string
}

/** All of these were written before any measurement. The first half is for development. */
export const PLANTED: readonly Planted[] = [
  {
    sentence: 'Refund for order 55120 rejected: card issuer returned do-not-honor',
    question: 'why was the refund rejected by the issuer',
  },
  {
    sentence: 'scheduler: skipping nightly backup, another backup is still running',
    question: 'was the nightly backup skipped',
  },
  { sentence: 'Certificate of mail.internal expires in 2 days', question: 'which certificates are expiring' },
  { sentence: 'replica db-7 promoted to primary after heartbeat loss', question: 'when was a replica promoted' },
  { sentence: 'feature flag newCheckoutFlow disabled by operator', question: 'who disabled the checkout flow flag' },
  {
    sentence: 'rate limiter: tenant acme exceeded quota, throttling for 60s',
    question: 'which tenants were throttled',
  },
  {
    sentence: 'disk /dev/sdb1 is 97% full, purging old snapshots',
    question: 'purged snapshots because the disk was full',
  },
  { sentence: 'migration 0042_add_invoice_index applied in 3.2s', question: 'was the invoice index migration applied' },
  { sentence: 'websocket closed by peer: code 1006, abnormal closure', question: 'abnormal websocket closures' },
  {
    sentence: 'DNS lookup of ledger.svc took 4012ms, falling back to cached address',
    question: 'slow dns lookups that fell back to a cached address',
  },
  { sentence: 'worker drained, shutting down gracefully on SIGTERM', question: 'graceful shutdown of the worker' },
  { sentence: 'config reload: unknown key maxRetriez ignored', question: 'which config keys were ignored on reload' },
  { sentence: 'user ADMIN-3 impersonated customer 8841', question: 'customer impersonation by an admin' },
  {
    sentence: 'inventory sync finished with 17 mismatched SKUs',
    question: 'how many skus mismatch after the inventory synced',
  },
  {
    sentence: 'kafka consumer group billing rebalanced, 4 partitions revoked',
    question: 'revoked partitions when the consumer rebalances',
  },
  { sentence: 'token refresh loop detected for session 77ab, logging out', question: 'token refresh loops' },
  { sentence: 'webhook delivery to partner zeta abandoned after 8 attempts', question: 'abandoned webhook deliveries' },
  { sentence: 'image resizer out of memory on 9000x9000 upload', question: 'memory of the image resizing' },
  { sentence: 'clock skew of 312 ms against ntp.pool.org corrected', question: 'was any clock skew correction made' },
  {
    sentence: 'deadlock between transactions 901 and 902, rolled back 902',
    question: 'which transaction deadlocked and was rolled back',
  },
  {
    sentence: 'search index rebuilt: 1204551 documents in 88s',
    question: 'how long did rebuilding the search index take',
  },
  { sentence: 'circuit breaker for pricing-api opened', question: 'pricing api circuit breakers' },
  { sentence: 'GDPR export requested by user 5531, queued', question: 'requests for a gdpr export' },
  { sentence: 'license key validation skipped in offline mode', question: 'why was validating the license skipped' },
]
