/** Print the content of the first entry of a database, and then the error of storing another entry. */
import { StorageError } from '@spillway/core/driver'
import { SqliteStorage } from '../../src/index.ts'

const [path = ''] = process.argv.slice(2)
const storage = new SqliteStorage(path)
const print = (error: unknown): void => {
  if (!StorageError.isInstance(error)) throw error
  console.log(JSON.stringify({ code: error.code, message: error.message }))
}
try {
  for await (const { reference } of storage.list())
    console.log(new TextDecoder().decode((await storage.retrieve(reference)).content))
} catch (error) {
  print(error)
}
await storage.store('one more', new Uint8Array(1)).catch(print)
