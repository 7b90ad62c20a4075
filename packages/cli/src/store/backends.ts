/** A backend of the command line. Its package is named after the first scheme. */
export interface Backend {
  readonly schemes: readonly [string, ...string[]]
  /** Another package that the backend needs, and that users must install. */
  readonly client?: string
  readonly className: string
  readonly example: string
  /** Whether the rest of the URL is a path on this machine. */
  readonly isLocal?: boolean
}

const redis = ['redis', 'rediss', 'redis+cluster', 'rediss+cluster'] as const
const postgres = ['postgres', 'postgresql'] as const

/** All backends, as help, messages, and the command `doctor` list them. */
export const BACKENDS: readonly Backend[] = [
  { schemes: ['file'], className: 'FileStorage', example: 'file:./dir', isLocal: true },
  { schemes: ['sqlite'], client: 'better-sqlite3', className: 'SqliteStorage', example: 'sqlite:./db', isLocal: true },
  { schemes: redis, client: 'ioredis', className: 'RedisStorage', example: 'redis://localhost:6379' },
  { schemes: postgres, client: 'pg', className: 'PostgresStorage', example: 'postgres://host/database' },
  { schemes: ['s3'], client: '@aws-sdk/client-s3', className: 'S3Storage', example: 's3://bucket/prefix' },
  { schemes: ['memory'], className: 'InMemoryStorage', example: 'memory:' },
]

export const packageOf = ({ schemes: [name] }: Backend): string => `@spillway/${name}`

export function backendOf(url: string): { readonly scheme: string | undefined; readonly backend: Backend | undefined } {
  const scheme = /^([a-z0-9+]+):/i.exec(url)?.[1]?.toLowerCase()
  return { scheme, backend: BACKENDS.find(({ schemes }) => scheme !== undefined && schemes.includes(scheme)) }
}
