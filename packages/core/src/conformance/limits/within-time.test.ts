import { expect, it } from 'vitest'
import { withinTime } from './within-time.ts'

const never = (): Promise<never> => new Promise(() => undefined)

it('withinTime returns or throws the result of the work, at once or later', async () => {
  expect(await withinTime('work', 1_000, undefined, async () => 7)).toBe(7)
  const error = new Error('failed')
  await expect(withinTime('work', 1_000, undefined, () => Promise.reject(error))).rejects.toBe(error)
  const throwing = (): never => {
    throw error
  }
  await expect(withinTime('work', 1_000, undefined, throwing)).rejects.toBe(error)
})

it('withinTime stops waiting for work that does not end', async () => {
  const gaveUp = { kind: 'timeout', message: 'work has not ended after 20 ms' }
  await expect(withinTime('work', 20, undefined, never)).rejects.toMatchObject(gaveUp)
})

it('withinTime stops waiting if the signal aborts before or during the work', async () => {
  const controller = new AbortController()
  const working = withinTime('work', 10_000, controller.signal, never)
  controller.abort('enough')
  const gaveUp = { kind: 'stopped', message: 'work was stopped: enough' }
  await expect(working).rejects.toMatchObject(gaveUp)
  await expect(withinTime('work', 10_000, controller.signal, never)).rejects.toMatchObject(gaveUp)
})
