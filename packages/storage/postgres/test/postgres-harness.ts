import { execFile, spawnSync } from 'node:child_process'
import { faultProxy } from '@spillway-internal/services'
import { killConformanceWriter } from '@spillway-internal/storage-suite'
import type { ConformanceHarness } from '@spillway/core/conformance'
import { PostgresStorage } from '../src/index.ts'
import { ask, countRows, dropSchema, newSchema, postgresBackend } from './soak-backend.ts'

const TIMEOUT_MS = 10_000
const MAX_TOMBSTONES = 1_000

/** Whether this machine has the commands that `locate` names. */
export const hasPsql: boolean = spawnSync('sh', ['-c', 'command -v psql && command -v xxd']).status === 0

/** Connects the conformance suite to the storage of this package, behind its own proxy. */
export const postgresHarness = (url: string, name = '@spillway/postgres'): ConformanceHarness => ({
  name,
  settings: ['evictAfterTurns', 'ttlMs', 'maxBytes'],
  timeoutMs: 300_000,
  pageSize: 500,
  missingPowers: hasPsql ? {} : { shell: 'psql or xxd is not installed' },
  async create(settings) {
    const schema = newSchema('conformance')
    const { hostname, port } = new URL(url)
    const proxy = await faultProxy({ host: hostname, port: Number(port) })
    const behind = Object.assign(new URL(url), { port: String(proxy.port) }).href
    let now = Date.now()
    let isPlanted = false
    const storages: PostgresStorage[] = []
    const opened = (target: string): PostgresStorage => {
      const storage = new PostgresStorage(target, { schema, timeoutMs: TIMEOUT_MS, ...settings, now: () => now })
      storages.push(storage)
      return storage
    }
    return {
      storage: opened(behind),
      powers: {
        clock: { now: () => now, advance: (milliseconds) => void (now += milliseconds) },
        reopen: async () => opened(url),
        outage: async () => {
          await proxy.refuse()
          return () => proxy.restore()
        },
        residue: async () => {
          const { entry, chunk, pending } = await countRows(url, schema)
          return entry + chunk + pending
        },
        plant: (content) => {
          isPlanted = true
          return plant(url, schema, content)
        },
        kill: (script) => killConformanceWriter(postgresBackend(url, schema), script),
        damage: async (reference) => {
          for (const table of ['entry', 'chunk']) {
            const shorter = `UPDATE "${schema}".${table} SET bytes = substr(bytes, 1, octet_length(bytes) - 1)`
            await ask(url, `${shorter} WHERE id = $1 AND bytes IS NOT NULL`, [reference])
          }
        },
        ...(hasPsql ? { shell: (command) => runShell(command, { PGUSER: new URL(url).username }) } : {}),
        maxTombstones: MAX_TOMBSTONES,
      },
      dispose: async () => {
        for (const storage of storages) await storage.close()
        await proxy.close()
        await dropSchema(url, schema)
        if (isPlanted) await dropSchema(url, `${schema}x`)
      },
    }
  },
})

/** Store content in a schema with a similar name, and put rows without an entry beside the rows of the storage. */
async function plant(url: string, schema: string, content: Uint8Array): Promise<string[]> {
  const other = new PostgresStorage(url, { schema: `${schema}x` })
  const reference = await other.store('call_1_0', content)
  await other.close()
  const storage = new PostgresStorage(url, { schema })
  // The first use creates the tables.
  await storage.gc()
  await storage.close()
  const values = [crypto.randomUUID(), 'planted', Buffer.from(content)]
  await ask(url, `INSERT INTO "${schema}".chunk (content, number, id, bytes) VALUES ($1, 0, $2, $3)`, values)
  return [reference, 'planted', '%', `${schema}x.entry`, "' OR true --", 'planted/']
}

async function runShell(command: string, env: Readonly<Record<string, string>>): Promise<Uint8Array> {
  return await new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, encoding: 'buffer' as const }
    execFile('sh', ['-c', command], options, (error, stdout) => (error === null ? resolve(stdout) : reject(error)))
  })
}
