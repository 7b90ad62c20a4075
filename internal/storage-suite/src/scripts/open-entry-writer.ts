/** Writes numbered lines to an open entry until killed. Prints its reference, and its size after each write. */
import { readScriptArgument } from '../backend.ts'
import { openEntryLine } from '../kill-open-entries.ts'

const { open } = await readScriptArgument()
const writer = await (await open({})).openEntry('open', 'text/plain')
console.log(writer.reference)
let bytes = 0
for (let line = 0; ;) {
  const lines = Array.from({ length: 1 + (line % 700) }, () => openEntryLine((line += 1)))
  const chunk = new TextEncoder().encode(lines.join(''))
  await writer.write(chunk)
  console.log((bytes += chunk.length))
}
