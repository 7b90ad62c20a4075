import { describe, expect, test } from 'vitest'
import { FileStorage, type FileStorageOptions, type FileSystem } from '../src/index.ts'
import { LinkingMemoryFileSystem, MemoryFileSystem } from './support/memory-file-system.ts'
import { bytes, streamOf, text } from './support/text.ts'

const open = (fileSystem: FileSystem, options: FileStorageOptions = {}): FileStorage =>
  new FileStorage({ directory: '/workspace/artifacts', fileSystem, ...options })

describe.each([
  ['only the required operations', MemoryFileSystem],
  ['hard links and times', LinkingMemoryFileSystem],
])('FileStorage on a file system with %s', (_name, Disk) => {
  test('stores, finds, describes, lists and deletes entries', async () => {
    const disk = new Disk()
    const session = open(disk).scope('tenant', 'session')
    const reference = await session.store('key', bytes('content'), 'text/csv', { metadata: { tool: 'query' } })
    await session.storeStream('stream', streamOf(bytes('a'), bytes('b')))
    const again = open(disk).scope('tenant', 'session')
    expect(await again.retrieve(reference)).toEqual({ content: bytes('content'), contentType: 'text/csv' })
    expect(text((await again.retrieveRange(reference, { offset: 3, length: 100 })).content)).toBe('tent')
    expect(await again.stat(reference)).toMatchObject({ key: 'key', size: 7, metadata: { tool: 'query' } })
    const sizes: number[] = []
    for await (const { size } of open(disk).list()) sizes.push(size)
    expect(sizes.toSorted((a, b) => a - b)).toEqual([2, 7])
    await again.delete(reference)
    await expect(again.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
    expect(await open(disk).clear()).toBe(1)
    expect([...disk.nodes.keys()].filter((path) => !path.includes('/.root')).sort()).toEqual([
      '/',
      '/workspace',
      '/workspace/artifacts',
      '/workspace/artifacts/.gitignore',
      '/workspace/artifacts/.metadata',
    ])
  })

  test('keeps the time of the last use, evicts by it, and remembers the eviction', async () => {
    const disk = new Disk()
    let now = 1_000_000
    const storage = open(disk, { ttlMs: 1_000, now: () => now })
    const used = await storage.store('used', bytes('used'))
    const unused = await storage.store('unused', bytes('unused'))
    now += 900
    expect(await storage.store('used', bytes('used'))).toBe(used)
    expect(await storage.stat(used)).toMatchObject({ storedAt: 1_000_000, lastUsedAt: now })
    now += 100
    expect(await open(disk, { ttlMs: 1_000, now: () => now }).gc()).toMatchObject({ expired: 1, bytes: 6 })
    await expect(storage.retrieve(unused)).rejects.toMatchObject({ code: 'evicted', eviction: { reason: 'age' } })
    expect(text((await storage.retrieve(used)).content)).toBe('used')
  })

  test('stores many entries in parallel, some of them equal', async () => {
    const storage = open(new Disk())
    const keys = Array.from({ length: 40 }, (_, index) => `key ${index % 10}`)
    const references = await Promise.all(keys.map((key) => storage.store(key, bytes(key))))
    expect(new Set(references).size).toBe(10)
    for (const [index, reference] of references.entries())
      expect(text((await storage.retrieve(reference)).content)).toBe(keys[index])
  })
})

test('the last use in a sidecar of another file system is read, and updated even if file times can be set', async () => {
  const plain = new MemoryFileSystem()
  let now = 1_000_000
  const reference = await open(plain, { now: () => now }).store('key', bytes('content'))
  const linking = new LinkingMemoryFileSystem()
  for (const [path, node] of plain.nodes) linking.nodes.set(path, node)
  now += 5_000
  const storage = open(linking, { now: () => now })
  expect(await storage.stat(reference)).toMatchObject({ lastUsedAt: 1_000_000 })
  await storage.store('key', bytes('content'))
  expect(await storage.stat(reference)).toMatchObject({ lastUsedAt: 1_005_000 })
})
