/** Evict whatever has not been used since a time, again and again, until stdin ends; print how much that was. */
import { FileStorage } from '../../src/index.ts'

const [directory = '', unusedSince = '0'] = process.argv.slice(2)
const storage = new FileStorage(directory).scope('shared')
let isOver = false
let passes = 0
process.stdin.on('end', () => (isOver = true)).resume()
while (!isOver) {
  for await (const { reference } of storage.list())
    await storage.delete(reference, { unusedSince: Number(unusedSince) })
  await storage.gc()
  if ((passes += 1) === 1) console.log('ready')
}
