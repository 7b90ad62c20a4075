/** Overwrite one value with different words until standard input ends, and print each word after it is written. */
import { openValues } from './open-values.ts'

const [kind = '', path = '', name = ''] = process.argv.slice(2)
const values = openValues(kind, path)
let isStopped = false
process.stdin.on('end', () => (isStopped = true)).resume()
for (let index = 0; !isStopped; index += 1) {
  await values.write('shared', new TextEncoder().encode(`${name}-${index} `.repeat(20_000)))
  console.log(`${name}-${index}`)
}
