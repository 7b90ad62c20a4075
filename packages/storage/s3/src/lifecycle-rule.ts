import {
  GetBucketLifecycleConfigurationCommand,
  PutBucketLifecycleConfigurationCommand,
  type GetBucketLifecycleConfigurationCommandOutput,
  type LifecycleRule,
} from '@aws-sdk/client-s3'
import { assertKnownOptions } from '@spillway/core/driver'
import { S3Connection } from './s3-connection.ts'
import { resolveConnection, resolvePrefix, type S3ClientOptions } from './s3-storage-options.ts'

const DEFAULT_UPLOAD_DAYS = 2

/** What a lifecycle rule removes. */
export interface LifecycleRuleOptions {
  /** The prefix of the storage. Defaults to that of `S3Storage`. */
  readonly prefix?: string | undefined
  /** Remove what was not stored (again) for so many days. */
  readonly expireAfterDays: number
  /** Remove what killed writers have uploaded after so many days. Defaults to 2. */
  readonly abortUploadsAfterDays?: number | undefined
}

/** Options of {@link putLifecycleRule}. */
export interface PutLifecycleRuleOptions extends LifecycleRuleOptions, S3ClientOptions {}

/**
 * Return the lifecycle rule for a prefix, as the AWS SDK, the AWS command line and Terraform take it.
 *
 * S3 removes what is due about once a day, and such entries read as `not-found`. Storing an entry again starts its age
 * again; retrieving it does not.
 *
 * @throws TypeError where an option cannot be.
 *
 * @example
 * ```ts
 * import { lifecycleRule } from '@spillway/s3'
 *
 * const rule = lifecycleRule({ prefix: 'agents/spillway', expireAfterDays: 30 })
 * console.assert(rule.Expiration?.Days === 30 && rule.Filter?.Prefix === 'agents/spillway/')
 * ```
 */
export function lifecycleRule({ prefix, expireAfterDays, abortUploadsAfterDays }: LifecycleRuleOptions): LifecycleRule {
  const path = resolvePrefix(prefix)
  const uploadDays = abortUploadsAfterDays ?? DEFAULT_UPLOAD_DAYS
  assertDays('expireAfterDays', expireAfterDays)
  assertDays('abortUploadsAfterDays', uploadDays)
  return {
    ID: `spillway ${path === '' ? '/' : path}`,
    Status: 'Enabled',
    Filter: { Prefix: path === '' ? '' : `${path}/` },
    Expiration: { Days: expireAfterDays },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: uploadDays },
  }
}

/**
 * Write the lifecycle rule for a prefix into a bucket, in place of the one that was written before for this prefix, and
 * return it. All other rules of the bucket stay. Two callers at the same time may undo each other's change: S3 replaces
 * all rules at once.
 *
 * It needs the rights s3:GetLifecycleConfiguration and s3:PutLifecycleConfiguration, which the storage itself does not.
 * Rejects with a `StorageError` of the code `unavailable`.
 *
 * @throws TypeError where an option is unknown or impossible.
 *
 * @example
 * ```ts
 * import { putLifecycleRule } from '@spillway/s3'
 *
 * const expireInAMonth = (bucket: string) => putLifecycleRule(bucket, { expireAfterDays: 30, region: 'eu-central-1' })
 * console.assert(typeof expireInAMonth === 'function')
 * ```
 */
export async function putLifecycleRule(bucket: string, options: PutLifecycleRuleOptions): Promise<LifecycleRule> {
  assertKnownOptions(options, NAMES, 'putLifecycleRule')
  const { prefix, expireAfterDays, abortUploadsAfterDays, ...reached } = options
  const rule = lifecycleRule({ prefix, expireAfterDays, abortUploadsAfterDays })
  const connection = new S3Connection(resolveConnection(bucket, reached))
  try {
    const { Rules = [], TransitionDefaultMinimumObjectSize } = await currentConfiguration(connection)
    const others = Rules.filter(({ ID }) => ID !== rule.ID).map(withFilter)
    const command = new PutBucketLifecycleConfigurationCommand({
      Bucket: bucket,
      LifecycleConfiguration: { Rules: [...others, rule] },
      // It is of the whole bucket, and what is not given is set back.
      ...(TransitionDefaultMinimumObjectSize === undefined ? {} : { TransitionDefaultMinimumObjectSize }),
    })
    await connection.use(async (client) => client.send(command))
    return rule
  } finally {
    connection.close()
  }
}

const NAMES: readonly string[] = [
  'prefix',
  'expireAfterDays',
  'abortUploadsAfterDays',
  'client',
  'region',
  'endpoint',
  'credentials',
  'forcePathStyle',
  'requestTimeoutMs',
  'maxAttempts',
  'checksums',
] satisfies (keyof PutLifecycleRuleOptions)[]

type LifecycleConfiguration = Pick<
  GetBucketLifecycleConfigurationCommandOutput,
  'Rules' | 'TransitionDefaultMinimumObjectSize'
>

/** Rules of old have their prefix beside the filter that others have it in. S3 takes no mix of both. */
function withFilter(rule: LifecycleRule): LifecycleRule {
  const { Prefix, ...rest } = rule
  return Prefix === undefined || rule.Filter !== undefined ? rule : { ...rest, Filter: { Prefix } }
}

async function currentConfiguration(connection: S3Connection): Promise<LifecycleConfiguration> {
  const command = new GetBucketLifecycleConfigurationCommand({ Bucket: connection.bucket })
  return connection.use(async (client) =>
    client.send(command).catch((error: unknown) => {
      if (error instanceof Error && error.name === 'NoSuchLifecycleConfiguration') return {}
      throw error
    }),
  )
}

function assertDays(name: string, days: unknown): void {
  if (!Number.isSafeInteger(days) || (days as number) < 1)
    throw new TypeError(`${name} must be a whole number of days, 1 or more, got ${String(days)}.`)
}
