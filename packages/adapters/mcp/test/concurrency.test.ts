/** Many calls at once: no message is lost, and the order stays. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { isFull } from '@spillway-internal/test-run'
import { ContextOffloader, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { ChildConnection, connectProxy, StdioConnection, type Connection, type Message } from '../src/proxy/index.ts'
import { MergedServers } from '../src/proxy/open-servers.ts'
import { Upstream } from '../src/proxy/upstream.ts'
import { fieldsOf } from '../src/relay/message.ts'
import { busyServer } from './busy-server.ts'
import { clientTransport, connectProcess } from './client-of-process.ts'
import { newRecording, recordConnection, recordTransport } from './recording.ts'
import { streamPair } from './streams.ts'

const CALLS = isFull ? 1_000 : 200
/** Every fifth result is over the limit. */
const linesOf = (index: number): number => (index % 5 === 0 ? 500 : 3)

const textOf = (result: unknown): string => {
  const [part] = fieldsOf(result)['content'] as readonly { readonly text?: string }[]
  return part?.text ?? ''
}
const keyOf = ({ id, method, params }: Message): string =>
  id === undefined ? `${method} ${JSON.stringify(params)}` : `answer ${id}`

/** Call a tool very often at once, and require of each result that it is its own. */
async function callOften(client: Client, names: readonly string[]): Promise<void> {
  const calls = Array.from({ length: CALLS }, async (_, index) => {
    const name = names[index % names.length] ?? ''
    const options = index % 2 === 0 ? { onprogress: () => {} } : {}
    const input = { index, lines: linesOf(index) }
    const text = textOf(await client.callTool({ name, arguments: input }, undefined, options))
    // The preview begins with the first line as well.
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
    await callOften(client, ['read'])
    expect(atClient.fromServer.map(keyOf)).toEqual(atServer.fromServer.map(keyOf))
    expect(atServer.fromClient).toEqual(atClient.fromClient)
    const logs = atClient.fromServer.filter(({ method }) => method === 'notifications/message')
    expect(logs).toHaveLength(CALLS)
    expect(offloader.meter().offloaded).toBe(CALLS / 5)
    expect(process.errors).toEqual([])
    await process.close()
  })

  it('keep the order of each server if several servers are merged', async () => {
    const [clientEnd, proxyEnd] = streamPair()
    const recordings = ['one', 'two', 'three'].map((name) => ({ name, recording: newRecording() }))
    const servers = recordings.map(({ name, recording }) => ({
      name,
      prefix: `${name}_`,
      connection: new Upstream({
        name,
        open: (): Connection => recordConnection(new ChildConnection(busyServer()), recording),
        restart: false,
        onEvent: () => {},
      }),
    }))
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const server = new MergedServers(servers, { name: 'merged', version: '1.0.0' })
    const ended = connectProxy({ client: new StdioConnection(proxyEnd), server }, offloader)
    const client = new Client({ name: 'test', version: '1.0.0' })
    const atClient = newRecording()
    await client.connect(recordTransport(clientTransport(clientEnd), atClient))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).filter((name) => name.endsWith('read'))).toEqual([
      'one_read',
      'two_read',
      'three_read',
    ])
    expect(tools.at(-1)?.name).toBe(RETRIEVAL_TOOL_NAME)
    await callOften(client, ['one_read', 'two_read', 'three_read'])
    // Answers have the ids of the client, so the logs and the progress show the order.
    const notified = (messages: readonly Message[]): readonly string[] =>
      messages.filter(({ id }) => id === undefined).map(keyOf)
    const seen = notified(atClient.fromServer)
    expect(seen).toHaveLength(CALLS * 1.5)
    for (const { recording } of recordings) {
      const own = notified(recording.fromServer)
      const names = new Set(own)
      expect(seen.filter((one) => names.has(one))).toEqual(own)
    }
    await client.close()
    clientEnd.output.end()
    await ended
  })
})
