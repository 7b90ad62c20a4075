import { ManagedStorage } from '@spillway/core/driver'
import { S3Connection } from './s3-connection.ts'
import { S3Driver } from './s3-driver.ts'
import { resolveOptions, type S3StorageOptions } from './s3-storage-options.ts'

/**
 * Keep content in a bucket of S3, or of any server that speaks its protocol; any number of processes may share it.
 *
 * Nothing is sent before the first use. A server that is down, throttles or refuses rejects with the code `unavailable`
 * and a message that names the setting; an object that has been changed, with `corrupt`. Ages are for the bucket itself:
 * see {@link putLifecycleRule}.
 *
 * @throws TypeError where an option is unknown or impossible.
 *
 * @example
 * ```ts
 * import { S3Storage } from '@spillway/s3'
 *
 * const storage = new S3Storage('my-bucket', { prefix: 'agents/spillway', region: 'eu-central-1' })
 * const session = storage.scope('tenant-1', 'session-1')
 * console.assert(typeof session.store === 'function')
 * await storage.close()
 * ```
 */
export class S3Storage extends ManagedStorage {
  constructor(bucket: string, options?: S3StorageOptions)
  constructor(options: S3StorageOptions & { readonly bucket: string })
  constructor(bucket: string | S3StorageOptions, options: S3StorageOptions = {}) {
    const given = typeof bucket === 'string' ? { ...options, bucket } : bucket
    const { connection, managed, ...driver } = resolveOptions(given, 'S3Storage')
    super(new S3Driver({ connection: new S3Connection(connection), ...driver }), managed)
  }
}
