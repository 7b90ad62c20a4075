import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import {
  assertBoolean,
  assertKnownOptions,
  assertWhole,
  shown,
  type ManagedStorageOptions,
} from '@spillway/core/driver'

const DEFAULT_PREFIX = 'spillway'
const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_ATTEMPTS = 4
const DEFAULT_PART_BYTES = 8 * 1024 * 1024
const MIN_PART_BYTES = 5 * 1024 * 1024
const MAX_PART_BYTES = 512 * 1024 * 1024
/** Largest length of the prefix. S3 allows 1,024 bytes for a name. An id of an entry may need the remaining bytes. */
const MAX_PREFIX_BYTES = 90
/** A bucket name, or the ARN of an access point. */
const BUCKET = /^(?:[\w.-]{3,}|arn:[\w.:/-]+)$/

/** Options to connect to a bucket. */
export interface S3ClientOptions {
  /** Your own client, which the storage does not close. Set the options below on the client. */
  readonly client?: S3Client | undefined
  /** Region. Defaults to the environment, as in the AWS SDK, or to `us-east-1` if there is an `endpoint`. */
  readonly region?: string | undefined
  /** URL of an S3-compatible server, for example `https://minio.example.com:9000`. Defaults to AWS. */
  readonly endpoint?: string | undefined
  /** Keys, or a function that returns keys. Defaults to the environment, as in the AWS SDK. */
  readonly credentials?: S3ClientConfig['credentials'] | undefined
  /** Whether the bucket is in the path of the URL, and not in the host name. Defaults to `true` with an `endpoint`. */
  readonly forcePathStyle?: boolean | undefined
  /** Milliseconds without traffic before a request fails. Defaults to 30,000. */
  readonly requestTimeoutMs?: number | undefined
  /** Attempts per request if S3 throttles or the connection fails, even during a download. Defaults to 4. */
  readonly maxAttempts?: number | undefined
  /**
   * When to send and verify checksums: `when-supported`, or only `when-required`, which older servers need. Defaults to
   * `when-required` with an `endpoint`.
   */
  readonly checksums?: 'when-required' | 'when-supported' | undefined
}

/** Options of `S3Storage`. */
export interface S3StorageOptions extends Pick<ManagedStorageOptions, 'evictAfterTurns' | 'now'>, S3ClientOptions {
  /** Name of an existing bucket, unless it is the first argument. */
  readonly bucket?: string | undefined
  /** Prefix of all object names. Defaults to `spillway`. Use an empty string if the bucket has no other content. */
  readonly prefix?: string | undefined
  /** Size of the parts of a large upload, from 5 MB to 512 MB. Up to four parts are in memory. Defaults to 8 MB. */
  readonly partBytes?: number | undefined
  /** Set to `false` for servers without conditional puts (`If-None-Match: *`). Defaults to `true`. */
  readonly conditionalPut?: boolean | undefined
}

/** Options with defaults filled in. */
export interface S3ConnectionOptions extends S3ClientOptions {
  readonly bucket: string
  readonly requestTimeoutMs: number
  readonly maxAttempts: number
  readonly checksums: 'when-required' | 'when-supported'
}

/** Names of the options that cannot be combined with a client. */
export const CLIENT_NAMES: readonly (keyof S3ClientOptions)[] = [
  'region',
  'endpoint',
  'credentials',
  'forcePathStyle',
  'requestTimeoutMs',
  'maxAttempts',
  'checksums',
]

const NAMES: readonly string[] = [
  'bucket',
  'prefix',
  'client',
  ...CLIENT_NAMES,
  'partBytes',
  'conditionalPut',
  'evictAfterTurns',
  'now',
] satisfies (keyof S3StorageOptions)[]

export interface ResolvedOptions {
  readonly connection: S3ConnectionOptions
  readonly prefix: string
  readonly partBytes: number
  readonly conditionalPut: boolean
  readonly managed: Pick<S3StorageOptions, 'evictAfterTurns' | 'now'>
}

/** Throws a `TypeError` that names the option. */
export function resolveOptions(options: S3StorageOptions, subject: string): ResolvedOptions {
  for (const name of ['ttlMs', 'maxBytes'])
    if (typeof options === 'object' && options !== null && Object.hasOwn(options, name))
      throw new TypeError(
        `${subject} has no ${name}: a lifecycle rule of the bucket removes old entries. Write the rule with putLifecycleRule(), or leave ${name} out.`,
      )
  assertKnownOptions(options, NAMES, subject)
  const { partBytes = DEFAULT_PART_BYTES, conditionalPut = true, evictAfterTurns, now } = options
  assertWhole('partBytes', partBytes, MIN_PART_BYTES, MAX_PART_BYTES)
  assertBoolean('conditionalPut', conditionalPut)
  return {
    connection: resolveConnection(options.bucket, options),
    prefix: resolvePrefix(options.prefix),
    partBytes,
    conditionalPut,
    managed: { evictAfterTurns, now },
  }
}

export function resolveConnection(bucket: unknown, options: S3ClientOptions): S3ConnectionOptions {
  if (typeof bucket !== 'string' || !BUCKET.test(bucket))
    throw new TypeError(`bucket must be the name of a bucket, such as 'my-bucket'.`)
  const { client, region, endpoint, credentials, forcePathStyle } = options
  const { requestTimeoutMs = DEFAULT_TIMEOUT_MS, maxAttempts = DEFAULT_ATTEMPTS } = options
  const { checksums = endpoint === undefined ? 'when-supported' : 'when-required' } = options
  if (client !== undefined) assertClient(client, options)
  assertText('region', region)
  assertEndpoint(endpoint, bucket)
  assertCredentials(credentials)
  if (forcePathStyle !== undefined) assertBoolean('forcePathStyle', forcePathStyle)
  assertWhole('requestTimeoutMs', requestTimeoutMs, 1)
  assertWhole('maxAttempts', maxAttempts, 1, 100)
  if (checksums !== 'when-required' && checksums !== 'when-supported')
    throw new TypeError(`checksums must be 'when-required' or 'when-supported', got ${shown(checksums)}.`)
  const reached = { region, endpoint, credentials, forcePathStyle, requestTimeoutMs, maxAttempts, checksums }
  return { bucket, client, ...reached }
}

export function resolvePrefix(prefix: unknown = DEFAULT_PREFIX): string {
  const trimmed = typeof prefix === 'string' ? prefix.replace(/^\/+|\/+$/g, '') : undefined
  const isUsable =
    trimmed !== undefined &&
    Buffer.byteLength(trimmed) <= MAX_PREFIX_BYTES &&
    trimmed.isWellFormed() &&
    !/[\u0000-\u001f\u007f]/.test(trimmed) &&
    (trimmed === '' || trimmed.split('/').every((part) => part !== '' && part !== '.' && part !== '..'))
  if (!isUsable)
    throw new TypeError(
      `prefix must be a path such as 'spillway' of at most ${MAX_PREFIX_BYTES} bytes, without empty parts or dots.`,
    )
  return trimmed
}

function assertClient(client: unknown, options: S3ClientOptions): void {
  if (typeof (client as { send?: unknown } | null)?.send !== 'function')
    throw new TypeError('client must be an S3Client of @aws-sdk/client-s3.')
  for (const name of CLIENT_NAMES)
    if (options[name] !== undefined)
      throw new TypeError(`${name} is an option of the client. Set it on the client, or leave client out.`)
}

function assertEndpoint(endpoint: unknown, bucket: string): void {
  if (endpoint === undefined) return
  const url = typeof endpoint === 'string' && URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new TypeError("endpoint must be a URL such as 'https://s3.example.com'.")
  if (url.username !== '' || url.password !== '')
    throw new TypeError('endpoint must not contain credentials. Use the option "credentials".')
  // With such an endpoint, objects could be stored, but not listed.
  if (url.pathname.replace(/\/$/, '').endsWith(`/${bucket}`) || url.hostname.startsWith(`${bucket}.s3.`))
    throw new TypeError('endpoint must not contain the bucket, because each request adds the bucket to the endpoint.')
}

function assertCredentials(credentials: unknown): void {
  if (credentials === undefined || typeof credentials === 'function') return
  const { accessKeyId, secretAccessKey } = Object(credentials) as Readonly<Record<string, unknown>>
  if (![accessKeyId, secretAccessKey].every((key) => typeof key === 'string' && key !== ''))
    throw new TypeError(
      'credentials must be { accessKeyId, secretAccessKey } with texts that are not empty, or a function that returns them. Leave them out to use the environment.',
    )
}

function assertText(name: string, value: unknown): void {
  if (value !== undefined && (typeof value !== 'string' || value === ''))
    throw new TypeError(`${name} must be a non-empty string, got ${shown(value)}.`)
}
