/** Serves a folder over HTTP, and prints the address. */
import { ContextOffloader } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { serve } from '../../src/node/index.ts'

const storage = new FileStorage(process.argv[2] ?? '')
const { url } = await serve(new ContextOffloader({ storage }), { port: 0 })
process.stdout.write(`${url}\n`)
