import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { askRedis, RedisReplyError } from './ask-redis.ts'
import { dockerRun, REDIS_IMAGE } from './docker.ts'
import { findRedis } from './find-redis.ts'
import { GuardedFolder } from './guarded-folder.ts'
import { ServerProcess } from './server-process.ts'
import type { RedisService } from './service.ts'
import { sparePort } from './spare-port.ts'

const ATTEMPTS = 3

/** Settings of a Redis server. By default, it stores nothing on disk, needs no password, and has no memory limit. */
export interface RedisOptions {
  /** Write an append-only file, with Redis's setting of this name. If absent, nothing is written to disk. */
  readonly appendfsync?: 'always' | 'everysec' | 'no' | undefined
  readonly requirepass?: string | undefined
  /** Memory limit in the notation of Redis, for example `50mb`. */
  readonly maxmemory?: string | undefined
  /** The keys that are evicted if the memory is full. Redis's default, `noeviction`, refuses writes. */
  readonly maxmemoryPolicy?: string | undefined
  /** Rules of access control, for example `reader on >secret ~prefix:* +get`. */
  readonly users?: readonly string[] | undefined
  /** Other lines of the configuration file. */
  readonly settings?: Readonly<Record<string, string>> | undefined
}

/** A separate Redis server, which can be killed and started again. */
export interface RedisServer extends RedisService {
  readonly port: number
  /** The process id; `undefined` if the server runs in a container or not at all. */
  readonly pid: number | undefined
  /** Kill the server with SIGKILL, and wait until it has ended. */
  kill(): Promise<void>
  /** Stop the server with SIGTERM, and wait until it has ended. */
  stop(): Promise<void>
  /** Start the server again, on the same port, with the data on disk. */
  start(): Promise<void>
  /** Kill the server and remove its data. */
  dispose(): Promise<void>
}

/**
 * Start a Redis server on a spare port of 127.0.0.1. It ends at the latest when this process ends, even by SIGKILL.
 * Rejects if Redis is not installed (see {@link findRedis}) or does not start.
 */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const folder = new GuardedFolder('redis')
  try {
    const { port, server } = await startNode(folder, options)
    const password = options.requirepass === undefined ? '' : `:${encodeURIComponent(options.requirepass)}@`
    return {
      available: true,
      url: `redis://${password}127.0.0.1:${port}`,
      port,
      get pid() {
        return server.pid
      },
      kill: () => server.kill(),
      stop: () => server.stop(),
      start: () => server.start(),
      dispose: async () => {
        await server.kill()
        await folder.remove()
      },
    }
  } catch (error) {
    await folder.remove()
    throw error
  }
}

/** Start one server in a folder, on a separate port. */
export async function startNode(
  folder: GuardedFolder,
  options: RedisOptions,
): Promise<{ readonly port: number; readonly server: ServerProcess }> {
  const found = await findRedis()
  if (!found.available) throw new Error(`Redis cannot be started: ${found.why}`)
  for (let attempt = 1; ; attempt += 1) {
    const port = await sparePort()
    const data = join(folder.path, String(port))
    const config = join(folder.path, `${port}.conf`)
    mkdirSync(data)
    writeFileSync(config, configuration(port, data, options), { mode: 0o600 })
    const run =
      found.from === 'installed'
        ? { command: 'redis-server', args: [config] }
        : dockerRun(REDIS_IMAGE, 'redis-server', [config], folder.path)
    const server = new ServerProcess(folder, {
      ...run,
      name: `redis-${port}`,
      isReady: () => isReady(port, options.requirepass),
      // Docker may have to download the image first.
      timeoutMs: found.from === 'docker' ? 300_000 : 30_000,
    })
    try {
      await server.start()
      return { port, server }
    } catch (error) {
      // Another program may have taken the port since it was found.
      if (attempt === ATTEMPTS || !String(error).includes('ddress already in use')) throw error
    }
  }
}

/** The configuration is written to a file, because all users of the machine can read command lines. */
function configuration(port: number, data: string, options: RedisOptions): string {
  const { appendfsync, requirepass, maxmemory, maxmemoryPolicy, users = [], settings = {} } = options
  const lines: [string, string | undefined][] = [
    ['port', String(port)],
    ['bind', '127.0.0.1'],
    ['dir', data],
    ['save', '""'],
    ['appendonly', appendfsync === undefined ? 'no' : 'yes'],
    ['appendfsync', appendfsync],
    ['requirepass', requirepass === undefined ? undefined : JSON.stringify(requirepass)],
    ['maxmemory', maxmemory],
    ['maxmemory-policy', maxmemoryPolicy],
    ...users.map((user): [string, string] => ['user', user]),
    ...Object.entries(settings),
  ]
  return lines.map(([name, value]) => (value === undefined ? '' : `${name} ${value}\n`)).join('')
}

async function isReady(port: number, password: string | undefined): Promise<boolean> {
  const login = password === undefined ? [] : [['AUTH', password]]
  try {
    return (await askRedis(port, ...login, ['PING'])) === 'PONG'
  } catch (error) {
    // A server that refuses the command is ready, unless it is still loading data from disk.
    if (error instanceof RedisReplyError) return !error.message.startsWith('LOADING')
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return false
    throw error
  }
}
