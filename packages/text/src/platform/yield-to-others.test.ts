import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { yieldToOthers, yieldWhenDue } from './yield-to-others.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Stop the clock until the end of the test. Return a function that advances the clock by milliseconds. */
async function stopClock(): Promise<(milliseconds: number) => void> {
  await nextTurn()
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => void vi.restoreAllMocks())
  return (milliseconds) => void (now += milliseconds)
}

/** Run work of several callers in slices. Return the caller of each slice, in order. */
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
  it('gives each caller one slice between two slices of another caller, for any number of tasks', async () => {
    const greedy = Array.from({ length: 16 }, () => ['a', 4] as const)
    const order = await slicesOf([...greedy, ['b', 4], ['c', 2]])
    expect(order.slice(0, 10)).toBe('abcabcabab')
    expect(order.slice(10)).toBe('a'.repeat(60))
  })

  it('is fair for every pair of callers and every number of tasks', async () => {
    const tasks = 'aaaabbcddddddd'.split('').map((caller, index) => [caller, 3 + (index % 4)] as const)
    const order = await slicesOf(tasks)
    for (const [caller, other] of ['ab', 'bc', 'cd', 'da', 'ba', 'dc']) {
      // Until a caller has its last slice, no other caller has two slices between two slices of the caller.
      const until = order.slice(0, order.lastIndexOf(caller!) + 1)
      for (const between of until.slice(until.indexOf(caller!)).split(caller!))
        expect(between.split(other!).length - 1).toBeLessThanOrEqual(1)
    }
  })

  it('gives a caller that arrives one of the next two slices, for any number of waiting callers', async () => {
    let order = ''
    const work = async (caller: string): Promise<void> => {
      for (let slice = 0; slice < 3; slice++) {
        await yieldToOthers(caller)
        order += caller
        if (order.length === 10) late = work('z')
      }
    }
    let late: Promise<void> | undefined
    await Promise.all('abcdefgh'.split('').map(work))
    await late
    expect(order.slice(10, 12)).toContain('z')
  })

  it('lets the event loop run after slices of one millisecond in total', async () => {
    const advance = await stopClock()
    let turns = 0
    const count = (): void => {
      turns++
      if (turns < 100) setImmediate(count)
    }
    setImmediate(count)
    for (let slice = 0; slice < 12; slice++) {
      await yieldToOthers('a')
      advance(0.4)
    }
    expect(turns).toBe(4)
  })
})

describe('yieldWhenDue', () => {
  it('yields after the time of a turn is used, and not before', async () => {
    const advance = await stopClock()
    const work = (milliseconds: number): Promise<void> | undefined => {
      advance(milliseconds)
      return yieldWhenDue(undefined)
    }
    await nextTurn()
    expect(work(0)).toBeUndefined()
    expect(work(3)).toBeUndefined()
    const [first, second] = [work(3), work(0)]
    await Promise.all([first, second])
    expect(work(0)).toBeUndefined()
  })

  it('yields while other callers wait, so that later work runs after them', async () => {
    const order: string[] = []
    const work = async (name: string): Promise<void> => {
      await yieldWhenDue(undefined)
      order.push(name)
    }
    await nextTurn()
    const waiting = ['a', 'b'].map(async (name) => {
      await yieldToOthers(undefined)
      order.push(name)
    })
    await Promise.all([...waiting, work('c'), work('d')])
    await work('e')
    expect(order.join('')).toBe('abcde')
  })

  it('lets the caller whose slice runs continue until its time is used, and makes other callers wait', async () => {
    const advance = await stopClock()
    let order = ''
    const work = async (caller: string, parts: number): Promise<void> => {
      await yieldToOthers(caller)
      for (let part = 0; part < parts; part++) {
        order += caller
        advance(2)
        await yieldWhenDue(caller)
      }
    }
    await Promise.all([work('a', 4), work('b', 2), work('a', 3)])
    expect(order).toBe('aaabbaaaa')
  })
})
