/** Behavior of a client whose server ends. */
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { ChildConnection, connectProxy, StdioConnection, type Connection } from '../src/proxy/index.ts'
import { Upstream } from '../src/proxy/upstream.ts'
import { busyServer } from './busy-server.ts'
import { connectProcess, type ProcessClient } from './client-of-process.ts'
import { streamPair } from './streams.ts'

const SECRET = 'sk-a-secret-of-the-server'

const start = (): Promise<ProcessClient> =>
  connectProcess(busyServer({ BUSY_API_KEY: SECRET }), {
    offloader: new ContextOffloader({ storage: new InMemoryStorage() }),
  })
const die = (process: ProcessClient, code = 3): Promise<unknown> =>
  process.client.callTool({ name: 'die', arguments: { code } })

describe('a server that exits in the middle of calls', () => {
  it('rejects each call, emits an event, and closes the connection', async () => {
    const process = await start()
    const waiting = [1, 2, 3].map(() => process.client.callTool({ name: 'wait' }))
    const results = await Promise.allSettled([...waiting, die(process)])
    for (const result of results)
      expect(result).toMatchObject({
        status: 'rejected',
        reason: {
          code: -32_000,
          message: expect.stringContaining('MCP server reference ended (exit code 3)') as string,
        },
      })
    await process.ended
    expect(process.events).toEqual([
      { type: 'server-ended', server: 'reference', reason: 'exit code 3', unanswered: 4 },
    ])
    await process.close()
  })

  it('delivers a large answer that it sent before', async () => {
    const process = await start()
    await process.client.listTools()
    const { content } = await process.client.callTool({ name: 'last-words', arguments: { lines: 20_000 } })
    expect(content).toMatchObject([{ type: 'text', text: expect.stringMatching(/^\[Offloaded: 1 block/) as string }])
    await process.ended
    expect(process.events).toEqual([
      { type: 'server-ended', server: 'reference', reason: 'exit code 3', unanswered: 0 },
    ])
    await process.close()
  })
})

describe('a server that cannot be started', () => {
  it('is reported with a reason that contains no part of its environment or arguments', async () => {
    const [, proxyEnd] = streamPair()
    const command = { command: 'no-such-command', args: [`--key=${SECRET}`], env: { BUSY_API_KEY: SECRET } }
    const open = (): Connection => new ChildConnection(command)
    const server = new Upstream({ name: 'missing', open })
    const ends = { client: new StdioConnection(proxyEnd), server }
    const failure = await connectProxy(ends, new ContextOffloader({ storage: new InMemoryStorage() })).catch(
      (error: unknown) => error,
    )
    expect(String(failure)).toBe('Error: The command no-such-command was not found.')
  })
})
