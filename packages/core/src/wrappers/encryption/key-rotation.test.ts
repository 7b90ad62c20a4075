import { expect, it } from 'vitest'
import { TinyDisk, TinyDriver } from '../../../test/tiny-driver.ts'
import { checkStorage } from '../../maintenance/check-storage.ts'
import { createStorage, type ManagedStorage } from '../../storage/managed-storage.ts'
import { encrypted, type RotatingKeys } from './encrypted.ts'

it("processes that change their keys one after the other, in two steps, can read each other's entries at any time", async () => {
  const disk = new TinyDisk(Date.now)
  const [old, next] = ['a1'.repeat(32), 'b2'.repeat(32)]
  const start = (keys: RotatingKeys): ManagedStorage =>
    encrypted(createStorage(new TinyDriver(disk)), { keys, nameKey: old })
  const steps: readonly RotatingKeys[] = [
    { current: old },
    { current: old, previous: [next] },
    { current: next, previous: [old] },
  ]
  const processes = [0, 1, 2].map(() => encrypted(createStorage(new TinyDriver(disk)), { key: old }))
  const references: string[] = []
  const use = async (): Promise<void> => {
    for (const [index, storage] of processes.entries())
      references.push(await storage.store(`call ${references.length}`, Uint8Array.of(index)))
    for (const storage of processes)
      for (const reference of references) expect((await storage.retrieve(reference)).content).toHaveLength(1)
  }
  await use()
  for (const keys of steps)
    for (const index of processes.keys()) {
      processes[index] = start(keys)
      await use()
    }
  expect(await checkStorage(start({ current: next, previous: [old] }))).toMatchObject({ problems: [], unproven: 0 })
  // Without the first key, its entries cannot be read, and a check reports them.
  const { problems } = await checkStorage(start({ current: next }))
  expect(new Set(problems.map(({ problem }) => problem))).toEqual(new Set(['unreadable']))
  expect(problems.length).toBeLessThan(references.length)
})
