import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { findPgBouncer, findPostgres, type PostgresOrigin } from './find-postgres.ts'
import { GuardedFolder } from './guarded-folder.ts'
import { runProgram } from './run-program.ts'
import { ServerProcess } from './server-process.ts'
import type { PgBouncerService, PostgresService } from './service.ts'
import { sparePort } from './spare-port.ts'

const ATTEMPTS = 3
const HOST = '127.0.0.1'
const USER = 'spillway'
const DATABASE = 'postgres'
/** Messages after a kill: the server cannot start again until its child processes have ended. */
const STILL_ENDING = /still in use|Is another postmaster/
const START_ATTEMPTS = 50
/** User id of `nobody`, because PostgreSQL and PgBouncer refuse to run as root. */
const NOBODY = 65_534

/** Settings of a PostgreSQL server. */
export interface PostgresOptions {
  /** The installation. Defaults to the first one that is found. */
  readonly origin?: PostgresOrigin | undefined
  /** Lines of the configuration, for example `{ max_connections: '5' }`. */
  readonly settings?: Readonly<Record<string, string>> | undefined
  /** Folder for the data, for example on a small disk. Defaults to a temporary folder. */
  readonly folder?: string | undefined
}

/** A separate PostgreSQL server, which can be killed and started again. */
export interface PostgresServer extends PostgresService {
  readonly port: number
  readonly version: string
  /** Folder of the data. */
  readonly data: string
  /** Kill the main process with SIGKILL, and wait until it has ended. */
  kill(): Promise<void>
  /** Stop the server, and wait until it has ended. */
  stop(): Promise<void>
  /** Start the server again, on the same port, with the data on disk. */
  start(): Promise<void>
  /** Kill the server and remove its data. */
  dispose(): Promise<void>
}

/**
 * Start a PostgreSQL server on a spare port of 127.0.0.1, as another user if this user is root. Its superuser
 * `spillway` needs no password. It ends at the latest with this process. Rejects if {@link findPostgres} finds none.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const found = await findPostgres(options.origin)
  if (!found.available) throw new Error(`PostgreSQL cannot be started: ${found.why}`)
  const folder = openFolder('postgres')
  const { bin, env, version } = found
  const data = join(options.folder ?? folder.path, 'data')
  mkdirSync(data, { mode: 0o700 })
  handOver(data)
  try {
    const args = ['--pgdata', data, '--username', USER, '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C']
    const initdb = asUser(join(bin, 'initdb'), [...args, '--no-sync', '--no-instructions'])
    const { exitCode, output } = await runProgram(initdb.command, initdb.args, { env })
    if (exitCode !== 0) throw new Error(`initdb failed: ${output.trim().slice(-500)}`)
    for (let attempt = 1; ; attempt += 1) {
      const port = await sparePort()
      const settings = configuration({ port: String(port), ...options.settings })
      const server = new ServerProcess(folder, {
        ...asUser(join(bin, 'postgres'), ['-D', data, ...settings], env),
        name: `postgres-${port}`,
        isReady: () => isReady(port),
        // With SIGTERM, the server would wait until all clients have disconnected.
        stopSignal: 'SIGINT',
      })
      try {
        await startAgain(server)
        return serverOf({ folder, server, port, version, data })
      } catch (error) {
        // Another program may have taken the port since it was found.
        if (attempt === ATTEMPTS || !String(error).includes('ddress already in use')) throw error
      }
    }
  } catch (error) {
    await folder.remove()
    throw error
  }
}

interface StartedServer {
  readonly folder: GuardedFolder
  readonly server: ServerProcess
  readonly port: number
  readonly version: string
  readonly data: string
}

function serverOf({ folder, server, port, version, data }: StartedServer): PostgresServer {
  return {
    available: true,
    url: urlOf(port),
    port,
    version,
    data,
    kill: () => server.kill(),
    stop: () => server.stop(),
    start: () => startAgain(server),
    dispose: async () => {
      await server.kill()
      await folder.remove()
    },
  }
}

async function startAgain(server: ServerProcess): Promise<void> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await server.start()
    } catch (error) {
      if (attempt === START_ATTEMPTS || !STILL_ENDING.test(String(error))) throw error
    }
}

/** Tests need no data after a crash of the machine, so the server does not sync. Killed processes lose nothing. */
function configuration(settings: Readonly<Record<string, string>>): string[] {
  const all = {
    listen_addresses: HOST,
    unix_socket_directories: '',
    max_connections: '300',
    shared_buffers: '64MB',
    fsync: 'off',
    full_page_writes: 'off',
    ...settings,
  }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** A PgBouncer in front of a server. */
export interface PgBouncer extends PgBouncerService {
  /** Kill PgBouncer and remove its files. */
  dispose(): Promise<void>
}

/**
 * Start PgBouncer in transaction mode, with fewer connections to the server than clients have. It ends at the latest
 * with this process. Rejects if {@link findPgBouncer} finds none.
 */
export async function startPgBouncer(server: PostgresService): Promise<PgBouncer> {
  const found = await findPgBouncer()
  if (!found.available) throw new Error(`PgBouncer cannot be started: ${found.why}`)
  const folder = openFolder('pgbouncer')
  const port = await sparePort()
  const file = join(folder.path, 'pgbouncer.ini')
  const { hostname, port: serverPort, username } = new URL(server.url)
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username}`,
    '[pgbouncer]',
    'pool_mode = transaction',
    'default_pool_size = 4',
    'max_client_conn = 500',
    'auth_type = any',
    `listen_addr = ${HOST}`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  handOver(file)
  const bouncer = new ServerProcess(folder, {
    ...asUser('pgbouncer', [file]),
    name: `pgbouncer-${port}`,
    isReady: () => isReady(port),
  })
  const dispose = async (): Promise<void> => {
    await bouncer.kill()
    await folder.remove()
  }
  try {
    await bouncer.start()
  } catch (error) {
    await dispose()
    throw error
  }
  return { available: true, url: urlOf(port), poolMode: 'transaction', dispose }
}

const urlOf = (port: number): string => `postgres://${USER}@${HOST}:${port}/${DATABASE}`
const isRoot = (): boolean => process.getuid?.() === 0

/** Create a folder that other users may enter. They can only read files that they own. */
function openFolder(prefix: string): GuardedFolder {
  const folder = new GuardedFolder(prefix)
  chmodSync(folder.path, 0o711)
  return folder
}

function handOver(path: string): void {
  if (isRoot()) chownSync(path, NOBODY, NOBODY)
}

/** Write a command that runs as another user. `setpriv` and `env` keep the process id for the program they start. */
function asUser(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly command: string; readonly args: readonly string[] } {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const run = ['env', ...variables, command, ...args]
  const user = isRoot() ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'] : []
  const [first = 'env', ...rest] = [...user, ...run]
  return { command: first, args: rest }
}

const PROTOCOL = 196_608
const ERROR = 'E'

/** Request a connection. A server that is starting or ending answers with an error. */
export async function isReady(port: number): Promise<boolean> {
  const words = Buffer.from(`user\0${USER}\0database\0${DATABASE}\0\0`)
  const start = Buffer.alloc(8)
  start.writeInt32BE(words.length + start.length)
  start.writeInt32BE(PROTOCOL, 4)
  return await new Promise((resolve) => {
    const socket = connect(port, HOST, () => socket.write(Buffer.concat([start, words])))
    socket.once('data', (answer) => {
      resolve(answer.toString('latin1', 0, 1) !== ERROR)
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  })
}
