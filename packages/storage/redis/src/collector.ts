import type { CollectReport } from '@spillway/core/driver'
import type { Connection } from './connection.ts'
import { serverEviction } from './entry-reader.ts'
import { nonceTime } from './entry-writer.ts'
import { aliveKey, indexKey, scopeOfPrefix, scriptKeys, type Keys } from './keys.ts'
import { FIND_LOST, FORGET_EVICTIONS, RESTORE, SWEEP, TOMBSTONE_AGE_MS } from './scripts.ts'
import type { Scopes } from './entry-lister.ts'

const MEMBERS_AT_ONCE = 500

interface Leftover {
  readonly path: string
  readonly reference: string
  readonly nonce: string
  readonly keys: string[]
}

interface FoundKeys {
  readonly indexes: Set<string>
  readonly entries: Map<string, string[]>
  readonly leftovers: Map<string, Leftover>
}

/** Removes leftovers of killed writers, restores lost indexes, and deletes old tombstones. */
export class Collector {
  readonly #connection: Connection
  readonly #keys: Keys
  readonly #scopes: Scopes
  readonly #leftoverAgeMs: number

  constructor(connection: Connection, keys: Keys, scopes: Scopes, leftoverAgeMs: number) {
    this.#connection = connection
    this.#keys = keys
    this.#scopes = scopes
    this.#leftoverAgeMs = leftoverAgeMs
  }

  async collect(prefix: string, now: number): Promise<CollectReport> {
    let leftovers = 0
    let bytes = 0
    const indexes = new Set<string>()
    const entered = new Map<string, number>()
    for await (const page of this.#connection.scan(this.#keys.pattern(scopeOfPrefix(prefix)))) {
      const found = this.#sort(page)
      for (const path of found.indexes) indexes.add(path)
      await Promise.all(
        Array.from(found.entries, async ([path, references]) => {
          const before = entered.get(path) ?? 0
          entered.set(path, before + (await this.#restore(path, references, now - before)))
        }),
      )
      const swept = await Promise.all(Array.from(found.leftovers.values(), (leftover) => this.#sweep(leftover, now)))
      for (const one of swept) {
        leftovers += one.leftovers
        bytes += one.bytes
      }
      // The index and its scope are restored now.
      for (const path of found.entries.keys()) indexes.add(path)
      await this.#scopes.add([...found.indexes, ...found.entries.keys()])
    }
    for (const path of indexes) await this.#settle(path, now)
    for await (const paths of this.#scopes.below(prefix)) await this.#scopes.prune(paths)
    return { leftovers, bytes }
  }

  #sort(page: readonly string[]): FoundKeys {
    const found: FoundKeys = { indexes: new Set(), entries: new Map(), leftovers: new Map() }
    for (const key of page) {
      const parsed = this.#keys.parse(key)
      if (parsed === undefined) continue
      const { path } = parsed
      if (parsed.kind === 'index') found.indexes.add(path)
      else if (parsed.kind === 'entry') {
        const references = found.entries.get(path) ?? []
        references.push(parsed.reference)
        found.entries.set(path, references)
      } else if ('nonce' in parsed) {
        const { reference, nonce } = parsed
        const name = `${path} ${nonce}`
        const leftover: Leftover = found.leftovers.get(name) ?? { path, reference, nonce, keys: [] }
        // The sign of life is removed with the last other key. Alone, it is not counted.
        if (parsed.kind !== 'alive') leftover.keys.push(key)
        found.leftovers.set(name, leftover)
      }
    }
    return found
  }

  /** Gives the entries different last uses up to `now`. Returns the number of entries. */
  async #restore(path: string, references: readonly string[], now: number): Promise<number> {
    const keys = scriptKeys(this.#keys.tag(path), references)
    const [, entered] = (await this.#connection.script(RESTORE, keys, [now, ...references])) as unknown[]
    return Number(entered)
  }

  async #sweep({ path, reference, nonce, keys }: Leftover, now: number): Promise<CollectReport> {
    const args = [reference, nonce, nonceTime(nonce), now - this.#leftoverAgeMs]
    const tag = this.#keys.tag(path)
    const named = [...scriptKeys(tag, [reference]), aliveKey({ tag, reference }, nonce), ...keys]
    const reply = await this.#connection.script(SWEEP, named, args)
    const [leftovers, bytes] = (reply as unknown[]).map(Number)
    return { leftovers: leftovers ?? 0, bytes: bytes ?? 0 }
  }

  async #settle(path: string, now: number): Promise<void> {
    const forget = async (): Promise<unknown> =>
      this.#connection.script(FORGET_EVICTIONS, [this.#index(path)], [now - TOMBSTONE_AGE_MS])
    while (Number(await forget()) > 0);
    const eviction = JSON.stringify(serverEviction(now))
    let cursor = '0'
    do {
      const reply = await this.#connection.command('ZSCAN', this.#index(path), cursor, 'COUNT', MEMBERS_AT_ONCE)
      const [next, members] = reply as [Buffer, Buffer[]]
      const references = members.filter((_, at) => at % 2 === 0).map(String)
      cursor = String(next)
      if (references.length > 0)
        await this.#connection.script(FIND_LOST, scriptKeys(this.#keys.tag(path), references), [
          now,
          eviction,
          ...references,
        ])
    } while (cursor !== '0')
  }

  #index(path: string): string {
    return indexKey(this.#keys.tag(path))
  }
}
