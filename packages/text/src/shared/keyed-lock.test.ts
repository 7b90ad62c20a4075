import { expect, test } from 'vitest'
import { KeyedLock } from './keyed-lock.ts'

test('the lock runs the tasks of one key in order, and the tasks of other keys in parallel', async () => {
  const lock = new KeyedLock()
  const events: string[] = []
  const task = (name: string) => async (): Promise<string> => {
    events.push(`${name} begins`)
    await new Promise((resolve) => setImmediate(resolve))
    events.push(`${name} ends`)
    return name
  }
  const results = await Promise.all([lock.run('a', task('1')), lock.run('a', task('2')), lock.run('b', task('3'))])
  expect(results).toEqual(['1', '2', '3'])
  expect(events.filter((event) => !event.startsWith('3'))).toEqual(['1 begins', '1 ends', '2 begins', '2 ends'])
  expect(events.indexOf('3 begins')).toBeLessThan(events.indexOf('1 ends'))
})

test('the lock runs the next task after a task failed', async () => {
  const lock = new KeyedLock()
  const failed = lock.run('a', async () => {
    throw new Error('failed')
  })
  const next = lock.run('a', async () => 'next')
  await expect(failed).rejects.toThrow('failed')
  await expect(next).resolves.toBe('next')
})

test('the lock runs a task of several keys after all earlier tasks of each key, without deadlocks', async () => {
  const lock = new KeyedLock()
  const events: string[] = []
  const task = (name: string) => async (): Promise<void> => {
    events.push(`${name} begins`)
    await new Promise((resolve) => setImmediate(resolve))
    events.push(`${name} ends`)
  }
  await Promise.all([
    lock.run('a', task('1')),
    lock.run(['b', 'a', 'b'], task('2')),
    lock.run(['a', 'b'], task('3')),
    lock.run('b', task('4')),
  ])
  expect(events).toEqual(['1', '2', '3', '4'].flatMap((name) => [`${name} begins`, `${name} ends`]))
})
