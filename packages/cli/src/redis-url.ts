import { readParameters } from './store-parameters.ts'

/** What a URL says of a Redis store. */
export interface RedisPlace {
  /** The URL as `RedisStorage` takes it, with its credentials. */
  readonly url: string
  /** What all keys begin with. */
  readonly prefix?: string
}

/**
 * Read `redis://user:password@host:port/db?prefix=…`, `rediss://…` or `redis+cluster://host:port,host:port?prefix=…`.
 *
 * Throws a {@link CliError} `usage` for parameters that are unknown.
 */
export function parseRedisUrl(url: string): RedisPlace {
  // What stands before the @ may have a question mark, too.
  const start = url.indexOf('?', url.lastIndexOf('@') + 1)
  const end = start === -1 ? url.length : start
  const place = url.slice(0, end).replace(/^[a-z+]+:/i, (scheme) => scheme.toLowerCase())
  return { url: place, ...readParameters(url.slice(end + 1), { prefix: (prefix) => ({ prefix }) }, 'a Redis store') }
}
