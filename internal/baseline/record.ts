/**
 * Records the output of packages for real data: `node internal/baseline/record.ts <folder>`. The folder must be outside
 * the repository, as the data may not be published. `SPILLWAY_DATA` names the data; the default is `../shared/data`.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { baselineFolder, readData } from './read-data.ts'
import { RECORDED_FOLDERS, recordBaseline } from './record-baseline.ts'

const folder = baselineFolder(process.argv[2])
for (const name of RECORDED_FOLDERS) if (existsSync(join(folder, name))) rmSync(join(folder, name), { recursive: true })
const started = performance.now()
let files = 0
let bytes = 0
for await (const { path, text } of recordBaseline(readData())) {
  const target = join(folder, path)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
  files += 1
  bytes += text.length
}
const seconds = Math.round((performance.now() - started) / 1_000)
console.log(`${files} files, ${Math.round(bytes / 1e6)} MB, ${seconds} s: ${folder}`)
