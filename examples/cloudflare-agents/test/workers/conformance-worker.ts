import type { Storage } from '@spillway/core'
import { runConformance, type ConformanceHarness, type ConformancePowers } from '@spillway/core/conformance'
import { durableObjectStorage } from '../../src/durable-object-storage.ts'
import { r2Storage } from '../../src/r2-storage.ts'

interface Env {
  readonly BUCKET: R2Bucket
  readonly OBJECTS: DurableObjectNamespace
}

const SETTINGS = ['evictAfterTurns', 'ttlMs', 'maxBytes'] as const

/** Run the conformance suite on R2 or on the storage of a Durable Object, and answer with the report. */
const worker: ExportedHandler<Env> = {
  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    if (pathname === '/r2') return Response.json(await runConformance(r2Harness(env.BUCKET)))
    const response = await env.OBJECTS.get(env.OBJECTS.idFromName('conformance')).fetch(request.url)
    return new Response(await response.text())
  },
}

export { worker as default }

/** A Durable Object whose storage is tested. */
export class ConformanceObject {
  readonly #state: DurableObjectState

  constructor(state: DurableObjectState) {
    this.#state = state
  }

  async fetch(): Promise<Response> {
    return Response.json(await runConformance(durableObjectHarness(this.#state)))
  }
}

function r2Harness(bucket: R2Bucket): ConformanceHarness {
  return {
    name: 'R2',
    settings: SETTINGS,
    async create(settings) {
      const prefix = `${crypto.randomUUID()}/`
      const { clock, outage, switched } = controls(bucket)
      const open = (): Storage => r2Storage(switched, { ...settings, prefix, now: clock.now })
      const keys = async (): Promise<string[]> => {
        const { objects } = await bucket.list({ prefix })
        return objects.map(({ key }) => key)
      }
      return {
        storage: open(),
        powers: {
          clock,
          outage,
          maxTombstones: 1_000,
          reopen: async () => open(),
          residue: async () => (await keys()).length,
          plant: async (content) => {
            const beside = `${prefix.slice(0, -1)}-beside/planted_abcdefghijklmnopqrst`
            for (const key of ['planted_abcdefghijklmnopqrst', beside]) await bucket.put(key, content)
            return ['planted_abcdefghijklmnopqrst', '../planted_abcdefghijklmnopqrst', beside]
          },
          damage: async (reference) => {
            const key = (await keys()).find((key) => key.endsWith(reference)) ?? ''
            const object = await bucket.get(key)
            const { customMetadata = {} } = object ?? {}
            const content = (await object?.bytes())?.slice(0, -1) ?? null
            await bucket.put(key, content, { customMetadata })
          },
        },
      }
    },
    knownGaps: {
      'gc/never-takes-what-another-instance-found': 'R2 cannot delete an object on condition that nobody has used it',
    },
    missingPowers: { kill: 'a Worker cannot kill another', shell: 'there is no shell' },
  }
}

function durableObjectHarness({ storage }: DurableObjectState): ConformanceHarness {
  return {
    name: 'Durable Object',
    settings: SETTINGS,
    async create(settings) {
      const table = crypto.randomUUID()
      const { clock, outage, switched } = controls(storage.sql)
      const withOutage = { sql: switched, transactionSync: storage.transactionSync.bind(storage) }
      const open = (): Storage =>
        durableObjectStorage(withOutage as typeof storage, { ...settings, table, now: clock.now })
      const count = (name: string): number =>
        storage.sql.exec<{ count: number }>(`SELECT count(*) AS count FROM "${table}_${name}"`).one().count
      return {
        storage: open(),
        powers: {
          clock,
          outage,
          maxTombstones: 1_000,
          reopen: async () => open(),
          residue: async () => count('entries') + count('chunks'),
          damage: async (reference) => {
            const chunks = `"${table}_chunks"`
            storage.sql.exec(`UPDATE ${chunks} SET content = substr(content, 2) WHERE id LIKE ?`, `%${reference}`)
          },
        },
        dispose: () => {
          for (const name of ['entries', 'chunks']) storage.sql.exec(`DROP TABLE "${table}_${name}"`)
        },
      }
    },
    missingPowers: {
      plant: 'a database has nothing beside its tables',
      kill: 'an object cannot kill another',
      shell: 'there is no shell',
    },
  }
}

/** Create a clock, and a switch that makes every method of `target` fail. */
function controls<Target extends object>(
  target: Target,
): Pick<Required<ConformancePowers>, 'clock' | 'outage'> & { switched: Target } {
  let now = Date.UTC(2026, 0, 1)
  let isDown = false
  const switched = new Proxy(target, {
    get(_target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...given: unknown[]): unknown => {
        if (isDown) throw new Error('The backend is down.')
        return Reflect.apply(value, target, given)
      }
    },
  })
  return {
    switched,
    clock: { now: () => now, advance: (milliseconds) => void (now += milliseconds) },
    outage: async () => {
      isDown = true
      return async () => void (isDown = false)
    },
  }
}
