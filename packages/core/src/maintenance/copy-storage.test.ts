import { describe, expect, it } from 'vitest'
import { TinyDisk, TinyDriver } from '../../test/tiny-driver.ts'
import { tinyStorage } from '../../test/tiny-storage.ts'
import { createStorage, type ManagedStorage } from '../storage/managed-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { encrypted } from '../wrappers/encryption/encrypted.ts'
import { compressed } from '../wrappers/compression/compressed.ts'
import { checkStorage } from './check-storage.ts'
import { copyStorage, type CopyOptions } from './copy-storage.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const lines = (count: number): string => Array.from({ length: count }, (_, line) => `line ${line}\n`).join('')

async function* stream(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield bytes(text)
}

/** A storage whose disk a test can change. */
function diskStorage(): { storage: ManagedStorage; disk: TinyDisk } {
  const disk = new TinyDisk(Date.now)
  return { storage: createStorage(new TinyDriver(disk)), disk }
}

interface Stored {
  readonly scope: readonly string[]
  readonly reference: string
}

async function fill(storage: ManagedStorage): Promise<Stored[]> {
  const stored: Stored[] = []
  for (const scope of [[], ['Tenant@example.com'], ['Tenant@example.com', 'b'], ['tenant'], ['x'.repeat(200)]]) {
    const view: Required<Pick<Storage, 'store' | 'storeStream'>> =
      scope.length === 0 ? storage : storage.scope(...scope)
    for (const text of ['', 'small', lines(scope.length === 0 ? 120_000 : 5_000)])
      stored.push({
        scope,
        reference: await view.store(`call ${text.length}`, bytes(text), 'text/x-log', { metadata: { tool: 't' } }),
      })
    stored.push({ scope, reference: await view.storeStream('stream', stream('a stream\n', 'of two chunks')) })
  }
  return stored
}

const viewOf = (storage: ManagedStorage, { scope }: Stored): ManagedStorage | ReturnType<ManagedStorage['scope']> =>
  scope.length === 0 ? storage : storage.scope(...scope)

async function expectSame(from: ManagedStorage, to: ManagedStorage, stored: readonly Stored[]): Promise<void> {
  for (const entry of stored) {
    const [before, after] = [viewOf(from, entry), viewOf(to, entry)]
    const [{ lastUsedAt: _, ...description }, copy] = (await Promise.all(
      [before, after].map((view) => view.stat(entry.reference)),
    )) as [Awaited<ReturnType<ManagedStorage['stat']>>, Awaited<ReturnType<ManagedStorage['stat']>>]
    expect(copy).toMatchObject(description)
    const { content } = await after.retrieve(entry.reference)
    expect(Buffer.from(content).equals((await before.retrieve(entry.reference)).content)).toBe(true)
  }
}

const key = 'a1'.repeat(32)

describe('copyStorage', () => {
  it('keeps references, scopes, descriptions and content, and skips existing entries', async () => {
    const [from, to] = [tinyStorage(), tinyStorage()]
    const stored = await fill(from)
    const progress: number[] = []
    const report = await copyStorage(from, to, { onProgress: ({ copied }) => void progress.push(copied) })
    expect(report).toMatchObject({ copied: stored.length, skipped: 0, failed: [] })
    expect(progress.at(-1)).toBe(stored.length)
    await expectSame(from, to, stored)
    expect(await copyStorage(from, to)).toMatchObject({ copied: 0, bytes: 0, skipped: stored.length, failed: [] })
    // Storing the same again finds the copy.
    let created: boolean | undefined
    await to.store('call 5', bytes('small'), 'text/x-log', { onStored: (receipt) => void (created = receipt.created) })
    expect(created).toBe(false)
    const opened = await to.open(stored[2]?.reference ?? '')
    expect((await opened.lineIndex?.())?.lines).toBe(120_000)
  })

  it('copies one scope and its child scopes', async () => {
    const [from, to] = [tinyStorage(), tinyStorage()]
    const stored = await fill(from)
    expect((await copyStorage(from, to, { scope: ['Tenant@example.com'] })).copied).toBe(8)
    const own = stored.filter(({ scope }) => scope[0] === 'Tenant@example.com')
    await expectSame(from, to, own)
    let count = 0
    for await (const _ of to.list()) count += 1
    expect(count).toBe(8)
  })

  it('continues an interrupted copy', async () => {
    const [from, to] = [tinyStorage(), tinyStorage()]
    const stored = await fill(from)
    const abort = new AbortController()
    const interrupted = copyStorage(from, to, {
      signal: abort.signal,
      onProgress: ({ copied }) => void (copied === 5 && abort.abort()),
    })
    await expect(interrupted).rejects.toMatchObject({ code: 'aborted' })
    const rest = await copyStorage(from, to)
    expect(rest.copied + rest.skipped).toBe(stored.length)
    expect(rest.skipped).toBeGreaterThanOrEqual(5)
    await expectSame(from, to, stored)
  })

  it('moves entries between plain, compressed and encrypted storages, and to another key', async () => {
    const plain = tinyStorage()
    const stored = await fill(plain)
    const sealed = encrypted(tinyStorage(), { key })
    const next = compressed(encrypted(tinyStorage(), { key: 'b2'.repeat(32) }))
    const back = tinyStorage()
    for (const [from, to] of [
      [plain, sealed],
      [sealed, next],
      [next, back],
    ] as const)
      expect(await copyStorage(from, to)).toMatchObject({ copied: stored.length, failed: [] })
    await expectSame(plain, next, stored)
    await expectSame(plain, back, stored)
    expect((await checkStorage(next)).problems).toEqual([])
  })

  it('copies encrypted entries unchanged without the key', async () => {
    const [from, to] = [tinyStorage(), tinyStorage()]
    const stored = await fill(encrypted(from, { key }))
    expect((await copyStorage(from, to)).copied).toBe(stored.length)
    await expectSame(encrypted(from, { key }), encrypted(to, { key }), stored)
  })

  it('copies the current content of an open entry, and replaces it once the entry has ended', async () => {
    const [from, to] = [tinyStorage(), tinyStorage()]
    const writer = await from.scope('a').openEntry('log')
    await writer.write(bytes(lines(200_000)))
    expect(await copyStorage(from, to)).toMatchObject({ copied: 1, failed: [] })
    const { size, state } = await to.scope('a').stat(writer.reference)
    expect(state).toBe('open')
    expect(size).toBeGreaterThan(1_000_000)
    expect((await checkStorage(to)).entries).toBe(1)
    await writer.write(bytes('the end'))
    await writer.close()
    expect(await copyStorage(from, to)).toMatchObject({ copied: 1, skipped: 0, failed: [] })
    await expectSame(from, to, [{ scope: ['a'], reference: writer.reference }])
    expect(await checkStorage(to)).toMatchObject({ entries: 1, unproven: 1, problems: [] })
    expect(await checkStorage(from)).toMatchObject({ entries: 1, unproven: 1, problems: [] })
  })

  it('names damaged entries, and copies the others', async () => {
    const { storage: from, disk } = diskStorage()
    const to = tinyStorage()
    const [good, bad] = [await from.store('good', bytes('good')), await from.store('bad', bytes('damaged'))]
    const record = disk.records.get(bad)
    if (record !== undefined) record.content = record.content.slice(0, 3)
    expect(await copyStorage(from, to)).toMatchObject({
      copied: 1,
      failed: [{ reference: bad, error: { code: 'corrupt' } }],
    })
    expect(await to.retrieve(good)).toBeDefined()
    await expect(to.retrieve(bad)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('refuses to replace different content, and to keep a copy that differs', async () => {
    const { storage: to, disk } = diskStorage()
    const from = tinyStorage()
    const reference = await from.store('one', bytes('content'))
    const driver = new TinyDriver(disk)
    const write = driver.write.bind(driver)
    driver.write = async (id, chunks, ...rest) => {
      const written = await write(id, chunks, ...rest)
      const record = disk.records.get(id)
      if (record !== undefined) record.content = bytes('CONTENT')
      return written
    }
    expect((await copyStorage(from, createStorage(driver))).failed).toMatchObject([
      { reference, error: { code: 'corrupt' } },
    ])
    expect(disk.records.size).toBe(0)
    await copyStorage(from, to)
    const record = disk.records.get(reference)
    if (record !== undefined) record.content = bytes('other')
    if (record !== undefined) record.info = { ...record.info, size: 5 }
    expect((await copyStorage(from, to)).failed).toMatchObject([
      { error: { message: expect.stringContaining('other content') } },
    ])
  })

  it('copies nothing if the name of an option is unknown', async () => {
    const [from, to] = [tinyStorage(), tinyStorage()]
    const reference = await from.scope('tenant-2').store('one', bytes('content'))
    await expect(copyStorage(from, to, { scopes: ['tenant-1'] } as CopyOptions)).rejects.toThrow('Unknown option')
    await expect(to.scope('tenant-2').retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('rejects if a storage is down, and refuses scopes and other storages', async () => {
    const { storage, disk } = diskStorage()
    const other = tinyStorage()
    await other.store('one', bytes('content'))
    disk.isDown = true
    await expect(copyStorage(other, storage)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(copyStorage(storage, other)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(copyStorage(other, other.scope('a') as ManagedStorage)).rejects.toThrow('to must be a storage')
    await expect(copyStorage({} as ManagedStorage, other)).rejects.toThrow(TypeError)
  })
})
