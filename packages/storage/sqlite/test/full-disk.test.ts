import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { smallDisk } from '@spillway-internal/services'
import { isSoakContent, soakContent } from '@spillway-internal/storage-suite'
import { afterAll, describe, expect, test } from 'vitest'
import { SqliteStorage } from '../src/index.ts'
import { residue } from './sqlite-backend.ts'
import { collect } from './support/collect.ts'
import { streamOf } from './support/text.ts'

const DISK_BYTES = 16_000_000
const BLOCK_BYTES = 50_000

const disk = await smallDisk(DISK_BYTES)
const root = disk.available ? disk.path : ''
const path = join(root, 'spill.db')
const filler = join(root, 'filler')
const storage = new SqliteStorage(path)
afterAll(async () => {
  await storage.close()
  if (disk.available) await disk.dispose()
})

describe.skipIf(!disk.available)('a disk that becomes full', () => {
  const stored = new Map<string, string>()
  const storeMore = async (bytes = BLOCK_BYTES): Promise<void> => {
    const key = `${bytes} bytes ${stored.size}`
    const { content, contentType } = soakContent(key)
    stored.set(key, await storage.store(key, content, contentType))
  }
  const fill = async (): Promise<never> => {
    for (;;) await storeMore()
  }
  const refused = {
    code: 'unavailable',
    retryable: true,
    message: expect.stringMatching(new RegExp(`disk with ${path} .*full`)) as string,
  }
  const expectWhole = async (): Promise<void> => {
    for (const [key, reference] of stored) expect(isSoakContent(key, await storage.retrieve(reference))).toBe(true)
    expect((await collect(storage.list())).map(({ key }) => key).sort()).toEqual([...stored.keys()].sort())
  }

  test('refuses small and large content for which there is no space, names the disk, and has no partial entries', async () => {
    await writeFile(filler, new Uint8Array(DISK_BYTES / 2))
    await expect(fill()).rejects.toMatchObject(refused)
    expect(stored.size).toBeGreaterThan(10)
    await expect(storage.store('large', new Uint8Array(10_000_000))).rejects.toMatchObject(refused)
    await expect(
      storage.storeStream('stream', streamOf(...Array.from({ length: 20 }, () => new Uint8Array(1_000_000)))),
    ).rejects.toMatchObject(refused)
    await expectWhole()
  })

  test('does not hide existing entries, and reports entries that were never stored as missing', async () => {
    for (const [key, reference] of stored) {
      expect(await storage.stat(reference)).toMatchObject({ key, size: BLOCK_BYTES })
      await expect(storage.scope('other').retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
    }
  })

  test('accepts content again after space is freed, in the same instance, and has no leftovers', async () => {
    await expect(storeMore(3_000_000)).rejects.toMatchObject(refused)
    await rm(filler)
    await storeMore(3_000_000)
    for (let more = 0; more < 5; more += 1) await storeMore()
    await expectWhole()
    await storage.gc()
    expect(await residue({ path }, await collect(storage.list()))).toEqual([])
  })
})
