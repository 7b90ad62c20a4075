/** Opens all but a few file descriptors, uses a storage, closes them, uses the storage again, and prints results. */
import { closeSync, openSync } from 'node:fs'
import { StorageError } from '@spillway/core/driver'
import { readScriptArgument } from '../backend.ts'

const KEYS = Array.from({ length: 40 }, (_, index) => `key ${index}`)
const { open, task } = await readScriptArgument()
const { left } = task as { readonly left: number }
const storage = await open({})
const refusals = new Set<string>()
const stored = new Map<string, string>()
const contentOf = (key: string): Uint8Array => new TextEncoder().encode(key.padEnd(key.length * 10_000, '.'))

async function attempt(run: () => Promise<unknown>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!StorageError.isInstance(error)) throw error
    refusals.add(`${error.code} ${error.retryable}: ${error.message}`)
  }
}
const store = (key: string): Promise<void> =>
  attempt(async () => stored.set(key, await storage.store(key, contentOf(key))))
const retrieveAll = async (from: typeof storage): Promise<void> => {
  for (const [key, reference] of stored)
    await attempt(async () => {
      if (Buffer.compare((await from.retrieve(reference)).content, contentOf(key)) !== 0) throw new Error(reference)
    })
}

const held: number[] = []
await store('first')
try {
  for (;;) held.push(openSync('/dev/null', 'r'))
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error
}
for (const descriptor of held.splice(0, left)) closeSync(descriptor)
await Promise.all(KEYS.map(store))
await retrieveAll(storage)
await retrieveAll(await open({}))
for (const descriptor of held) closeSync(descriptor)
const during = Array.from(refusals)
refusals.clear()
await retrieveAll(storage)
for (const key of KEYS) await store(key)
await retrieveAll(storage)
console.log(JSON.stringify({ during, after: Array.from(refusals), stored: stored.size }))
