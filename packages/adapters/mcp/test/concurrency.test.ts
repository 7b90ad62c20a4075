/** With many parallel calls, no message is lost, and the order is kept. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { isFull } from '@spillway-internal/test-run'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import type { Message } from '../src/proxy/index.ts'
import { fieldsOf } from '../src/relay/message.ts'
import { busyServer } from './busy-server.ts'
import { connectProcess } from './client-of-process.ts'

const CALLS = isFull ? 1_000 : 200
/** Every fifth result is over the limit. */
const linesOf = (index: number): number => (index % 5 === 0 ? 500 : 3)

const textOf = (result: unknown): string => {
  const [part] = fieldsOf(result)['content'] as readonly { readonly text?: string }[]
  return part?.text ?? ''
}
const keyOf = ({ id, method, params }: Message): string =>
  id === undefined ? `${method} ${JSON.stringify(params)}` : `answer ${id}`

/** Call a tool many times in parallel, and check that each result belongs to its call. */
async function callOften(client: Client): Promise<void> {
  const calls = Array.from({ length: CALLS }, async (_, index) => {
    const options = index % 2 === 0 ? { onprogress: () => {} } : {}
    const input = { index, lines: linesOf(index) }
    const text = textOf(await client.callTool({ name: 'read', arguments: input }, undefined, options))
    // The preview, too, begins with the first line.
    expect(text).toContain(`result ${index}\n`)
    expect(text.startsWith('[Offloaded: 1 block')).toBe(index % 5 === 0)
  })
  await Promise.all(calls)
}

describe(`${CALLS} calls at once`, () => {
  it('are each answered once, in the order of the server, with its messages in between', async () => {
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const process = await connectProcess(busyServer(), { offloader })
    const { client, atClient, atServer } = process
    await client.listTools()
    await callOften(client)
    expect(atClient.fromServer.map(keyOf)).toEqual(atServer.fromServer.map(keyOf))
    expect(atServer.fromClient).toEqual(atClient.fromClient)
    const logs = atClient.fromServer.filter(({ method }) => method === 'notifications/message')
    expect(logs).toHaveLength(CALLS)
    expect(offloader.meter().offloaded).toBe(CALLS / 5)
    expect(process.errors).toEqual([])
    await process.close()
  })
})
