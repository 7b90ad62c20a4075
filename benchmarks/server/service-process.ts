/** The service of Spillway over files in a folder: `node service-process.ts FOLDER '{"limits":…}'`. */
import { ContextOffloader } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { serve, type ServeOptions } from '@spillway/server/node'

const [folder = '', options = '{}'] = process.argv.slice(2)
const offloader = new ContextOffloader({ storage: new FileStorage(folder) })
const service = await serve(offloader, { port: 0, ...(JSON.parse(options) as ServeOptions) })
console.log(service.url)
process.stdin.once('end', () => void service.close({ graceMs: 1_000 })).resume()
