/** Imports the modules that the arguments name, each in an empty folder, and prints the first argument after each. */
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
