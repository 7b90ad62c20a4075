/** Acts like `spillway mcp proxy --url URL`: `node proxy-process.ts FOLDER '{"url":"…","storage":"memory"}'`. */
import { ContextOffloader } from '@spillway/core'
import { HttpConnection, HttpSessions, serveHttp } from '@spillway/mcp/http'
import { connectProxy, openServer } from '@spillway/mcp/proxy'
import { openStorage, type StorageName } from '../server/open-storage.ts'

const [folder = '', given = '{}'] = process.argv.slice(2)
const { url, storage } = JSON.parse(given) as { readonly url: string; readonly storage: StorageName }
const offloader = new ContextOffloader({ storage: openStorage(storage, folder) }).forScope('clients')
const onError = (error: Error): void => console.error(error.message)
const sessions = new HttpSessions({
  serve: (client) => {
    const server = openServer({ name: 'log', open: () => new HttpConnection({ url }) })
    return connectProxy({ client, server }, offloader, { onError })
  },
  onError,
})
const service = await serveHttp({ fetch: (request, scope) => sessions.fetch(request, scope), onError })
console.log(service.url)
process.stdin.once('end', () => process.exit()).resume()
