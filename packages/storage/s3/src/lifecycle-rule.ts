import {
  GetBucketLifecycleConfigurationCommand,
  PutBucketLifecycleConfigurationCommand,
  type GetBucketLifecycleConfigurationCommandOutput,
  type LifecycleRule,
} from '@aws-sdk/client-s3'
import { assertKnownOptions, assertWhole } from '@spillway/core/driver'
import { S3Connection } from './s3-connection.ts'
import { CLIENT_NAMES, resolveConnection, resolvePrefix, type S3ClientOptions } from './s3-storage-options.ts'

const DEFAULT_UPLOAD_DAYS = 2

/** Options of {@link lifecycleRule}. */
export interface LifecycleRuleOptions {
  /** Prefix of the storage's objects. Defaults to the prefix of `S3Storage`. */
  readonly prefix?: string | undefined
  /** Remove entries this many days after they were last stored. */
  readonly expireAfterDays: number
  /** Remove unfinished uploads of killed writers after this many days. Defaults to 2. */
  readonly abortUploadsAfterDays?: number | undefined
}

/** Options of {@link putLifecycleRule}. */
export interface PutLifecycleRuleOptions extends LifecycleRuleOptions, S3ClientOptions {}

/**
 * Return the lifecycle rule for a prefix, in the format of the AWS SDK, the AWS CLI, and Terraform.
 *
 * S3 removes expired entries about once a day. Retrieving them then fails with `not-found`. Storing an entry again
 * restarts its age. Retrieving an entry does not.
 *
 * @throws TypeError if an option is invalid.
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
  assertWhole('expireAfterDays', expireAfterDays, 1)
  assertWhole('abortUploadsAfterDays', uploadDays, 1)
  return {
    ID: `spillway ${path === '' ? '/' : path}`,
    Status: 'Enabled',
    Filter: { Prefix: path === '' ? '' : `${path}/` },
    Expiration: { Days: expireAfterDays },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: uploadDays },
  }
}

/**
 * Write the lifecycle rule for a prefix into a bucket and return it.
 *
 * The rule replaces an earlier rule for this prefix, and all other rules stay. If two callers do this at once, one may
 * undo the change of the other: S3 replaces all rules at once.
 *
 * Needs the permissions s3:GetLifecycleConfiguration and s3:PutLifecycleConfiguration. Rejects with `unavailable`.
 *
 * @throws TypeError if an option is unknown or invalid.
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
      // The setting applies to the whole bucket, and S3 resets it if it is left out.
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
  ...CLIENT_NAMES,
] satisfies (keyof PutLifecycleRuleOptions)[]

type LifecycleConfiguration = Pick<
  GetBucketLifecycleConfigurationCommandOutput,
  'Rules' | 'TransitionDefaultMinimumObjectSize'
>

/** Converts an old rule, whose prefix is outside of the filter. S3 rejects rules of both forms together. */
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
