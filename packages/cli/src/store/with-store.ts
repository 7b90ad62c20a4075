import {
  scopeOf,
  StorageError,
  applyRetention,
  type EventJournal,
  type ManagedStorage,
  type Storage,
} from '@spillway/core'
import type { postgresSchema } from '@spillway/postgres'
import { statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CliError, EXIT_CODE, usageError } from '../cli-error.ts'
import { BACKENDS, backendOf, packageOf, type Backend } from './backends.ts'
import { nearbyStores } from './find-store.ts'
import { noteLine } from '../output.ts'
import { unlessRefused } from '../unless-refused.ts'
import { isEphemeral, looksLikeCredentials, redactUrl, type StoreOptions } from './store-options.ts'

/** A store, or a scope of it. All backends of the command line have every method. */
export type Store = Omit<Required<Storage>, 'locate'> & Pick<Storage, 'locate'>

export interface OpenStore {
  readonly storage: Storage
  readonly journal: EventJournal | undefined
}

interface StoreUse extends StoreSettings {
  readonly allowEphemeral?: boolean
  /** Whether the command writes. Defaults to `allowEphemeral`. */
  readonly writes?: boolean
  /** Whether the command is a server. A server that cannot use its local store ends at its start. */
  readonly isServer?: boolean
}

/** Open the store and scope of a command, use it, and close it. Throws a `usage` error for a store in memory. */
export async function withStore<Result>(
  options: StoreOptions,
  use: (storage: Store, journal: EventJournal | undefined) => Promise<Result>,
  { allowEphemeral = false, writes = allowEphemeral, isServer = false, ...settings }: StoreUse = {},
): Promise<Result> {
  if (isEphemeral(options) && !allowEphemeral) {
    throw usageError('A store memory: exists only while its command runs. Use memory: only with `spillway run`.')
  }
  const isDefault = isDefaultStore(options)
  const storage = await openStore(options.store, isDefault ? { ...DEFAULT_AGE, ...settings } : settings)
  // Reading commands do not create a store.
  if (!writes && isMissingFile(localPath(options.store))) throw missingStore(options)
  if (options.verbose === true) await noteLine(`the store is ${redactUrl(options.store)}`)
  const journal = await openJournal(options.store)
  const tidy = async (): Promise<void> => (writes && isDefault ? await tidyStore(storage, options.store) : undefined)
  // The limits are applied regularly, because a server may run for months.
  const timer = setInterval(() => void tidy(), TIDY_MS).unref()
  try {
    if (isServer && localPath(options.store) !== undefined) for await (const _ of storage.list()) break
    return await use(options.scope === undefined ? storage : (scopeOf(storage, options.scope) as Store), journal)
  } finally {
    clearInterval(timer)
    await journal?.close?.()
    await tidy()
    await storage.close()
  }
}

/** Return whether the user did not name a store. */
export const isDefaultStore = ({ store, foundStore }: StoreOptions): boolean => store === foundStore

export function missingStore(options: Pick<StoreOptions, 'store' | 'foundStore'>, fix?: string): CliError {
  const found = nearbyStores().filter((url) => url !== options.store)
  const nearby = found.length === 0 ? '' : ` Found nearby: ${found.slice(0, 3).join(', ')}.`
  const advice = isDefaultStore(options)
    ? 'Nothing has been stored yet: `spillway run` and `spillway put` create the store.'
    : (fix ?? 'Name another with --store or SPILLWAY_STORE.')
  const message = `There is no store at ${redactUrl(options.store)}.${nearby} ${advice}`
  return new CliError('no-store', EXIT_CODE.storage, message)
}

/** Limits of the folder `.spillway` that commands use by default. Stores that the user names have no limits. */
export const DEFAULT_LIMITS: { readonly ttlMs: number; readonly maxBytes: number } = {
  ttlMs: 30 * 86_400_000,
  maxBytes: 1_000_000_000,
}
export const DEFAULT_AGE: StoreSettings = { ttlMs: DEFAULT_LIMITS.ttlMs }
const TIDY_MS = 3_600_000

/** Evict entries beyond the limits of the default store, at most once an hour. Keeps entries of the last hour. */
export async function tidyStore(storage: ManagedStorage, url: string): Promise<void> {
  const stamp = join(localPath(url) ?? '', '.tidied')
  try {
    const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (Date.now() - last < TIDY_MS) return
    writeFileSync(stamp, '', { mode: 0o600 })
    await storage.gc()
    await applyRetention(storage, { rules: [{ maxBytes: DEFAULT_LIMITS.maxBytes }], keepMs: TIDY_MS })
  } catch (error) {
    // The command itself has succeeded, even if nothing is stored yet or the folder is not writable.
    if ((error as NodeJS.ErrnoException).syscall === undefined && !StorageError.isInstance(error)) throw error
  }
}

/**
 * Open the journal of a local store: files in `.journal` of its folder, or a table of its database. Other stores have
 * no journal. Nothing is written before the first event.
 */
export async function openJournal(url: string): Promise<EventJournal | undefined> {
  const path = localPath(url)
  if (path === undefined) return undefined
  if (/^file:/i.test(url)) return new (await import('@spillway/file')).FileJournal(join(path, '.journal'))
  return new (await import('@spillway/sqlite')).SqliteJournal(path)
}

export const isMissingFile = (path: string | undefined): boolean =>
  path !== undefined && unlessRefused(() => statSync(path, { throwIfNoEntry: false }) ?? 'missing') === 'missing'

interface StoreSettings {
  readonly ttlMs?: number | undefined
}

export type LoadPackage = (name: string) => Promise<unknown>

const ARGUMENTS: Readonly<Record<string, (url: string, settings: StoreSettings) => readonly unknown[]>> = {
  FileStorage: (url, settings) => [{ directory: localPath(url), ...settings }],
  InMemoryStorage: (_url, settings) => [settings],
  SqliteStorage: (url, settings) => [{ path: localPath(url), ...settings }],
  RedisStorage(url, settings) {
    const { url: place, ...options } = parseRedisUrl(url)
    return [place, { ...options, ...settings }]
  },
  PostgresStorage(url, settings) {
    const { url: place, ...options } = parsePostgresUrl(url)
    return [place, { ...options, ...settings }]
  },
  S3Storage(url) {
    const { bucket, ...options } = parseS3Url(url)
    return [bucket, options]
  },
}

/** Open the store of a URL. Throws a {@link CliError} `usage` or `not-installed`. */
export async function openStore(
  url: string,
  settings: StoreSettings = {},
  load: LoadPackage = (name) => import(name),
): Promise<ManagedStorage> {
  const { scheme, backend } = backendOf(url)
  if (backend === undefined) throw unknownStore(url, scheme)
  if (settings.ttlMs !== undefined && scheme === 's3') {
    throw usageError('In S3 a lifecycle rule of the bucket ends old entries: set one there, and leave out --ttl.')
  }
  const loaded = await loadBackend(backend, load)
  const StorageClass = loaded[backend.className] as new (...args: readonly unknown[]) => ManagedStorage
  try {
    return new StorageClass(...ARGUMENTS[backend.className]!(url, settings))
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`${redactUrl(url)}: ${error.message}`, { cause: error })
    throw error
  }
}

/** Load the package of the PostgreSQL backend. Throws a {@link CliError} `not-installed`. */
export async function loadPostgres(): Promise<{ readonly postgresSchema: typeof postgresSchema }> {
  return (await loadBackend(backendOf('postgres:').backend!, (name) => import(name))) as never
}

/** Return the path of a local store without `~`, or `undefined` for a remote one. Throws a `usage` error if the URL has no path. */
export function localPath(url: string): string | undefined {
  const { scheme = '', backend } = backendOf(url)
  if (backend?.isLocal !== true) return undefined
  const path = url.slice(scheme.length + 1)
  if (path.startsWith('//')) return filePath(`file:${path}`, scheme)
  if (looksLikeCredentials(path))
    throw usageError(`${scheme}: has a path, and no user, password or host. If it is a path, write ./ in front of it.`)
  if (path === '') throw usageError(`${scheme}: needs a path, such as ${backend.example}.`)
  return path.replace(/^~(?=[\\/])/, homedir)
}

async function loadBackend(backend: Backend, load: LoadPackage): Promise<Record<string, unknown>> {
  const { client, example } = backend
  const name = packageOf(backend)
  try {
    return (await load(name)) as Record<string, unknown>
  } catch (error) {
    if (!isMissing(error, name) && (client === undefined || !isMissing(error, client))) throw error
    const packages = [name, ...(client === undefined ? [] : [client])].join(' ')
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
  const stores = `Known stores: ${BACKENDS.map(({ example }) => example).join(', ')}.`
  if (scheme === undefined)
    return usageError(`A store is a URL, such as file:${/^[\w./-]+$/.test(url) ? url : './.spillway'}. ${stores}`)
  // The text before the colon may be a user name, so a URL with an @ is not quoted.
  const kind = url.includes('@') ? 'for this URL' : `for ${scheme}: stores`
  return usageError(`There is no backend ${kind}. ${stores}`)
}

function filePath(url: string, scheme: string): string {
  try {
    return fileURLToPath(url)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // The cause is left out, because it contains the URL.
    throw usageError(`The URL names no local path: write one or three slashes, such as ${scheme}:./dir/name.`)
  }
}

/** Parse `redis://user:password@host:port/db?prefix=…`, `rediss://…` or `redis+cluster://host:port,host:port`. */
export function parseRedisUrl(url: string): { readonly url: string; readonly prefix?: string } {
  // Credentials may contain a question mark.
  const start = url.indexOf('?', url.lastIndexOf('@') + 1)
  const end = start === -1 ? url.length : start
  const place = url.slice(0, end).replace(/^[a-z+]+:/i, (scheme) => scheme.toLowerCase())
  return { url: place, ...readParameters(url.slice(end + 1), { prefix: (prefix) => ({ prefix }) }, 'a Redis store') }
}

/** Parse `postgres://user:password@host:port/database?schema=…`. Other parameters, such as `sslmode`, stay for `pg`. */
export function parsePostgresUrl(url: string): { readonly url: string; readonly schema?: string } {
  const start = url.indexOf('?', url.lastIndexOf('@') + 1)
  if (start === -1) return { url }
  const parameters = new URLSearchParams(url.slice(start))
  const [schema, second] = parameters.getAll('schema')
  if (second !== undefined) throw usageError('The parameter schema of a PostgreSQL store is given twice.')
  if (schema === undefined) return { url }
  parameters.delete('schema')
  return { url: `${url.slice(0, start)}${parameters.size === 0 ? '' : `?${parameters.toString()}`}`, schema }
}

interface S3Place {
  readonly bucket: string
  readonly [option: string]: string | boolean
}

const SECRET_PARAMETER = /(?:^|&)[^=&]*(?:secret|token|key|pass|user|credential)[^=&]*=/i
const EXAMPLE = 's3://bucket/prefix'

const PARAMETERS: ParameterReaders<Readonly<Record<string, string | boolean>>> = {
  endpoint: (value) => ({ endpoint: checkEndpoint(value) }),
  region: (region) => ({ region }),
  'path-style': (value) => ({ forcePathStyle: parseBoolean('path-style', value) }),
  'conditional-put': (value) => ({ conditionalPut: parseBoolean('conditional-put', value) }),
}

/** Parse `s3://bucket/prefix?endpoint=…&region=…&path-style=true`. Errors never quote text that may be a credential. */
export function parseS3Url(url: string): S3Place {
  const [, bucket = '', path = '', query = ''] = /^s3:\/\/([^/?]*)\/?([^?]*)\??(.*)$/is.exec(url) ?? []
  if (/[@:]/.test(bucket) || SECRET_PARAMETER.test(query)) throw credentialsRefused()
  if (bucket === '') throw usageError(`An S3 store needs a bucket: ${EXAMPLE}.`)
  const prefix = decode(path).replace(/\/+$/, '')
  return { bucket, ...(prefix === '' ? {} : { prefix }), ...readParameters(query, PARAMETERS, 'an S3 store') }
}

function checkEndpoint(value: string): string {
  const { protocol, username, password } = URL.parse(value) ?? {}
  if (protocol !== 'http:' && protocol !== 'https:')
    throw usageError('The endpoint of an S3 store is an http: or https: URL: endpoint=https://s3.example.com.')
  if (username !== '' || password !== '') throw credentialsRefused()
  return value
}

function parseBoolean(name: string, value: string): boolean {
  if (!/^(?:true|false)$/.test(value)) throw usageError(`${name} of an S3 store is true or false.`)
  return value === 'true'
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw usageError('Write %25 for a percent sign, and %3F for a question mark, in the prefix of an S3 store.', {
      cause: error,
    })
  }
}

const credentialsRefused = (): Error =>
  usageError(
    'Credentials do not belong in the URL of an S3 store, where they could be shown. Set AWS_ACCESS_KEY_ID and ' +
      'AWS_SECRET_ACCESS_KEY, or AWS_PROFILE: they are found as the AWS tools find them.',
  )

type ParameterReaders<Settings> = Readonly<Record<string, (value: string) => Settings>>

function readParameters<Settings extends object>(
  query: string,
  readers: ParameterReaders<Settings>,
  store: string,
): Settings {
  const seen = new Set<string>()
  const settings: Settings[] = []
  for (const [name, value] of new URLSearchParams(query)) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined
    if (read === undefined)
      throw usageError(`The URL of ${store} has an unknown parameter. Known: ${Object.keys(readers).join(', ')}.`)
    if (seen.has(name)) throw usageError(`The parameter ${name} of ${store} is given twice.`)
    if (value === '') throw usageError(`The parameter ${name} of ${store} must not be empty.`)
    seen.add(name)
    settings.push(read(value))
  }
  return Object.assign({}, ...settings) as Settings
}
