/**
 * Stores, streams, touches, evicts, deletes, clears, and collects at random, until killed or until stdin ends. Prints
 * each acknowledged store as `scope reference key`, each outage as `unavailable`, and each problem as `problem …`.
 */
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { StorageError } from '@spillway/core/driver'
import { readScriptArgument } from '../backend.ts'
import { describeError } from '../describe-error.ts'
import { isSoakContent, sizedKey, soakChunks, soakContent } from '../soak-content.ts'
import { AN_HOUR_MS, clearedScope, PARALLEL, SCOPES, SEEDED, type WriterTask } from '../soak-scopes.ts'
import { withinLimit } from '../time-limit.ts'

const AFTER_OUTAGE_MS = 20
const CONTENDED = 5

const argument = await readScriptArgument()
const task = argument.task as WriterTask
const storage = await argument.open({ ttlMs: 24 * AN_HOUR_MS })
const kept = storage.scope(...SCOPES.kept)
const revived = storage.scope(...SCOPES.revived)
const contended = storage.scope(...SCOPES.contended)
let counter = 0
let isOver = false
process.stdin.on('end', () => (isOver = true)).resume()

await Promise.all(Array.from({ length: PARALLEL }, (_, index) => work(index)))
await storage.close()
// After a problem, stdin is still open, and would keep the process alive.
process.stdin.destroy()

async function work(index: number): Promise<void> {
  while (!isOver) {
    await nextTurn()
    const [name, action] = choose(index)
    try {
      await withinLimit(name, task.limitMs, action())
    } catch (error) {
      if (StorageError.isInstance(error) && error.code === 'unavailable' && task.survives) {
        console.log('unavailable')
        await delay(AFTER_OUTAGE_MS)
        continue
      }
      console.log(`problem ${name}: ${describeError(error)}`)
      isOver = true
      process.exitCode = 1
    }
  }
}

function choose(index: number): [string, () => Promise<void>] {
  const chance = Math.random()
  if (chance < 0.34) return ['store', () => store('kept', nextKey('block'))]
  if (chance < 0.42) return ['storeStream', () => storeStream(nextKey('stream'))]
  if (chance < 0.44) return ['storeStream (large)', () => storeStream(sizedKey(task.largeBytes, nextKey('stream')))]
  if (chance < 0.62) return ['store again', () => store('revived', revivedKey())]
  if (chance < 0.68) return ['retrieve', touch]
  if (chance < 0.74 && !argument.losesRevived) return ['delete unused', evictUnused]
  if (chance < 0.92) return ['store and delete', storeAndDelete]
  if (chance < 0.97) return ['store and clear', () => storeAndClear(index)]
  return ['gc', async () => void (await storage.gc())]
}

function nextKey(kind: string): string {
  return `${task.name} ${kind} ${(counter += 1)}`
}

function revivedKey(): string {
  return `revived ${Math.floor(Math.random() * SEEDED)}`
}

async function store(scope: 'kept' | 'revived', key: string): Promise<void> {
  const { content, contentType } = soakContent(key)
  const reference = await (scope === 'kept' ? kept : revived).store(key, content, contentType)
  console.log(`${scope} ${reference} ${key}`)
}

async function storeStream(key: string): Promise<void> {
  console.log(`kept ${await kept.storeStream(key, soakChunks(key), soakContent(key).contentType)} ${key}`)
}

/** Retrieve entries, which counts as use, and check that they are complete. */
async function touch(): Promise<void> {
  const chosen = revivedKey()
  for await (const { key, reference } of revived.list()) {
    if (key !== chosen) continue
    const found = await unlessRemoved(revived.retrieve(reference))
    if (found !== undefined && !isSoakContent(key, found)) console.log(`problem torn: ${reference} ${key}`)
    return
  }
}

async function evictUnused(): Promise<void> {
  const unusedSince = task.startedAt - 1
  for await (const { reference, lastUsedAt } of revived.list())
    if (lastUsedAt <= unusedSince && Math.random() < 0.05) await revived.delete(reference, { unusedSince })
}

async function storeAndDelete(): Promise<void> {
  const key = `contended ${Math.floor(Math.random() * CONTENDED)}`
  const { content, contentType } = soakContent(key)
  const reference = await contended.store(key, content, contentType)
  const unusedSince = Math.random() < 0.5 ? undefined : Date.now()
  if (Math.random() < 0.7) await contended.delete(reference, { unusedSince })
}

/** Store entries in a scope of this writer, and clear the scope. Nothing may remain, as no other writer uses it. */
async function storeAndClear(index: number): Promise<void> {
  const scope = storage.scope(...clearedScope(task.name, index))
  for (let count = Math.random() * 4; count > 0; count -= 1) {
    const key = nextKey('cleared')
    const { content, contentType } = soakContent(key)
    await scope.store(key, content, contentType)
  }
  await scope.clear()
  for await (const { key } of scope.list()) console.log(`problem not cleared: ${key}`)
}

async function unlessRemoved<Result>(retrieving: Promise<Result>): Promise<Result | undefined> {
  try {
    return await retrieving
  } catch (error) {
    if (StorageError.isInstance(error) && (error.code === 'not-found' || error.code === 'evicted')) return undefined
    throw error
  }
}
