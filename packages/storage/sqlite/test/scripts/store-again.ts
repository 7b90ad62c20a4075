/** Print the error of storing in a read-only file, make the file writable, and print the result of storing. */
import { chmod, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StorageError } from '@spillway/core/driver'
import { SqliteStorage } from '../../src/index.ts'

const [path = ''] = process.argv.slice(2)
const storage = new SqliteStorage(path)
const error: unknown = await storage.store('one more', new Uint8Array(1)).catch((thrown: unknown) => thrown)
if (!StorageError.isInstance(error)) throw error
console.log(error.message)
for (const name of await readdir(dirname(path))) await chmod(join(dirname(path), name), 0o644)
console.log(await storage.store('one more', new Uint8Array(1)))
