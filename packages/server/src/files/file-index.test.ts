import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import { FileIndex } from './file-index.ts'
import type { ServedStorage } from './listing-storage.ts'

it('finds every file where there are more than it remembers', async () => {
  const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('tenant') as ServedStorage
  for (let number = 0; number < 20; number += 1)
    await storage.store(`/x_${number}@1`, new Uint8Array([number]), 'text/plain', { metadata: { 'file-version': '1' } })
  const index = new FileIndex(storage, 5)
  for (let number = 0; number < 20; number += 1) expect((await index.find(`x_${number}`))?.path).toBe(`x_${number}`)
  expect(await index.find('x_20')).toBeUndefined()
  expect((await index.list()).length).toBe(20)
})

it('forgets the oldest of what was added where there is too much of it, and finds it again', async () => {
  const storage = new InMemoryStorage({ evictAfterTurns: null }).scope('tenant') as ServedStorage
  const index = new FileIndex(storage, 2)
  for (let number = 0; number < 4; number += 1) {
    const content = new Uint8Array([number])
    const metadata = { 'file-version': '1' }
    const reference = await storage.store(`/x_${number}@1`, content, 'text/plain', { metadata })
    const digest = `${number}`
    index.add({ path: `x_${number}`, reference, contentType: 'text/plain', size: 1, storedAt: number, digest })
  }
  expect(index.peek('x_0')).toBeUndefined()
  expect((await index.find('x_0'))?.path).toBe('x_0')
})
