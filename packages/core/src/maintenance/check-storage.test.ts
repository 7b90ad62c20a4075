import { describe, expect, it } from 'vitest'
import { TinyDisk, TinyDriver, type TinyRecord } from '../../test/tiny-driver.ts'
import { createStorage, type ManagedStorage } from '../storage/managed-storage.ts'
import { createRetrievalTool } from '../retrieval/retrieval-tool.ts'
import { encrypted } from '../wrappers/encryption/encrypted.ts'
import { compressed } from '../wrappers/compression/compressed.ts'
import { checkStorage } from './check-storage.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (content: Uint8Array): string => new TextDecoder().decode(content)
const large = Array.from({ length: 200_000 }, (_, line) => `line ${line}\n`).join('')

async function* stream(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield bytes(text)
}

interface Disk {
  readonly storage: ManagedStorage
  readonly disk: TinyDisk
  record(id: string): TinyRecord
}

function diskStorage(): Disk {
  const disk = new TinyDisk(Date.now)
  const record = (id: string): TinyRecord => {
    const found = disk.records.get(id)
    if (found === undefined) throw new Error(`${id} is not on the disk`)
    return found
  }
  return { storage: createStorage(new TinyDriver(disk)), disk, record }
}

const problems = async (storage: ManagedStorage, repair: boolean = false): Promise<unknown[]> =>
  (await checkStorage(storage, { repair })).problems.map(({ id, problem, repaired }) => [
    id.split('/').at(-1),
    problem,
    repaired,
  ])

describe('checkStorage', () => {
  it('refuses a scope that is a text', async () => {
    await expect(checkStorage(diskStorage().storage, { scope: 'tenant' as never })).rejects.toThrow(
      'must be an array of segments',
    )
  })

  it('finds nothing wrong with content, streams, and scopes of any name', async () => {
    const { storage, disk } = diskStorage()
    for (const scope of ['tenant', 'Ünïcode @ ../..', 'con', 'x'.repeat(100)]) {
      const view = storage.scope(scope, 'session')
      for (const content of ['', 'small', large]) await view.store('call', bytes(content))
      await view.storeStream('stream', stream(large, large))
    }
    const before = structuredClone(disk.records)
    const report = await checkStorage(storage, { repair: true })
    expect(report).toMatchObject({ entries: 16, problems: [], leftovers: 0 })
    // The four streams, and three entries of the scope whose stored name is a hash. A check of that scope can verify
    // these.
    expect(report.unproven).toBe(4 + 3)
    expect(await checkStorage(storage, { scope: ['x'.repeat(100)] })).toMatchObject({ entries: 4, unproven: 1 })
    expect(disk.records).toEqual(before)
  })

  it('reports content that cannot be read, and repair removes it so that it can be stored again', async () => {
    const { storage, record } = diskStorage()
    const scope = storage.scope('a')
    const [good, bad] = [await scope.store('good', bytes('good')), await scope.store('bad', bytes('damaged'))]
    record(`a/${bad}`).content = bytes('dam')
    expect(await problems(storage)).toEqual([[bad, 'unreadable', false]])
    const { problems: repaired } = await checkStorage(storage, { repair: true })
    expect(repaired).toMatchObject([{ id: `a/${bad}`, repaired: true, message: expect.stringContaining('bytes') }])
    expect(await problems(storage)).toEqual([])
    await expect(scope.retrieve(bad)).rejects.toMatchObject({ code: 'not-found' })
    expect(await scope.store('bad', bytes('damaged'))).toBe(bad)
    expect(text((await scope.retrieve(bad)).content)).toBe('damaged')
    expect(await scope.retrieve(good)).toBeDefined()
  })

  it('reports changed content and leaves it', async () => {
    const { storage, record } = diskStorage()
    const reference = await storage.scope('a').store('call', bytes('content'))
    record(`a/${reference}`).content = bytes('CONTENT')
    expect(await problems(storage, true)).toEqual([[reference, 'changed', false]])
    expect(text((await storage.scope('a').retrieve(reference)).content)).toBe('CONTENT')
    expect((await checkStorage(storage, { scope: ['b'] })).entries).toBe(0)
  })

  it('reports a wrong line index and keeps it, because retrieval notices it', async () => {
    const { storage, record } = diskStorage()
    const reference = await storage.store('call', bytes(large))
    const other = await storage.store('other', bytes(large.replaceAll('line', 'l')))
    record(reference).info = { ...record(reference).info, lineIndex: record(other).info.lineIndex ?? '' }
    expect(await problems(storage, true)).toEqual([[reference, 'line-index', false]])
    const countTokens = (shown: string): number => shown.length / 4
    const tool = createRetrievalTool({ storage, scoped: false, maxRetrievalTokens: 500, countTokens })
    const { content } = await tool.execute({ reference, line_range: { start: 150_001, end: 150_001 } })
    expect(JSON.stringify(content)).toContain('line 150000')
  })

  it('removes leftovers of killed writers if repair is set', async () => {
    const { storage, disk } = diskStorage()
    await storage.store('call', bytes('content'))
    disk.unfinished.set('unfinished', { since: 0, bytes: 7 })
    expect((await checkStorage(storage)).leftovers).toBe(0)
    expect((await checkStorage(storage, { repair: true })).leftovers).toBe(1)
    expect(disk.unfinished.size).toBe(0)
  })

  it('verifies content through wrappers, and reports no damage without them', async () => {
    for (const wrap of [compressed, (inner: ManagedStorage) => encrypted(inner, { key: 'a1'.repeat(32) })]) {
      const { storage: inner } = diskStorage()
      const storage = wrap(inner)
      for (const content of ['small', large]) await storage.scope('a').store('call', bytes(content))
      expect(await checkStorage(storage)).toMatchObject({ entries: 2, unproven: 0, problems: [] })
      expect(await checkStorage(inner)).toMatchObject({ entries: 2, problems: [] })
    }
  })

  it('finds changed entries in an encrypted storage', async () => {
    const { storage: inner, disk } = diskStorage()
    const storage = encrypted(inner, { key: 'a1'.repeat(32) })
    const reference = await storage.store('call', bytes('content'))
    for (const record of disk.records.values()) record.content[record.content.length - 1]! ^= 1
    expect(await problems(storage)).toEqual([[reference, 'unreadable', false]])
  })

  it('rejects if the storage is down, and refuses a scope', async () => {
    const { storage, disk } = diskStorage()
    await expect(checkStorage(storage.scope('a') as ManagedStorage)).rejects.toThrow('the option scope')
    disk.isDown = true
    await expect(checkStorage(storage)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
