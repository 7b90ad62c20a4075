import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '@spillway-internal/test-run'
import { WorkGate, type Ticket } from './work-gate.ts'

const LIMITS = { maxConcurrent: 2, maxQueued: 2, queueTimeoutMs: 60_000, maxMemoryBytes: 400 }

/** Return whether a promise is still pending after all other pending work. */
async function isWaiting(promise: Promise<unknown>): Promise<boolean> {
  const mark = Symbol('waiting')
  const turn = new Promise((resolve) => setImmediate(() => resolve(mark)))
  return (await Promise.race([promise, turn])) === mark
}

/** Enter once for each name with one byte, and record the order in which requests are admitted. */
function enterAll(gate: WorkGate, names: readonly string[]): { readonly order: string[]; readonly tickets: Ticket[] } {
  const order: string[] = []
  const tickets: Ticket[] = []
  const enter = async (name: string): Promise<void> => {
    tickets.push(await gate.enter(name.charAt(0), 1))
    order.push(name)
  }
  // Requests that still wait at the end of a test are refused.
  void Promise.allSettled(names.map(enter))
  return { order, tickets }
}

const everyTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('WorkGate', () => {
  it('admits a limited number of requests at a time, and the requests of one caller in order', async () => {
    const gate = new WorkGate(LIMITS)
    const { order, tickets } = enterAll(gate, ['a1', 'a2', 'a3', 'a4'])
    await everyTurn()
    expect(order).toEqual(['a1', 'a2'])
    tickets[0]?.leave()
    await everyTurn()
    expect(order).toEqual(['a1', 'a2', 'a3'])
    tickets[1]?.leave()
    await everyTurn()
    expect(order).toEqual(['a1', 'a2', 'a3', 'a4'])
  })

  it('serves at most one request of each other caller between two requests of one caller', async () => {
    const callers = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 40 })
    const slots = fc.integer({ min: 1, max: 5 })
    await fc.assert(
      fc.asyncProperty(callers, slots, async (names, maxConcurrent) => {
        const gate = new WorkGate({ ...LIMITS, maxConcurrent, maxQueued: 100 })
        const running = await Promise.all(Array.from({ length: maxConcurrent }, () => gate.enter('other', 1)))
        const { order, tickets } = enterAll(gate, names)
        for (const one of running) one.leave()
        for (let served = 0; served < names.length; served += 1) {
          await everyTurn()
          // Only one request ends at a time, so that no caller is over its share.
          tickets[served]?.leave()
        }
        expect(order.toSorted()).toEqual(names.toSorted())
        for (const [at, caller] of order.entries()) {
          const next = order.indexOf(caller, at + 1)
          const between = order.slice(at + 1, next < 0 ? at + 1 : next)
          expect(new Set(between).size).toBe(between.length)
        }
      }),
      propertyRuns(50, 500),
    )
  })

  it('gives a caller at most its share of the slots while others wait', async () => {
    const gate = new WorkGate({ ...LIMITS, maxConcurrent: 4, maxQueued: 100 })
    const { order, tickets } = enterAll(gate, ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2', 'b3'])
    await everyTurn()
    tickets[0]?.leave()
    tickets[1]?.leave()
    await everyTurn()
    // The share is two slots for each caller. Caller a has its share, even if it is its turn.
    expect(order).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2'])
    tickets[4]?.leave()
    await everyTurn()
    expect(order.at(-1)).toBe('b3')
    tickets[5]?.leave()
    await everyTurn()
    expect(order.at(-1)).toBe('a5')
  })

  it('keeps slots free for other callers if the slots of one caller are limited', async () => {
    const gate = new WorkGate({ ...LIMITS, maxConcurrent: 4, maxQueued: 100 }, 2)
    const { order } = enterAll(gate, ['a1', 'a2', 'a3', 'a4'])
    await everyTurn()
    await gate.enter('b', 1)
    expect(order).toEqual(['a1', 'a2'])
  })

  it('refuses only requests of a caller with a full queue, and requests that waited too long', async () => {
    const gate = new WorkGate({ ...LIMITS, queueTimeoutMs: 200 })
    const [running] = await Promise.all([gate.enter('a', 1), gate.enter('a', 1)])
    const refused = { code: 'overloaded', status: 503, retryAfter: 1 }
    const waiting = [0, 1].map(() => expect(gate.enter('a', 1)).rejects.toMatchObject(refused))
    await expect(gate.enter('a', 1)).rejects.toMatchObject(refused)
    const other = gate.enter('b', 1)
    running.leave()
    await other
    await Promise.all(waiting)
    expect(gate.queued).toBe(0)
  })

  it('gives the slot of a paused request to others, and resumes the request in turn', async () => {
    const gate = new WorkGate({ ...LIMITS, maxConcurrent: 1 })
    const { promise, resolve } = Promise.withResolvers<string>()
    const paused = (await gate.enter('a', 1)).pause(promise)
    const { order, tickets } = enterAll(gate, ['b1', 'b2', 'a2'])
    await everyTurn()
    expect([order, gate.running, gate.bytes]).toEqual([['b1'], 1, 2])
    resolve('result')
    expect(await isWaiting(paused)).toBe(true)
    tickets[0]?.leave()
    expect(await paused).toBe('result')
    expect(order).toEqual(['b1'])
  })

  it('needs only one slot for a request that waits for several results', async () => {
    const gate = new WorkGate(LIMITS)
    const ticket = await gate.enter('a', 1)
    const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const both = [ticket.pause(one.promise), ticket.pause(two.promise)]
    expect(gate.running).toBe(0)
    one.resolve()
    two.reject(new Error('failed'))
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(gate.running).toBe(1)
    ticket.leave()
    expect([gate.running, gate.bytes]).toEqual([0, 0])
  })

  it('keeps its memory limit, and runs a larger request only alone', async () => {
    const gate = new WorkGate(LIMITS)
    const small = await gate.enter('a', 60)
    const large = gate.enter('b', 4_000)
    expect(await isWaiting(large)).toBe(true)
    small.leave()
    const ticket = await large
    const next = gate.enter('a', 1)
    expect(await isWaiting(next)).toBe(true)
    ticket.leave()
    await next
  })

  it('gives a caller with more than one request at most a quarter of the memory', async () => {
    const gate = new WorkGate({ ...LIMITS, maxConcurrent: 10 })
    const large = await gate.enter('a', 250)
    const second = gate.enter('a', 1)
    expect(await isWaiting(second)).toBe(true)
    const others = await Promise.all([gate.enter('b', 60), gate.enter('b', 40)])
    const third = gate.enter('b', 1)
    expect(await isWaiting(third)).toBe(true)
    large.leave()
    await second
    others[0]?.leave()
    await third
  })

  it('counts the memory of an answer until it is sent, but frees its slot', async () => {
    const gate = new WorkGate(LIMITS)
    const tickets = [await gate.enter('a', 40), await gate.enter('a', 40)]
    for (const ticket of tickets) ticket.finish(45)
    expect([gate.running, gate.bytes]).toEqual([0, 90])
    const next = gate.enter('a', 20)
    expect(await isWaiting(next)).toBe(true)
    tickets[0]?.leave()
    tickets[0]?.leave()
    await next
    expect([gate.running, gate.bytes]).toEqual([1, 65])
  })

  it('gives a request more memory if memory is free, and any amount if no other request runs', async () => {
    const gate = new WorkGate(LIMITS)
    const [one, two] = [await gate.enter('a', 10), await gate.enter('b', 10)]
    one.grow(300)
    expect(() => two.grow(81)).toThrow(expect.objectContaining({ code: 'overloaded', status: 503 }))
    two.grow(80)
    expect(gate.bytes).toBe(400)
    one.leave()
    two.grow(1_000)
    expect(gate.bytes).toBe(1_090)
    two.leave()
    expect(gate.bytes).toBe(0)
  })

  it('removes requests of clients that disconnected, and admits the next requests', async () => {
    const gate = new WorkGate(LIMITS)
    const first = await gate.enter('a', 60)
    const controller = new AbortController()
    const large = gate.enter('a', 90, controller.signal)
    const small = gate.enter('a', 10)
    expect(await isWaiting(small)).toBe(true)
    controller.abort(new Error('gone'))
    await expect(large).rejects.toThrow('gone')
    await small
    await expect(gate.enter('a', 1, AbortSignal.abort(new Error('gone before')))).rejects.toThrow('gone before')
    first.leave()
  })

  it('refuses all callers after it was closed', async () => {
    const gate = new WorkGate(LIMITS)
    await Promise.all([gate.enter('a', 1), gate.enter('a', 1)])
    const waiting = gate.enter('a', 1)
    gate.close()
    await expect(waiting).rejects.toMatchObject({ code: 'shutting-down' })
    await expect(gate.enter('b', 1)).rejects.toMatchObject({ code: 'shutting-down' })
  })

  it('never exceeds its limits, and serves all callers', async () => {
    const sizes = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 60 })), {
      minLength: 1,
      maxLength: 30,
    })
    await fc.assert(
      fc.asyncProperty(sizes, async (list) => {
        const gate = new WorkGate({ maxConcurrent: 3, maxQueued: 100, queueTimeoutMs: 600_000, maxMemoryBytes: 100 })
        await Promise.all(
          list.map(async ([caller, bytes]) => {
            const ticket: Ticket = await gate.enter(caller, bytes)
            expect(gate.running).toBeLessThanOrEqual(3)
            expect(gate.bytes).toBeLessThanOrEqual(100)
            await everyTurn()
            await ticket.pause(everyTurn())
            expect(gate.running).toBeLessThanOrEqual(3)
            ticket.finish(Math.floor(bytes / 2))
            await everyTurn()
            ticket.leave()
          }),
        )
        expect([gate.running, gate.queued, gate.bytes]).toEqual([0, 0, 0])
      }),
      propertyRuns(50, 200),
    )
  })
})
