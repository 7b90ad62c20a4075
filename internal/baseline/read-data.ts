import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { readFolder, readInstalled, readSessions, type Input } from './inputs.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Read all inputs: files of the data folder, results of its sessions, files of `../field/inputs`, installed files. */
export function* readData(): Generator<Input> {
  const data = resolve(process.env['SPILLWAY_DATA'] ?? join(ROOT, '../shared/data'))
  if (!existsSync(data)) throw new Error(`There is no data in ${data}. Name its folder with SPILLWAY_DATA.`)
  yield* readFolder(data)
  yield* readSessions(data)
  const field = join(data, '../field/inputs')
  if (existsSync(field)) yield* readFolder(field, 'field/')
  yield* readInstalled()
}

/** Return the folder of a record. Throws if it is in the repository, because the data of others must not get there. */
export function baselineFolder(given: string | undefined): string {
  if (given === undefined) throw new Error('No folder given. Name a folder outside the repository.')
  const folder = resolve(given)
  if (!relative(ROOT, folder).startsWith('..'))
    throw new Error(`${folder} is inside the repository. Choose another one.`)
  return folder
}
