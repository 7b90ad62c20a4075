import { expect, test } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { runKillScript, type KillScript } from './kill-script.ts'

const entry = (key: string, size: number): KillScript['unfinished'] => ({
  key,
  contentType: 'text/csv',
  content: new Uint8Array(size),
})

test('the kill script stores the acknowledged entries and half of the next entry, and then waits', async () => {
  const storage = tinyStorage()
  const script = { acknowledged: [entry('a', 10), entry('b', 20)], unfinished: entry('c', 1_000) }
  const references = await new Promise<readonly string[]>((resolve, reject) => {
    runKillScript(storage, script, resolve).catch(reject)
  })
  expect(references).toHaveLength(2)
  const listed: string[] = []
  for await (const { reference, contentType } of storage.list()) listed.push(`${reference} ${contentType}`)
  expect(listed).toEqual(references.map((reference) => `${reference} text/csv`))
})

test('the kill script needs a storage with streams', async () => {
  const { store, retrieve } = tinyStorage()
  const script = { acknowledged: [], unfinished: entry('c', 10) }
  const run = runKillScript({ store, retrieve }, script, () => undefined)
  await expect(run).rejects.toThrow('storeStream()')
})
