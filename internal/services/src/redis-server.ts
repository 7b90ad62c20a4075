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

/** Settings of a Redis server. Without any, it keeps nothing on disk, needs no password and has no limit of memory. */
export interface RedisOptions {
  /** Keep every write in an append-only file, and flush it as Redis's setting of this name says. */
  readonly appendfsync?: 'always' | 'everysec' | 'no' | undefined
  readonly requirepass?: string | undefined
  /** In the server's own notation, such as `50mb`. */
  readonly maxmemory?: string | undefined
  /** Keys that are evicted when memory is full. Redis's default, `noeviction`, refuses writes. */
  readonly maxmemoryPolicy?: string | undefined
  /** Rules of access control, such as `reader on >secret ~prefix:* +get`. */
  readonly users?: readonly string[] | undefined
  /** Any further lines of its configuration file. */
  readonly settings?: Readonly<Record<string, string>> | undefined
}

/** A Redis server of one's own, which can be killed and started again. */
export interface RedisServer extends RedisService {
  readonly port: number
  /** Its process id, while it runs outside of a container. */
  readonly pid: number | undefined
  /** Kill it by SIGKILL and wait until it is gone. */
  kill(): Promise<void>
  /** Stop it by SIGTERM and wait until it is gone. */
  stop(): Promise<void>
  /** Start it again, on the same port, with what is on its disk. */
  start(): Promise<void>
  /** Kill it and remove its data. */
  dispose(): Promise<void>
}

/**
 * Start a Redis server on a spare port of 127.0.0.1. It ends with this process at the latest, however that ends. Rejects
 * if Redis is not installed (see {@link findRedis}) or does not start.
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

/** Start one server in a folder, on a port of its own. */
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
      // Docker may have to get the image first.
      timeoutMs: found.from === 'docker' ? 300_000 : 30_000,
    })
    try {
      await server.start()
      return { port, server }
    } catch (error) {
      // Somebody else may have taken the port since it was found.
      if (attempt === ATTEMPTS || !String(error).includes('ddress already in use')) throw error
    }
  }
}

/** The configuration goes into a file: command lines can be read by every user of the machine. */
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
    // Whoever refuses is awake, unless it says that it is still loading what it had on disk.
    if (error instanceof RedisReplyError) return !error.message.startsWith('LOADING')
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return false
    throw error
  }
}
