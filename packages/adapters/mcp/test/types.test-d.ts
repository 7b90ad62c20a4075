/** Type tests for every version. They are compiled and never run. */
import type { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { StreamableHTTPClientTransport as HttpClientTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import type { InMemoryTransport as InMemoryTransportV1 } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js'
import type { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Client, StreamableHTTPClientTransport, Transport as ClientTransport } from '@modelcontextprotocol/client'
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { InMemoryTransport, McpServer, McpServerFactory, Server, Transport } from '@modelcontextprotocol/server'
import type { ContextOffloader } from '@spillway/core'
import { describe, expectTypeOf, it } from 'vitest'
import {
  offloadServer,
  offloadTransport,
  type ConnectableServer,
  type McpOffloadOptions,
  type McpTransport,
} from '../src/index.ts'
import type { Connection, Message, ProxiedServer, ServerCommand, UpstreamEvent } from '../src/proxy/index.ts'

declare const offloader: ContextOffloader
declare const clients: { readonly one: ClientV1; readonly two: Client }

/** `true` if the type is `any`, which no public type may be. */
type IsAny<TYPE> = 0 extends 1 & TYPE ? true : false

describe('offloadServer', () => {
  it('accepts the servers of both versions, and keeps their types', () => {
    type Servers = McpServerV1 | ServerV1 | McpServer | Server
    expectTypeOf<Servers>().toExtend<ConnectableServer>()
    expectTypeOf((server: McpServerV1) => offloadServer(server, offloader)).returns.toEqualTypeOf<McpServerV1>()
    expectTypeOf((server: ServerV1) => offloadServer(server, offloader)).returns.toEqualTypeOf<ServerV1>()
    expectTypeOf((server: McpServer) => offloadServer(server, offloader)).returns.toEqualTypeOf<McpServer>()
    expectTypeOf((server: Server) => offloadServer(server, offloader)).returns.toEqualTypeOf<Server>()
  })

  it('returns a server that factories can return', () => {
    expectTypeOf((server: McpServer) => () => offloadServer(server, offloader)).returns.toExtend<McpServerFactory>()
  })

  it('rejects a value that is not a server', () => {
    expectTypeOf<ClientTransport>().not.toExtend<ConnectableServer>()
    expectTypeOf<{ connect: string }>().not.toExtend<ConnectableServer>()
    expectTypeOf<ContextOffloader['options']['storage']>().not.toExtend<Parameters<typeof offloadServer>[1]>()
  })
})

describe('offloadTransport', () => {
  it('accepts the transports of both versions, and keeps their types', () => {
    type Transports = TransportV1 | Transport | ClientTransport | InMemoryTransport | InMemoryTransportV1
    expectTypeOf<Transports>().toExtend<McpTransport>()
    expectTypeOf<StdioClientTransportV1 | StdioClientTransport>().toExtend<McpTransport>()
    expectTypeOf<HttpClientTransportV1 | StreamableHTTPClientTransport>().toExtend<McpTransport>()
    const keeps = (transport: StdioClientTransport): StdioClientTransport => offloadTransport(transport, offloader)
    expectTypeOf(keeps).returns.toEqualTypeOf<StdioClientTransport>()
  })

  it('returns a transport that clients connect to', () => {
    const connect = (one: TransportV1, two: ClientTransport): readonly Promise<void>[] => [
      clients.one.connect(offloadTransport(one, offloader)),
      clients.two.connect(offloadTransport(two, offloader, { onError: () => {} })),
    ]
    expectTypeOf(connect).toBeFunction()
  })

  it('rejects a value that is not a transport', () => {
    expectTypeOf<McpServer>().not.toExtend<McpTransport>()
    expectTypeOf<{ send: () => void }>().not.toExtend<McpTransport>()
  })
})

it('public types contain no any', () => {
  expectTypeOf<IsAny<Parameters<typeof offloadServer>[0]>>().toEqualTypeOf<false>()
  expectTypeOf<IsAny<Parameters<typeof offloadTransport>[0]>>().toEqualTypeOf<false>()
  expectTypeOf<Parameters<NonNullable<McpOffloadOptions['scope']>>>().toEqualTypeOf<[authInfo: unknown]>()
  expectTypeOf<Parameters<NonNullable<McpOffloadOptions['onError']>>>().toEqualTypeOf<[error: Error]>()
  expectTypeOf<Message['result']>().toEqualTypeOf<unknown>()
  expectTypeOf<IsAny<Parameters<Connection['send']>[0]>>().toEqualTypeOf<false>()
  expectTypeOf<IsAny<ReturnType<ProxiedServer['open']>>>().toEqualTypeOf<false>()
  expectTypeOf<IsAny<ServerCommand['env']>>().toEqualTypeOf<false>()
  expectTypeOf<UpstreamEvent['type']>().toEqualTypeOf<'server-ended' | 'session-renewed' | 'server-error'>()
})
