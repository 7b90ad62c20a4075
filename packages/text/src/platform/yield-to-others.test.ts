import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { yieldToOthers, yieldWhenDue } from './yield-to-others.ts'

/** Runs work of several callers in slices, and returns the caller of each slice in order. */
async function slicesOf(tasks: readonly (readonly [caller: string, slices: number])[]): Promise<string> {
  let order = ''
  await Promise.all(
    tasks.map(async ([caller, slices]) => {
      for (let slice = 0; slice < slices; slice++) {
        await yieldToOthers(caller)
        order += caller
      }
    }),
  )
  return order
}

describe('yieldToOthers', () => {
  it('gives each caller one slice between two slices of another, for any number of tasks', async () => {
    const greedy = Array.from({ length: 16 }, () => ['a', 4] as const)
    const order = await slicesOf([...greedy, ['b', 4], ['c', 2]])
    expect(order.slice(0, 10)).toBe('abcabcabab')
    expect(order.slice(10)).toBe('a'.repeat(60))
  })

  it('is fair for every pair of callers and every number of tasks', async () => {
    const tasks = 'aaaabbcddddddd'.split('').map((caller, index) => [caller, 3 + (index % 4)] as const)
    const order = await slicesOf(tasks)
    for (const [caller, other] of ['ab', 'bc', 'cd', 'da', 'ba', 'dc']) {
      // Until the caller has its last slice, no other has two slices between two of its own.
      const until = order.slice(0, order.lastIndexOf(caller!) + 1)
      for (const between of until.slice(until.indexOf(caller!)).split(caller!))
        expect(between.split(other!).length - 1).toBeLessThanOrEqual(1)
    }
  })

  it('lets the event loop run between two slices', async () => {
    let turns = 0
    const count = (): void => {
      turns++
      if (turns < 100) setImmediate(count)
    }
    setImmediate(count)
    await slicesOf([['a', 8]])
    expect(turns).toBeGreaterThanOrEqual(7)
  })
})

describe('yieldWhenDue', () => {
  it('yields after the work of a turn has taken its time, and not before', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => void vi.restoreAllMocks())
    const work = (milliseconds: number): Promise<void> | undefined => {
      now += milliseconds
      return yieldWhenDue()
    }
    await new Promise((resolve) => setImmediate(resolve))
    expect(work(0)).toBeUndefined()
    expect(work(3)).toBeUndefined()
    const [first, second] = [work(3), work(0)]
    await first
    expect(work(0)).toBeUndefined()
    await second
    expect(work(0)).toBeUndefined()
  })
})
