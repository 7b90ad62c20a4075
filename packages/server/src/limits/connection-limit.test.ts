import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { ConnectionLimit } from './connection-limit.ts'

class FakeSocket extends EventEmitter {
  isOpen = true

  destroy(): void {
    this.isOpen = false
    this.emit('close')
  }
}

function connect(limit: ConnectionLimit<FakeSocket>, count: number, address: string): FakeSocket[] {
  return Array.from({ length: count }, () => {
    const socket = new FakeSocket()
    limit.add(socket, address)
    return socket
  })
}

const openOf = (sockets: readonly FakeSocket[]): number => sockets.filter(({ isOpen }) => isOpen).length

describe('ConnectionLimit', () => {
  it('closes the oldest idle connection to make room for a new connection', () => {
    const limit = new ConnectionLimit<FakeSocket>(4)
    const [first, second] = ['a', 'b'].map((address) => connect(limit, 2, address))
    const [next] = connect(limit, 1, 'c')
    expect([openOf(first!), openOf(second!), next!.isOpen, limit.size]).toEqual([1, 2, true, 4])
    expect(first![0]!.isOpen).toBe(false)
  })

  it('closes connections of an address that would have more than half of all connections', () => {
    const limit = new ConnectionLimit<FakeSocket>(10)
    const victim = connect(limit, 1, '192.0.2.1')
    const attackers = connect(limit, 100, '192.0.2.2')
    expect([openOf(victim), openOf(attackers)]).toEqual([1, 5])
  })

  it('counts all addresses of an IPv6 network as one address', () => {
    const limit = new ConnectionLimit<FakeSocket>(4)
    const attackers = ['2001:db8:0:1::1', '2001:db8::1:2:3:4:5', '2001:db8:0:1:ffff::', '2001:db8:0:1:1:1:1:1'].flatMap(
      (address) => connect(limit, 1, address),
    )
    expect(attackers.map(({ isOpen }) => isOpen)).toEqual([false, false, true, true])
    const others = ['::ffff:192.0.2.1', '::1'].flatMap((address) => connect(limit, 1, address))
    expect(openOf(others)).toBe(2)
  })

  it('closes connections without an allowed request first, and never closes a busy connection', () => {
    const limit = new ConnectionLimit<FakeSocket>(4)
    const [known, busy] = connect(limit, 2, 'a')
    limit.begin(known!)()
    const end = limit.begin(busy!)
    const strangers = connect(limit, 2, 'b')
    const more = connect(limit, 3, 'c')
    expect([known!.isOpen, busy!.isOpen, openOf(strangers), openOf(more)]).toEqual([true, true, 0, 2])
    for (const socket of more) limit.begin(socket)
    const last = connect(limit, 2, 'd')
    expect([known!.isOpen, busy!.isOpen, last.map(({ isOpen }) => isOpen)]).toEqual([false, true, [false, true]])
    limit.begin(last[1]!)
    expect(connect(limit, 1, 'e')[0]!.isOpen).toBe(false)
    end()
    expect(connect(limit, 1, 'e')[0]!.isOpen).toBe(true)
  })
})
