import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredInfo } from '@spillway/core'
import { smallDisk } from '@spillway-internal/services'
import { isSoakContent, soakContent } from '@spillway-internal/storage-suite'
import { afterAll, describe, expect, test } from 'vitest'
import { FileStorage } from '../src/index.ts'
import { residue } from './soak-backend.ts'

const DISK_BYTES = 2_000_000
const BLOCK_BYTES = 60_000

const disk = await smallDisk(DISK_BYTES)
afterAll(async () => {
  if (disk.available) await disk.dispose()
})

/** The key of the block with this number. */
const keyOf = (index: number): string => `${BLOCK_BYTES} bytes ${index}`

describe.skipIf(!disk.available)('a disk that becomes full', () => {
  const root = disk.available ? disk.path : ''
  const directory = join(root, 'artifacts')
  const filler = join(root, 'filler')
  const storage = new FileStorage(directory).scope('tenant')
  const stored = new Map<string, string>()
  const store = async (key: string): Promise<void> => {
    const { content, contentType } = soakContent(key)
    stored.set(key, await storage.store(key, content, contentType))
  }
  const refused = {
    code: 'unavailable',
    retryable: true,
    message: expect.stringMatching(new RegExp(`disk with ${directory} is full: free some space`)) as string,
  }
  const expectWhole = async (): Promise<void> => {
    for (const [key, reference] of stored) expect(isSoakContent(key, await storage.retrieve(reference))).toBe(true)
    const listed: string[] = []
    for await (const { key } of storage.list()) listed.push(key)
    expect(listed.sort()).toEqual([...stored.keys()].sort())
  }

  test('refuses content that does not fit, names the disk, and shows no partial entry', async () => {
    await writeFile(filler, new Uint8Array(DISK_BYTES / 2))
    const fill = async (): Promise<never> => {
      for (;;) await store(keyOf(stored.size))
    }
    await expect(fill()).rejects.toMatchObject(refused)
    expect(stored.size).toBeGreaterThan(5)
    const key = keyOf(1_000)
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      for (let piece = 0; piece < 100; piece += 1) yield soakContent(key).content
    }
    await expect(storage.storeStream('stream', chunks())).rejects.toMatchObject(refused)
    await expectWhole()
  })

  test('does not hide existing entries, and reports entries that were never stored as missing', async () => {
    await expectWhole()
    for (const [key, reference] of stored) {
      expect(await storage.stat(reference)).toMatchObject({ key, size: BLOCK_BYTES })
      await expect(storage.scope('other').retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
    }
  })

  test('accepts content again after space is freed, in the same instance, and has no leftovers', async () => {
    await expect(store(keyOf(stored.size))).rejects.toMatchObject(refused)
    await rm(filler)
    for (let more = 0; more < 5; more += 1) await store(keyOf(stored.size))
    await expectWhole()
    expect(await storage.gc()).toMatchObject({ leftovers: 0 })
    const entries: StoredInfo[] = []
    for await (const entry of new FileStorage(directory).list()) entries.push(entry)
    expect(await residue({ directory }, entries)).toEqual([])
  })

  test('lets an entry be deleted while it is full', async () => {
    const fill = async (): Promise<never> => {
      for (;;) await store(keyOf(stored.size))
    }
    await expect(fill()).rejects.toMatchObject(refused)
    const [[key, reference] = []] = stored
    await storage.delete(reference!)
    stored.delete(key!)
    await expect(storage.retrieve(reference!)).rejects.toMatchObject({ code: 'not-found' })
    await expectWhole()
  })
})
