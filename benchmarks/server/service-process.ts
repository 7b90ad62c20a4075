/** The service of Spillway over a folder: `node service-process.ts FOLDER '{"storage":"file","limits":…}'`. */
import { join } from 'node:path'
import { ContextOffloader, type Storage } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { serve, type ServeOptions } from '@spillway/server/node'
import { SqliteStorage } from '@spillway/sqlite'

interface ProcessOptions extends ServeOptions {
  readonly storage: 'file' | 'sqlite'
}

const STORAGES: Readonly<Record<ProcessOptions['storage'], (folder: string) => Storage>> = {
  file: (folder) => new FileStorage(folder),
  sqlite: (folder) => new SqliteStorage(join(folder, 'results.db')),
}

const [folder = '', given = '{}'] = process.argv.slice(2)
const { storage, ...options } = JSON.parse(given) as ProcessOptions
const service = await serve(new ContextOffloader({ storage: STORAGES[storage](folder) }), { port: 0, ...options })
console.log(service.url)
process.stdin.once('end', () => void service.close({ graceMs: 1_000 })).resume()
