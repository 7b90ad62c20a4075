import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceName } from './service.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** Patterns of calls with which tests request a service. */
const CALLS: Readonly<Record<ServiceName, RegExp>> = {
  redis: /\b(?:sharedRedis|startRedis|findRedis)\(/,
  'redis-cluster': /\b(?:sharedRedisCluster|startRedisCluster)\(/,
  s3: /\b(?:sharedS3|startS3|startS3Gateway|findS3)\(/,
  postgres: /\b(?:sharedPostgres|startPostgres|findPostgres)\(/,
  pgbouncer: /\bsharedPgBouncer\(/,
}

/** Return the paths, relative to `root`, of tests and shared test files that request a service. */
export function dependentTests(name: ServiceName, root: string = ROOT): string[] {
  return globSync('{packages,internal/docs}/**/*.ts', {
    cwd: root,
    exclude: (path) => path.endsWith('node_modules') || path.endsWith('dist'),
  })
    .filter((path) => !path.includes('node_modules/') && CALLS[name].test(readFileSync(join(root, path), 'utf8')))
    .toSorted()
}
