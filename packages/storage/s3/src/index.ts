export {
  lifecycleRule,
  putLifecycleRule,
  type LifecycleRuleOptions,
  type PutLifecycleRuleOptions,
} from './lifecycle-rule.ts'
export type { S3ClientOptions, S3StorageOptions } from './s3-storage-options.ts'
export { S3Storage } from './s3-storage.ts'
