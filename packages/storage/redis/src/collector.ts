import type { CollectReport } from '@spillway/core/driver'
import type { Connection } from './connection.ts'
import { serverEviction } from './entry-reader.ts'
import { nonceTime } from './entry-writer.ts'
import { indexKey, scopeOfPrefix, scriptKeys, writersKey, type Keys } from './keys.ts'
import { FIND_LOST, FORGET_EVICTIONS, RESTORE, SWEEP, TOMBSTONE_AGE_MS } from './scripts.ts'
import type { Scopes } from './entry-lister.ts'

const MEMBERS_AT_ONCE = 500
const SCOPES_AT_ONCE = 100

interface Report {
  leftovers: number
  bytes: number
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

  /** Reads all keys only for the whole storage, or if the server may have evicted entries. */
  async collect(prefix: string, now: number): Promise<CollectReport> {
    const report = { leftovers: 0, bytes: 0 }
    const repairs = prefix === '' || (await this.#connection.mayLoseKeys())
    if (repairs) await this.#repair(prefix, now, report)
    for await (const paths of this.#scopes.below(prefix))
      for (let at = 0; at < paths.length; at += SCOPES_AT_ONCE)
        await Promise.all(
          paths.slice(at, at + SCOPES_AT_ONCE).map(async (path) => {
            await this.#settle(path, now, report)
            if (repairs) await this.#findLost(path, now)
            await this.#scopes.prune(path)
          }),
        )
    return report
  }

  /** Removes chunks without an entry, and restores indexes. Restored entries have different last uses up to `now`. */
  async #repair(prefix: string, now: number, report: Report): Promise<void> {
    const restored = new Map<string, number>()
    for await (const page of this.#connection.scan(this.#keys.pattern(scopeOfPrefix(prefix)))) {
      const found = page.flatMap((key) => this.#keys.parse(key) ?? [])
      const scopes = Map.groupBy(found, ({ path }) => path)
      const work = Array.from(scopes, async ([path, keys]) => {
        const writers = Map.groupBy(keys, ({ writer }) => writer)
        for (const [writer, chunks] of writers)
          if (writer !== undefined)
            await this.#sweep(
              path,
              writer,
              chunks.map(({ key }) => key),
              now,
              report,
            )
        const references = keys.flatMap(({ reference }) => reference ?? [])
        const before = restored.get(path) ?? 0
        const named = scriptKeys(this.#keys.tag(path), references)
        const reply = await this.#connection.script(RESTORE, named, [now - before, ...references])
        const [, added] = reply as unknown[]
        if (Number(added) > 0) restored.set(path, before + Number(added))
      })
      await Promise.all(work)
      await this.#scopes.add([...scopes.keys()])
    }
  }

  async #sweep(path: string, writer: string, keys: readonly string[], now: number, report: Report): Promise<void> {
    const [reference = '', nonce = ''] = writer.split(':')
    const args = [reference, nonce, nonceTime(nonce), now - this.#leftoverAgeMs]
    const named = [...scriptKeys(this.#keys.tag(path), [reference]), ...keys]
    const [leftovers, bytes] = (await this.#connection.script(SWEEP, named, args)) as unknown[]
    report.leftovers += Number(leftovers)
    report.bytes += Number(bytes)
  }

  /** Removes chunks of killed writers, and old tombstones. */
  async #settle(path: string, now: number, report: Report): Promise<void> {
    const tag = this.#keys.tag(path)
    const latest = now - this.#leftoverAgeMs
    const killed = await this.#connection.command('ZRANGEBYSCORE', writersKey(tag), '-inf', latest)
    for (const writer of killed as Buffer[]) await this.#sweep(path, String(writer), [], now, report)
    const forget = async (): Promise<unknown> =>
      this.#connection.script(FORGET_EVICTIONS, [indexKey(tag)], [now - TOMBSTONE_AGE_MS])
    while (Number(await forget()) > 0);
  }

  async #findLost(path: string, now: number): Promise<void> {
    const tag = this.#keys.tag(path)
    const eviction = JSON.stringify(serverEviction(now))
    let cursor = '0'
    do {
      const reply = await this.#connection.command('ZSCAN', indexKey(tag), cursor, 'COUNT', MEMBERS_AT_ONCE)
      const [next, members] = reply as [Buffer, Buffer[]]
      const references = members.filter((_, at) => at % 2 === 0).map(String)
      cursor = String(next)
      if (references.length > 0)
        await this.#connection.script(FIND_LOST, scriptKeys(tag, references), [now, eviction, ...references])
    } while (cursor !== '0')
  }
}
