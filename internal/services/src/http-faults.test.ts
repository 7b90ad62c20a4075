import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { httpFaults, type HttpFaults } from './http-faults.ts'

/** Start a proxy in front of a server that returns the request as JSON. */
async function echo(): Promise<HttpFaults> {
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    response.write(`${method} ${url} ${headers.host} `)
    request.pipe(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const faults = await httpFaults(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(async () => {
    await faults.close()
    server.close()
  })
  return faults
}

describe('an HTTP proxy', () => {
  test('passes on method, path, host and bodies, and counts requests by operation', async () => {
    const faults = await echo()
    const host = new URL(faults.endpoint).host
    const put = await fetch(`${faults.endpoint}/bucket/key?x-id=PutObject`, { method: 'PUT', body: 'content' })
    const answer = await put.text()
    expect(answer).toBe(`PUT /bucket/key?x-id=PutObject ${host} content`)
    expect([faults.bytesWritten, faults.bytesRead]).toEqual([7, answer.length])
    await fetch(`${faults.endpoint}/bucket?prefix=a&list-type=2&prefix=b`)
    expect(Object.fromEntries(faults.requests)).toEqual({ PUT: 1, 'GET ?list-type&prefix': 1 })
    expect(faults.count).toBe(2)
    faults.reset()
    expect([faults.count, faults.bytesRead, faults.bytesWritten]).toEqual([0, 0, 0])
  })

  test('answers instead of the server as often as configured', async () => {
    const faults = await echo()
    faults.failNext(2, { status: 503, code: 'SlowDown', headers: { 'retry-after': '1' } })
    const first = await fetch(faults.endpoint, { method: 'POST', body: 'x'.repeat(1_000_000) })
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await first.text()).toContain('<Code>SlowDown</Code>')
    expect((await fetch(faults.endpoint)).status).toBe(503)
    expect((await fetch(faults.endpoint)).status).toBe(200)
    expect(faults.count).toBe(3)
  })

  test('fails only the configured operations', async () => {
    const faults = await echo()
    faults.failNext(Infinity, { status: 500, body: 'broken', operation: /^PUT/ })
    expect((await fetch(faults.endpoint)).status).toBe(200)
    const put = await fetch(faults.endpoint, { method: 'PUT', body: 'x' })
    expect([put.status, await put.text()]).toEqual([500, 'broken'])
  })
})
