import { InMemoryStorage } from '@spillway/memory'
import { expect, test, vi, onTestFinished } from 'vitest'
import { OutputEntry } from './output-entry.ts'

test.each([
  ['removed after a short command', 1_000, []],
  ['kept after a long command, which a reader may follow', 6_000, ['hi\nend\n']],
])('small output is %s', async (_, milliseconds, kept) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const storage = new InMemoryStorage({ evictAfterTurns: null })
  const entry = new OutputEntry(storage, { key: 'test', maxBytes: 1_048_576, metadata: {}, end: () => ({}) })
  await entry.push(Buffer.from('hi\n'))
  await vi.advanceTimersByTimeAsync(milliseconds)
  await entry.push(Buffer.from('end\n'))
  await entry.finishSmall()
  const found: string[] = []
  for await (const { reference, state } of storage.list()) {
    expect(state).toBe('complete')
    found.push(Buffer.from((await storage.retrieve(reference)).content).toString())
  }
  expect(found).toEqual(kept)
})
