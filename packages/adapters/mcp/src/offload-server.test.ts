import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js'
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { InMemoryTransport, McpServer, Server } from '@modelcontextprotocol/server'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { offloadServer, type ConnectableServer } from './offload-server.ts'

const INFO = { name: 'server', version: '1.0.0' }
const offloader = new ContextOffloader({ storage: new InMemoryStorage() })

describe('offloadServer', () => {
  it.each([
    ['McpServer of version 1', (): ConnectableServer => new McpServerV1(INFO)],
    ['Server of version 1', (): ConnectableServer => new ServerV1(INFO)],
    ['McpServer of version 2', (): ConnectableServer => new McpServer(INFO)],
    ['Server of version 2', (): ConnectableServer => new Server(INFO)],
  ])('returns the same %s, whose class does not change', (_name, make) => {
    const server = make()
    const keys = Object.keys(server)
    expect(offloadServer(server, offloader)).toBe(server)
    expect(Object.keys(server)).toEqual(keys)
  })

  it('rejects invalid servers, and connected servers', async () => {
    for (const value of [undefined, {}, 'server', { connect: true }])
      expect(() => offloadServer(value as never, offloader)).toThrow(
        'server must be an McpServer or Server of the MCP SDK',
      )
    for (const server of [new McpServer(INFO), new Server(INFO)]) {
      await server.connect(InMemoryTransport.createLinkedPair()[0])
      expect(() => offloadServer(server, offloader)).toThrow(
        'Pass it to offloadServer() before server.connect(transport).',
      )
    }
  })

  it('rejects invalid offloaders and options', () => {
    const server = new McpServer(INFO)
    expect(() => offloadServer(server, {} as never)).toThrow('offloadServer(server, new ContextOffloader({ storage }))')
    expect(() => offloadServer(server, offloader, { limit: 5 } as never)).toThrow('Unknown option "limit"')
  })
})
