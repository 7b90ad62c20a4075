/** Overwrite one value so many times with words of its own, and print each word once it is written. */
import { openValues } from './open-values.ts'

const [kind = '', path = '', name = '', count = '0'] = process.argv.slice(2)
const values = openValues(kind, path)
console.log('ready')
for (let index = 0; index < Number(count); index += 1) {
  await values.write('shared', new TextEncoder().encode(`${name}-${index} `.repeat(20_000)))
  console.log(`${name}-${index}`)
}
