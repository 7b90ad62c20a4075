import { expect, test } from 'vitest'
import { StorageError } from '../storage/storage-error.ts'
import { CorruptEntries } from './mend-corrupt.ts'

const corrupt = (): Promise<never> => Promise.reject(new StorageError('corrupt', 'damaged'))

test('only what was corrupt is replaced, and counts as what was there', async () => {
  const entries = new CorruptEntries()
  const removed: string[] = []
  const replace = (id: string): Promise<unknown> =>
    entries.replace(
      id,
      async () => removed.push(id) > 0,
      async () => ({ created: true, lastUsedAt: 1 }),
    )
  await expect(entries.watch('a', corrupt)).rejects.toMatchObject({ code: 'corrupt' })
  await expect(entries.watch('b', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
  expect([entries.has('a'), entries.has('b')]).toEqual([true, false])
  expect(await replace('a')).toEqual({ created: false, lastUsedAt: 1 })
  expect(await replace('a')).toEqual({ created: true, lastUsedAt: 1 })
  expect(await replace('b')).toEqual({ created: true, lastUsedAt: 1 })
  expect(removed).toEqual(['a'])
})

test('what was read again, or is gone, is not replaced', async () => {
  const entries = new CorruptEntries()
  await expect(entries.watch('a', corrupt)).rejects.toThrow('damaged')
  entries.forget('a')
  expect(
    await entries.replace(
      'a',
      () => expect.unreachable(),
      async () => true,
    ),
  ).toBe(true)
})
