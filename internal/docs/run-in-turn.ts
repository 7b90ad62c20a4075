/** Imports each module that the arguments name in an empty folder, and then prints the first argument. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [mark, ...paths] = process.argv.slice(2)
const start = process.cwd()
for (const [index, path] of paths.entries()) {
  const folder = join(start, String(index))
  mkdirSync(folder)
  process.chdir(folder)
  await import(pathToFileURL(path).href)
  console.log(mark)
}
process.chdir(start)
