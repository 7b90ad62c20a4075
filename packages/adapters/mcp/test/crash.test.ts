/** What becomes of a client whose server ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { busyServer } from './busy-server.ts'
import { connectProcess, type ProcessClient } from './client-of-process.ts'

const SECRET = 'sk-a-secret-of-the-server'

const start = (restart: boolean): Promise<ProcessClient> => {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  return connectProcess(busyServer({ BUSY_API_KEY: SECRET }), { offloader, restart })
}
const die = (process: ProcessClient, code = 3): Promise<unknown> =>
  process.client.callTool({ name: 'die', arguments: { code } })
const typesOf = ({ events }: ProcessClient): readonly string[] => events.map(({ type }) => type)

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(10)
}

describe('a server that ends in the middle of calls', () => {
  it('answers each with an error, is told by an event, and closes the connection', async () => {
    const process = await start(false)
    const waiting = [1, 2, 3].map(() => process.client.callTool({ name: 'wait' }))
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    Object.assign(process.client, { onclose: resolve })
    const results = await Promise.allSettled([...waiting, die(process)])
    for (const result of results)
      expect(result).toMatchObject({
        status: 'rejected',
        reason: {
          code: -32_000,
          message: expect.stringContaining('MCP server reference ended (exit code 3)') as string,
        },
      })
    await closed
    expect(process.events).toEqual([
      { type: 'server-ended', server: 'reference', reason: 'exit code 3', unanswered: 4 },
    ])
    await process.close()
  })

  it('delivers what it had answered before, however large', async () => {
    const process = await start(false)
    await process.client.listTools()
    const [read] = await Promise.allSettled([
      process.client.callTool({ name: 'read', arguments: { index: 1, lines: 20_000 } }),
      die(process),
    ])
    expect(read).toMatchObject({
      status: 'fulfilled',
      value: { content: [{ text: expect.stringMatching(/^\[Offloaded: /) as string }] },
    })
    await process.close()
  })

  it('shows nothing of its environment in events and errors', async () => {
    const process = await start(true)
    const { content } = await process.client.callTool({ name: 'environment' })
    expect(content).toEqual([{ type: 'text', text: String(SECRET.length) }])
    const error = await die(process).catch(String)
    await until(() => typesOf(process).includes('server-restarted'))
    expect(JSON.stringify([process.events, process.errors, error])).not.toContain(SECRET)
    await process.close()
  })
})

describe('a server that is started again', () => {
  it('answers the next calls, with what it was told before', { timeout: 30_000 }, async () => {
    const process = await start(true)
    await process.client.setLoggingLevel('error')
    await process.client.listTools()
    for (const crash of [1, 2]) {
      await expect(die(process)).rejects.toThrow('It is started again: call it again if that is safe.')
      // Sent while there is no server: it waits for the next.
      const { content } = await process.client.callTool({ name: 'read', arguments: { index: crash, lines: 1 } })
      expect(JSON.stringify(content)).toContain(`result ${crash}`)
    }
    expect(typesOf(process)).toEqual(['server-ended', 'server-restarted', 'server-ended', 'server-restarted'])
    // Each server was greeted anew, and the client has heard of none of it.
    expect(process.atServer.fromClient.filter(({ method }) => method === 'logging/setLevel')).toHaveLength(3)
    expect(process.atClient.fromClient.filter(({ method }) => method === 'logging/setLevel')).toHaveLength(1)
    await process.close()
  })

  it('is given up after five restarts within a minute', { timeout: 60_000 }, async () => {
    const process = await start(true)
    let closed = false
    Object.assign(process.client, { onclose: () => (closed = true) })
    for (let crash = 0; crash < 6; crash += 1) await expect(die(process)).rejects.toThrow('MCP server reference')
    await until(() => closed)
    expect(typesOf(process).filter((type) => type === 'server-restarted')).toHaveLength(5)
    expect(typesOf(process).filter((type) => type === 'server-ended')).toHaveLength(6)
    await process.close()
  })
})

describe('a server that cannot be started', () => {
  it('rejects with the reason, which has no part of its environment or arguments', async () => {
    const { ContextOffloader: Offloader } = { ContextOffloader }
    const { ChildConnection, connectProxy, StdioConnection, Upstream } = await import('../src/proxy/index.ts')
    const { streamPair } = await import('./streams.ts')
    const [, proxyEnd] = streamPair()
    const command = { command: 'no-such-command', args: [`--key=${SECRET}`], env: { BUSY_API_KEY: SECRET } }
    const open = (): InstanceType<typeof ChildConnection> => new ChildConnection(command)
    const server = new Upstream({ name: 'missing', open, restart: true, onEvent: () => {} })
    const ends = { client: new StdioConnection(proxyEnd), server }
    const failure = await connectProxy(ends, new Offloader({ storage: new InMemoryStorage() })).catch(
      (error: unknown) => error,
    )
    expect(String(failure)).toBe('Error: There is no such command, or the folder to start it in is missing.')
  })
})
