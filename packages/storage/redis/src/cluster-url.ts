import type { ConnectionOptions, RedisNodeAddress } from './redis-options.ts'

const DEFAULT_PORT = 6379
const EXAMPLE = 'redis+cluster://host:7000,host:7001'

/** What a url of a Cluster says. */
export interface ClusterUrl {
  readonly nodes: readonly RedisNodeAddress[]
  readonly options: ConnectionOptions
}

/**
 * Take a url such as `redis+cluster://user:password@host:7000,host:7001` apart; `undefined` for that of a single server.
 * Throws `TypeError`, without the url's password, where it is neither.
 */
export function clusterUrl(url: string): ClusterUrl | undefined {
  const [, secure, cluster, rest = ''] = /^redis(s?)(\+cluster)?:\/\/(.*)$/s.exec(url) ?? []
  if (secure === undefined)
    throw new TypeError(`A url of Redis begins with redis://, rediss:// or redis+cluster://, such as ${EXAMPLE}.`)
  const at = rest.lastIndexOf('@')
  const hosts = rest.slice(at + 1).replace(/\/$/, '')
  if (cluster === undefined) {
    if (hosts.includes(',')) throw new TypeError(`Several hosts are a Cluster: write the url as ${EXAMPLE}.`)
    assertReadable(url)
    return undefined
  }
  if (/[/?#]/.test(hosts))
    throw new TypeError(`A url of a Cluster has only hosts and ports, such as ${EXAMPLE}: a Cluster has one database.`)
  const credentials = at < 0 ? {} : credentialsOf(rest.slice(0, at))
  return {
    nodes: hosts.split(',').map((host, index) => nodeOf(host, index + 1)),
    options: { ...credentials, ...(secure === '' ? {} : { tls: {} }) },
  }
}

/** What is special in a password ends the host for a URL, which would then be the beginning of the password. */
function assertReadable(url: string): void {
  const { pathname, search, hash } = URL.parse(url) ?? {}
  if (pathname === undefined || /@/.test(`${pathname}${search}${hash}`))
    throw new TypeError(
      'The url of Redis cannot be read. Write it as redis://user:password@host:port/db, with what is special in a password percent-encoded.',
    )
}

function credentialsOf(text: string): ConnectionOptions {
  const colon = text.indexOf(':')
  const username = decoded(colon < 0 ? text : text.slice(0, colon))
  const password = colon < 0 ? '' : decoded(text.slice(colon + 1))
  return { ...(username === '' ? {} : { username }), ...(password === '' ? {} : { password }) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new TypeError('Write %25 for a percent sign in the user or the password of a url of Redis.')
  }
}

function nodeOf(text: string, number: number): RedisNodeAddress {
  const [, host, port = `${DEFAULT_PORT}`] = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  if (host === undefined)
    throw new TypeError(`Node ${number} of the url is no host and port, such as those in ${EXAMPLE}.`)
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}
