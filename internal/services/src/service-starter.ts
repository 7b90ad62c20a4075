import { findPgBouncer, findPostgres } from './find-postgres.ts'
import { findRedis, type FoundProgram } from './find-redis.ts'
import { findS3 } from './find-s3.ts'
import { startPgBouncer, startPostgres } from './postgres-server.ts'
import { startRedisCluster } from './redis-cluster.ts'
import { startRedis } from './redis-server.ts'
import { startS3 } from './s3-server.ts'
import { unavailable, type ServiceName, type SharedServices, type Unavailable } from './service.ts'

type Disposable = { dispose(): Promise<void> }

/** Starts each shared service when it is first requested. */
export class ServiceStarter {
  readonly #services = new Map<ServiceName, Promise<SharedServices[ServiceName] | Unavailable>>()
  readonly #started: Disposable[] = []

  /** Return a service, and start it if necessary. If it fails to start, it is unavailable, with the end of its log. */
  async get<Name extends ServiceName>(name: Name): Promise<SharedServices[Name] | Unavailable> {
    let service = this.#services.get(name)
    if (service === undefined) this.#services.set(name, (service = this.#start(name)))
    return (await service) as SharedServices[Name] | Unavailable
  }

  /** Return all services that were requested. */
  async asked(): Promise<Partial<Record<ServiceName, SharedServices[ServiceName] | Unavailable>>> {
    const entries = [...this.#services].map(async ([name, service]) => [name, await service] as const)
    return Object.fromEntries(await Promise.all(entries))
  }

  /** Stop all started services, and remove their data. A later request starts a service again. */
  async stop(): Promise<void> {
    await Promise.all(this.#services.values())
    this.#services.clear()
    await Promise.all(this.#started.splice(0).map((service) => service.dispose()))
  }

  async #start(name: ServiceName): Promise<SharedServices[ServiceName] | Unavailable> {
    const found = await findService(name)
    if (!found.available) {
      if (isRequired(name)) throw new Error(found.why)
      return found
    }
    try {
      const server = await this.#startServer(name)
      this.#started.push(server)
      // Only plain data is returned, because it is sent to other processes.
      const { dispose: _, ...service } = server
      return JSON.parse(JSON.stringify(service)) as SharedServices[ServiceName]
    } catch (error) {
      if (isRequired(name)) throw error
      return unavailable(error instanceof Error ? error.message : String(error))
    }
  }

  async #startPgBouncer(): Promise<SharedServices['pgbouncer'] & Disposable> {
    const postgres = await this.get('postgres')
    if (!postgres.available) throw new Error(postgres.why)
    return await startPgBouncer(postgres)
  }

  async #startServer(name: ServiceName): Promise<SharedServices[ServiceName] & Disposable> {
    if (name === 'redis') return await startRedis()
    if (name === 'postgres') return await startPostgres()
    if (name === 'pgbouncer') return await this.#startPgBouncer()
    return name === 's3' ? await startS3() : await startRedisCluster()
  }
}

/** Find the programs of a service. */
export async function findService(name: ServiceName): Promise<FoundProgram | Unavailable> {
  if (name === 'postgres') return await findPostgres()
  if (name === 'pgbouncer') return await findPgBouncer()
  return name === 's3' ? await findS3() : await findRedis()
}

/** Whether tests fail, instead of being skipped, if a service cannot be started. */
function isRequired(name: ServiceName): boolean {
  const required = process.env['SPILLWAY_REQUIRE_SERVICES'] ?? ''
  return required === '1' || required.split(',').includes(name)
}
