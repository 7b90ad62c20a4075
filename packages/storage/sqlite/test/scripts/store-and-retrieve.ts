/**
 * Call methods of a storage by lines of JSON, `[method, argument]`. Answer each with a line: a result, or an error's
 * code.
 */
import { createInterface } from 'node:readline'
import { StorageError } from '@spillway/core/driver'
import { SqliteStorage } from '../../src/index.ts'

const [path = ''] = process.argv.slice(2)
const storage = new SqliteStorage({ path, busyTimeoutMs: 50 })

const methods: Readonly<Record<string, (argument: string) => Promise<string>>> = {
  store: (key) => storage.store(key, new TextEncoder().encode(key)),
  retrieve: async (reference) => new TextDecoder().decode((await storage.retrieve(reference)).content),
}

for await (const line of createInterface({ input: process.stdin })) {
  const [method = '', argument = ''] = JSON.parse(line) as readonly string[]
  try {
    console.log(await methods[method]?.(argument))
  } catch (error) {
    if (!StorageError.isInstance(error)) throw error
    console.log(error.code)
  }
}
