/** Read whatever is listed, again and again, until stdin ends; print each entry that is not whole. */
import { StorageError } from '@spillway/core'
import { FileStorage } from '../../src/index.ts'
import { isSoakContent } from '../support/soak-content.ts'

const [directory = ''] = process.argv.slice(2)
const SAMPLE = 0.2
const storage = new FileStorage(directory)
let isOver = false
let reads = 0
process.stdin.on('end', () => (isOver = true)).resume()

while (!isOver) {
  for (const scope of [storage.scope('tenant', 'kept'), storage.scope('tenant', 'revived'), storage.scope('contended')])
    for await (const { reference, key, size } of scope.list()) {
      if (isOver) break
      if (Math.random() > SAMPLE && !key.startsWith('contended')) continue
      try {
        const found = await scope.retrieve(reference)
        if (!isSoakContent(key, found) || found.content.length !== size) console.log(`torn ${reference} ${key}`)
        reads += 1
      } catch (error) {
        if (!StorageError.isInstance(error)) throw error
        if (error.code !== 'not-found' && error.code !== 'evicted') console.log(`${error.code} ${reference} ${error}`)
      }
    }
}
console.log(`read ${reads}`)
