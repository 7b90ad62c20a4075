import { fileURLToPath } from 'node:url'
import type { Storage } from '@spillway/core'
import { CliError, usageError } from './cli-error.ts'
import { EXIT_CODE } from './exit-code.ts'
import { looksLikeCredentials, redactUrl } from './redact-url.ts'
import { parseRedisUrl } from './redis-url.ts'
import { parseS3Url } from './s3-url.ts'

/** What a command wants of a store beside its place. */
export interface StoreSettings {
  /** Milliseconds without use after which entries expire. */
  readonly ttlMs?: number | undefined
}

/** Import a package by its name. */
export type LoadPackage = (name: string) => Promise<unknown>

interface Backend {
  readonly package: string
  /** The client that the package works with, and that is installed beside it. */
  readonly client?: string
  readonly className: string
  readonly example: string
  /** The arguments of the class's constructor. */
  arguments(url: string, settings: StoreSettings): readonly unknown[]
}

const redis: Backend = {
  package: '@spillway/redis',
  client: 'ioredis',
  className: 'RedisStorage',
  example: 'redis://localhost:6379',
  arguments(url, settings) {
    const { url: place, ...options } = parseRedisUrl(url)
    return [place, { ...options, ...settings }]
  },
}
const redisCluster: Backend = { ...redis, example: 'redis+cluster://host:7000,host:7001' }

/** Backends by the scheme of their URLs. Each is loaded only when it is asked for. */
const BACKENDS: Readonly<Record<string, Backend>> = {
  file: {
    package: '@spillway/file',
    className: 'FileStorage',
    example: 'file:./.spillway',
    arguments: (url, settings) => [{ directory: pathOf(url, 'file'), ...settings }],
  },
  memory: {
    package: '@spillway/memory',
    className: 'InMemoryStorage',
    example: 'memory:',
    arguments: (_url, settings) => [settings],
  },
  sqlite: {
    package: '@spillway/sqlite',
    client: 'better-sqlite3',
    className: 'SqliteStorage',
    example: 'sqlite:./spillway.db',
    arguments: (url, settings) => [{ path: pathOf(url, 'sqlite'), ...settings }],
  },
  redis,
  rediss: redis,
  'redis+cluster': redisCluster,
  'rediss+cluster': redisCluster,
  s3: {
    package: '@spillway/s3',
    client: '@aws-sdk/client-s3',
    className: 'S3Storage',
    example: 's3://bucket/prefix',
    arguments: (url) => {
      const { bucket, ...options } = parseS3Url(url)
      return [bucket, options]
    },
  },
}

/**
 * Open the store that a URL names.
 *
 * Throws a {@link CliError}: `usage` where the URL names no backend, `not-installed` with what to install.
 */
export async function openStore(
  url: string,
  settings: StoreSettings = {},
  load: LoadPackage = (name) => import(name),
): Promise<Storage> {
  const scheme = /^([a-z0-9+]+):/i.exec(url)?.[1]?.toLowerCase()
  const backend = scheme !== undefined && Object.hasOwn(BACKENDS, scheme) ? BACKENDS[scheme] : undefined
  if (backend === undefined) throw unknownStore(url, scheme)
  if (settings.ttlMs !== undefined && scheme === 's3') {
    throw usageError('In S3 a lifecycle rule of the bucket ends old entries: set one there, and leave out --ttl.')
  }
  const loaded = await loadBackend(backend, load)
  const Backend = loaded[backend.className] as new (...args: readonly unknown[]) => Storage
  try {
    return new Backend(...backend.arguments(url, settings))
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`${redactUrl(url)}: ${error.message}`, { cause: error })
    throw error
  }
}

/** The path of a store in a local folder or file; undefined for any other store. */
export function localPath(url: string): string | undefined {
  const scheme = /^(file|sqlite):/i.exec(url)?.[1]?.toLowerCase()
  return scheme === undefined ? undefined : pathOf(url, scheme)
}

async function loadBackend(backend: Backend, load: LoadPackage): Promise<Record<string, unknown>> {
  const { client, example } = backend
  try {
    return (await load(backend.package)) as Record<string, unknown>
  } catch (error) {
    if (!isMissing(error, backend.package) && (client === undefined || !isMissing(error, client))) throw error
    const packages = [backend.package, ...(client === undefined ? [] : [client])].join(' ')
    throw new CliError(
      'not-installed',
      EXIT_CODE.storage,
      `${example.split(':', 1)[0]}: stores need ${packages.replace(' ', ' and ')}. ` +
        `Run: npm install ${packages} (with -g if spillway is installed globally)`,
      { cause: error },
    )
  }
}

function isMissing(error: unknown, name: string): boolean {
  const { code, message } = Object(error) as Partial<NodeJS.ErrnoException>
  return code === 'ERR_MODULE_NOT_FOUND' && message?.includes(`'${name}'`) === true
}

function unknownStore(url: string, scheme: string | undefined): CliError {
  const examples = Object.values(BACKENDS).map((backend) => backend.example)
  const known = `Known stores: ${[...new Set(examples)].join(', ')}.`
  if (scheme === undefined)
    return usageError(
      `A store is named by a URL, such as file:${/^[\w./-]+$/.test(url) ? url : './.spillway'}. ${known}`,
    )
  // What begins like a scheme may be a user, or a password.
  const kind = url.includes('@') ? 'for this URL' : `for ${scheme}: stores`
  return usageError(`There is no backend ${kind}. ${known}`)
}

/** The path in `file:./dir`, `file:/dir` or `file:///dir`. */
function pathOf(url: string, scheme: string): string {
  const path = url.slice(scheme.length + 1)
  if (path.startsWith('//')) return filePath(`file:${path}`, scheme)
  if (looksLikeCredentials(path))
    throw usageError(`${scheme}: has a path, and no user, password or host. If it is a path, write ./ in front of it.`)
  if (path === '') throw usageError(`${scheme}: needs a path, such as ${BACKENDS[scheme]?.example}.`)
  return path
}

function filePath(url: string, scheme: string): string {
  try {
    return fileURLToPath(url)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // Without the cause, which has the URL.
    throw usageError(`The URL names no local path: write one or three slashes, such as ${scheme}:./dir/name.`)
  }
}
