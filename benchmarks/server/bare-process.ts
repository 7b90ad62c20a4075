/** A bare Hono server that gives a fixed answer for each operation: `node bare-process.ts FOLDER '{"offload":"…"}'`. */
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { OPERATION_HEADER } from './call-requests.ts'

const answers = JSON.parse(process.argv[3] ?? '{}') as Readonly<Record<string, string>>
const app = new Hono()
app.all('*', async ({ req }) => {
  const operation = req.header(OPERATION_HEADER) ?? ''
  if (req.method === 'POST') await req.arrayBuffer()
  const headers = { 'content-type': operation === 'range' ? 'text/plain' : 'application/json' }
  return new Response(answers[operation], { status: operation === 'range' ? 206 : 200, headers })
})
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }: AddressInfo) => {
  console.log(`http://127.0.0.1:${port}`)
})
process.stdin.once('end', () => server.close(() => process.exit(0))).resume()
