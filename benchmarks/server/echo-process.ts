/** A plain Hono server that parses the body of a request and sends it back. */
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()
app.post('*', async (context) => context.json(await context.req.json()))
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }: AddressInfo) => {
  console.log(`http://127.0.0.1:${port}`)
})
process.stdin.once('end', () => server.close(() => process.exit(0))).resume()
