import { InMemoryTransport } from '@modelcontextprotocol/client'
import { InMemoryTransport as InMemoryTransportV1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { offloadTransport } from './offload-transport.ts'

const offloader = new ContextOffloader({ storage: new InMemoryStorage() })

describe('offloadTransport', () => {
  it('returns another transport of the same class, and leaves the given transport unchanged', () => {
    for (const [transport] of [InMemoryTransport.createLinkedPair(), InMemoryTransportV1.createLinkedPair()]) {
      const offloaded = offloadTransport(transport, offloader)
      expect(offloaded).toBeInstanceOf(transport.constructor)
      expect(offloaded).not.toBe(transport)
      expect(Object.hasOwn(transport, 'send')).toBe(false)
    }
  })

  it('rejects invalid transports, offloaders and options', () => {
    const [transport] = InMemoryTransport.createLinkedPair()
    for (const value of [undefined, {}, 'stdio', { send: true }])
      expect(() => offloadTransport(value as never, offloader)).toThrow('transport must be a transport of the MCP SDK')
    expect(() => offloadTransport(transport, {} as never)).toThrow(
      'offloadTransport(transport, new ContextOffloader({ storage }))',
    )
    expect(() => offloadTransport(transport, offloader, { limit: 5 } as never)).toThrow('Unknown option "limit"')
  })
})
