import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '@spillway-internal/test-run'
import { WorkGate, type Ticket } from './work-gate.ts'

const LIMITS = { maxConcurrent: 2, maxQueued: 2, queueTimeoutMs: 200, maxMemoryBytes: 100 }

/** Tell whether something is still waited for, after everything had its turn. */
async function isWaiting(promise: Promise<unknown>): Promise<boolean> {
  const mark = Symbol('waiting')
  const turn = new Promise((resolve) => setImmediate(() => resolve(mark)))
  return (await Promise.race([promise, turn])) === mark
}

describe('WorkGate', () => {
  it('lets so many in at a time, and the next ones in their order', async () => {
    const gate = new WorkGate(LIMITS)
    const [one, two] = [await gate.enter(1), await gate.enter(1)]
    const order: string[] = []
    const third = gate.enter(1).then((ticket) => (order.push('third'), ticket))
    const fourth = gate.enter(1).then((ticket) => (order.push('fourth'), ticket))
    expect(await isWaiting(third)).toBe(true)
    one.leave()
    await third
    expect(order).toEqual(['third'])
    two.leave()
    await fourth
    expect(order).toEqual(['third', 'fourth'])
  })

  it('refuses who would be one too many, and who has waited too long', async () => {
    const gate = new WorkGate(LIMITS)
    await Promise.all([gate.enter(1), gate.enter(1)])
    const waiting = [gate.enter(1), gate.enter(1)]
    const refused = { code: 'overloaded', status: 503, retryAfter: 1 }
    await expect(gate.enter(1)).rejects.toMatchObject(refused)
    for (const one of waiting) await expect(one).rejects.toMatchObject(refused)
    expect(gate.queued).toBe(0)
  })

  it('keeps to its memory, and takes what alone has more when it is alone', async () => {
    const gate = new WorkGate(LIMITS)
    const small = await gate.enter(60)
    const large = gate.enter(1_000)
    expect(await isWaiting(large)).toBe(true)
    small.leave()
    const ticket = await large
    const next = gate.enter(1)
    expect(await isWaiting(next)).toBe(true)
    ticket.leave()
    await next
  })

  it('counts an answer until it was sent, but not as work', async () => {
    const gate = new WorkGate(LIMITS)
    const tickets = [await gate.enter(40), await gate.enter(40)]
    for (const ticket of tickets) ticket.finish(45)
    expect([gate.running, gate.bytes]).toEqual([0, 90])
    const next = gate.enter(20)
    expect(await isWaiting(next)).toBe(true)
    tickets[0]?.leave()
    tickets[0]?.leave()
    await next
    expect([gate.running, gate.bytes]).toEqual([1, 65])
  })

  it('gives more memory to who needs it while there is some, and to one that is alone', async () => {
    const gate = new WorkGate(LIMITS)
    const [one, two] = [await gate.enter(10), await gate.enter(10)]
    one.grow(50)
    expect(() => two.grow(31)).toThrow(expect.objectContaining({ code: 'overloaded', status: 503 }))
    two.grow(30)
    expect(gate.bytes).toBe(100)
    one.leave()
    two.grow(1_000)
    expect(gate.bytes).toBe(1_040)
    two.leave()
    expect(gate.bytes).toBe(0)
  })

  it('lets those go who have gone away, and the ones behind them in', async () => {
    const gate = new WorkGate(LIMITS)
    const first = await gate.enter(60)
    const controller = new AbortController()
    const large = gate.enter(90, controller.signal)
    const small = gate.enter(10)
    expect(await isWaiting(small)).toBe(true)
    controller.abort(new Error('gone'))
    await expect(large).rejects.toThrow('gone')
    await small
    await expect(gate.enter(1, AbortSignal.abort(new Error('gone before')))).rejects.toThrow('gone before')
    first.leave()
  })

  it('refuses everybody once it is closed', async () => {
    const gate = new WorkGate(LIMITS)
    await Promise.all([gate.enter(1), gate.enter(1)])
    const waiting = gate.enter(1)
    gate.close()
    await expect(waiting).rejects.toMatchObject({ code: 'shutting-down' })
    await expect(gate.enter(1)).rejects.toMatchObject({ code: 'shutting-down' })
  })

  it('never has more under way than it may, and forgets nobody', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(sizes, async (list) => {
        const gate = new WorkGate({ maxConcurrent: 3, maxQueued: 100, queueTimeoutMs: 600_000, maxMemoryBytes: 100 })
        await Promise.all(
          list.map(async (bytes) => {
            const ticket: Ticket = await gate.enter(bytes)
            expect(gate.running).toBeLessThanOrEqual(3)
            expect(gate.bytes).toBeLessThanOrEqual(100)
            await new Promise((resolve) => setImmediate(resolve))
            ticket.finish(Math.floor(bytes / 2))
            await new Promise((resolve) => setImmediate(resolve))
            ticket.leave()
          }),
        )
        expect([gate.running, gate.queued, gate.bytes]).toEqual([0, 0, 0])
      }),
      propertyRuns(50, 200),
    )
  })
})
