/**
 * Store, evict, delete and collect at random until killed; print each acknowledged store as `scope reference key`.
 *
 * Entries of `kept` are never removed. Those of `revived` may be evicted as long as nobody has used them since the
 * start of the soak. Those of `contended` come and go.
 */
import { FileStorage } from '../../src/index.ts'
import { soakContent } from '../support/soak-content.ts'

const [directory = '', name = '', startedAt = '0'] = process.argv.slice(2)
const POOL = 200
const PARALLEL = 4
const storage = new FileStorage({ directory, ttlMs: 24 * 3_600_000 })
const kept = storage.scope('tenant', 'kept')
const revived = storage.scope('tenant', 'revived')
const contended = storage.scope('contended')
let counter = 0

await Promise.all(Array.from({ length: PARALLEL }, () => work()))

async function work(): Promise<never> {
  for (;;) {
    const chance = Math.random()
    if (chance < 0.4) await store('kept', `${name} ${(counter += 1)}`)
    else if (chance < 0.5) await storeStream(`${name} stream ${(counter += 1)}`)
    else if (chance < 0.7) await store('revived', `revived ${Math.floor(Math.random() * POOL)}`)
    else if (chance < 0.75) await evictUnused()
    else if (chance < 0.97) await storeAndDelete()
    else await storage.gc()
  }
}

async function store(scope: 'kept' | 'revived', key: string): Promise<void> {
  const { content, contentType } = soakContent(key)
  const reference = await (scope === 'kept' ? kept : revived).store(key, content, contentType)
  console.log(`${scope} ${reference} ${key}`)
}

async function storeStream(key: string): Promise<void> {
  const { content, contentType } = soakContent(key)
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < content.length; at += 7_000) yield content.subarray(at, at + 7_000)
  }
  console.log(`kept ${await kept.storeStream(key, chunks(), contentType)} ${key}`)
}

async function evictUnused(): Promise<void> {
  const unusedSince = Number(startedAt) - 1
  for await (const { reference, lastUsedAt } of revived.list())
    if (lastUsedAt <= unusedSince && Math.random() < 0.05) await revived.delete(reference, { unusedSince })
}

async function storeAndDelete(): Promise<void> {
  const key = `contended ${Math.floor(Math.random() * 5)}`
  const { content, contentType } = soakContent(key)
  const reference = await contended.store(key, content, contentType)
  const unusedSince = Math.random() < 0.5 ? undefined : Date.now()
  if (Math.random() < 0.7) await contended.delete(reference, { unusedSince })
}
