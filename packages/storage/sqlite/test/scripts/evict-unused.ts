/** Evict whatever has not been used since a time, again and again, until stdin ends. */
import { SqliteStorage } from '../../src/index.ts'

const [path = '', unusedSince = '0'] = process.argv.slice(2)
const storage = new SqliteStorage(path).scope('shared')
let isOver = false
process.stdin.on('end', () => (isOver = true)).resume()
for (let passes = 0; !isOver; passes += 1) {
  for await (const { reference } of storage.list())
    await storage.delete(reference, { unusedSince: Number(unusedSince) })
  await storage.gc()
  if (passes === 0) console.log('ready')
}
