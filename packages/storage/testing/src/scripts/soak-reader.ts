/** Read what is listed, again and again, until stdin ends; print each entry that is not whole, then `read` and how many. */
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { StorageError } from '@spillway/core'
import { readScriptArgument } from '../backend.ts'
import { describeError } from '../describe-error.ts'
import { isSoakContent } from '../soak-content.ts'
import { SCOPES, type SoakScope, type WriterTask } from '../soak-scopes.ts'
import { withinLimit } from '../time-limit.ts'

const SAMPLE = 0.2
const AFTER_OUTAGE_MS = 20

const argument = await readScriptArgument()
const task = argument.task as Pick<WriterTask, 'survives' | 'limitMs'>
const storage = await argument.open({})
let isOver = false
let reads = 0
process.stdin.on('end', () => (isOver = true)).resume()

while (!isOver)
  for (const segments of Object.values(SCOPES)) {
    await nextTurn()
    try {
      await readScope(storage.scope(...segments))
    } catch (error) {
      if (!StorageError.isInstance(error) || error.code !== 'unavailable' || !task.survives) throw error
      await delay(AFTER_OUTAGE_MS)
    }
  }
console.log(`read ${reads}`)
await storage.close()

async function readScope(scope: SoakScope): Promise<void> {
  for await (const { reference, key, size } of scope.list()) {
    // Backends that never wait for anything would never let this process see that stdin ends.
    await nextTurn()
    if (isOver) return
    if (Math.random() > SAMPLE && !key.startsWith('contended')) continue
    try {
      const found = await withinLimit('retrieve', task.limitMs, scope.retrieve(reference))
      if (!isSoakContent(key, found) || found.content.length !== size) console.log(`torn ${reference} ${key}`)
      reads += 1
    } catch (error) {
      if (!StorageError.isInstance(error) || error.code === 'unavailable') throw error
      if (error.code !== 'not-found' && error.code !== 'evicted') console.log(describeError(error))
    }
  }
}
