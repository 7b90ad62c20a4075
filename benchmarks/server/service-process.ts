/** The service of Spillway with a folder: `node service-process.ts FOLDER '{"storage":"file","limits":…}'`. */
import { ContextOffloader } from '@spillway/core'
import { serve, type ServeOptions } from '@spillway/server/node'
import { openStorage, type StorageName } from './open-storage.ts'

interface ProcessOptions extends ServeOptions {
  readonly storage: StorageName
}

const [folder = '', given = '{}'] = process.argv.slice(2)
const { storage, ...options } = JSON.parse(given) as ProcessOptions
const service = await serve(new ContextOffloader({ storage: openStorage(storage, folder) }), { port: 0, ...options })
console.log(service.url)
process.stdin.once('end', () => void service.close({ graceMs: 1_000 }).then(() => process.exit())).resume()
