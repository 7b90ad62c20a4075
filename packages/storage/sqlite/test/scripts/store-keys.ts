/** Wait for a line, store each of so many keys once, and print `reference created` for each. */
import { once } from 'node:events'
import { soakContent } from '@spillway-internal/storage-testing'
import { SqliteStorage } from '../../src/index.ts'

const [path = '', count = '0'] = process.argv.slice(2)
const storage = new SqliteStorage(path).scope('shared')
console.log('ready')
await once(process.stdin, 'data')
await Promise.all(
  Array.from({ length: Number(count) }, async (_, index) => {
    const { content, contentType } = soakContent(`key ${index}`)
    const onStored = ({ reference, created }: { reference: string; created: boolean }): void =>
      console.log(`${reference} ${created}`)
    await storage.store(`key ${index}`, content, contentType, { onStored })
  }),
)
process.exit()
