/** Store a number of blocks of a given size in a directory. Print the code and message of the first failure. */
import { StorageError } from '@spillway/core/driver'
import { FileStorage } from '../../src/index.ts'

const [directory = '', count = '1', size = '1'] = process.argv.slice(2)
const storage = new FileStorage({ directory, ttlMs: 1_000, now: () => now })
let now = Date.now()
const stored: string[] = []
try {
  for (let index = 0; index < Number(count); index += 1)
    stored.push(await storage.store(`key ${index}`, new Uint8Array(Number(size)).fill(97)))
  console.log('stored')
} catch (error) {
  if (!StorageError.isInstance(error)) throw error
  console.log(JSON.stringify({ code: error.code, message: error.message, stored: stored.length }))
  let whole = 0
  for (const reference of stored) if ((await storage.retrieve(reference)).content.length === Number(size)) whole += 1
  now += 2_000
  const { expired } = stored.length > 0 ? await storage.gc() : { expired: 0 }
  await storage.store('after', new Uint8Array(1)).then(
    () => console.log(JSON.stringify({ whole, expired, after: 'stored' })),
    (again: unknown) => console.log(JSON.stringify({ whole, expired, after: String(again) })),
  )
}
