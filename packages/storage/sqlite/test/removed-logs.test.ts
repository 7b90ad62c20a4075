import { copyFile, rename, rm, truncate } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { BATCH_BYTES } from '../src/contents.ts'
import { inDatabase } from './support/in-database.ts'
import { opened } from './support/opened.ts'
import { StorageProcess } from './support/storage-process.ts'
import { temporaryPath } from './support/temporary-path.ts'
import { bytes, pattern, text } from './support/text.ts'

const retrieved = async (path: string, reference: string): Promise<string> =>
  text((await opened(path).retrieve(reference)).content)

describe.each([
  ['-wal', ['-wal']],
  ['-shm', ['-shm']],
  ['-wal and -shm', ['-wal', '-shm']],
] as const)('a database whose %s is removed during use', (_, suffixes) => {
  const remove = async (path: string): Promise<void> => {
    for (const suffix of suffixes) await rm(path + suffix)
  }

  test('keeps entries that a process stored before and after, even if the process is killed', async () => {
    const path = await temporaryPath()
    const writer = new StorageProcess(path)
    const before = await writer.store('before')
    await remove(path)
    const after = await writer.store('after')
    const later = await writer.store('later')
    await writer.kill()
    expect(await retrieved(path, before)).toBe('before')
    expect(await retrieved(path, after)).toBe('after')
    expect(await retrieved(path, later)).toBe('later')
  })

  test('keeps stored entries if their process then only reads', async () => {
    const path = await temporaryPath()
    const writer = new StorageProcess(path)
    const reference = await writer.store('before')
    await remove(path)
    expect(await writer.retrieve(reference)).toBe('before')
    await writer.kill()
    expect(await retrieved(path, reference)).toBe('before')
  })

  test('is unavailable to a second process until the first process has saved its data', async () => {
    const path = await temporaryPath()
    const [first, second] = [new StorageProcess(path), new StorageProcess(path)]
    const reference = await first.store('of the first')
    await remove(path)
    expect(await second.retrieve(reference)).toBe('unavailable')
    expect(await second.store('of the second')).toBe('unavailable')
    expect(await first.retrieve(reference)).toBe('of the first')
    expect(await second.retrieve(reference)).toBe('of the first')
    const other = await second.store('of the second')
    await Promise.all([first.kill(), second.kill()])
    expect(await retrieved(path, reference)).toBe('of the first')
    expect(await retrieved(path, other)).toBe('of the second')
  })

  test('loses no entries of two processes that had it open', async () => {
    const path = await temporaryPath()
    const [first, second] = [new StorageProcess(path), new StorageProcess(path)]
    const one = await first.store('of the first')
    const other = await second.store('of the second')
    await remove(path)
    // The first process may have to wait until the second process has closed the old log, too.
    const answers = [await first.store('first again'), await second.store('second again')]
    const again = await first.store('first again')
    for (const process of [first, second]) {
      expect(await process.retrieve(one)).toBe('of the first')
      expect(await process.retrieve(other)).toBe('of the second')
    }
    await Promise.all([first.kill(), second.kill()])
    expect(await retrieved(path, one)).toBe('of the first')
    expect(await retrieved(path, again)).toBe('first again')
    for (const answer of answers) if (answer !== 'unavailable') await opened(path).stat(answer)
  })

  test('accepts the rest of a stream that had begun', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield pattern(2 * BATCH_BYTES)
      await remove(path)
      yield pattern(2 * BATCH_BYTES, 2)
    }
    const reference = await storage.storeStream('stream', chunks())
    const { content } = await opened(path).retrieve(reference)
    expect(Buffer.compare(content.subarray(2 * BATCH_BYTES), pattern(2 * BATCH_BYTES, 2))).toBe(0)
  })
})

test('entries are unavailable, not missing, if -wal is removed and the process killed before it can save them', async () => {
  const path = await temporaryPath()
  const writer = new StorageProcess(path)
  const reference = await writer.store('before')
  await rm(`${path}-wal`)
  await writer.kill()
  const error: unknown = await opened({ path, busyTimeoutMs: 10 })
    .retrieve(reference)
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'unavailable' })
  expect(String(error)).toContain(`remove ${path}-shm`)
  await rm(`${path}-shm`)
  await expect(opened(path).retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
})

test('a log replaced by another makes the database unavailable', async () => {
  const path = await temporaryPath()
  const storage = opened(path)
  const reference = await storage.store('key', bytes('content'))
  await copyFile(`${path}-wal`, `${path}.aside`)
  await rename(`${path}.aside`, `${path}-wal`)
  await expect(storage.retrieve(reference)).rejects.toThrow(`${path}-wal was replaced`)
  await expect(storage.store('other', bytes('content'))).rejects.toMatchObject({ code: 'unavailable' })
})

describe('a database that was', () => {
  const other = async (): Promise<string> => {
    const path = await temporaryPath()
    const storage = opened(path)
    await storage.store('of the other', bytes('other'))
    await storage.close()
    return path
  }

  test.each([
    [
      'removed and created again by another process',
      async (path: string): Promise<void> => {
        for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix)
        await new StorageProcess(path).store('new')
      },
    ],
    ['replaced by renaming another file', async (path: string): Promise<void> => rename(await other(), path)],
    ['overwritten in place', async (path: string): Promise<void> => copyFile(await other(), path)],
    [
      'restored from a backup',
      async (path: string): Promise<void> => {
        inDatabase(path, (database) => database.exec(`VACUUM INTO '${path}.backup'`))
        await rename(`${path}.backup`, path)
      },
    ],
    ['kept, but with an emptied log', async (path: string): Promise<void> => truncate(`${path}-wal`)],
  ])('%s is unavailable to the process that uses it, and reports no missing entries', async (_, replace) => {
    const path = await temporaryPath()
    const process = new StorageProcess(path)
    const reference = await process.store('content')
    await replace(path)
    expect(await process.retrieve(reference)).toBe('unavailable')
    expect(await process.retrieve('call_9_abcdefghijklmnopqrst')).toBe('unavailable')
    expect(await process.store('later')).toBe('unavailable')
    expect(await process.store('content')).toBe('unavailable')
  })

  test.each([
    ['renamed', rename],
    ['copied', copyFile],
  ])('%s is unavailable when opened while its log remains, and the error names the fix', async (_, put) => {
    const path = await temporaryPath()
    const process = new StorageProcess(path)
    await process.store('content')
    await put(await other(), path)
    await process.kill()
    const error: unknown = await opened(path)
      .store('later', bytes('content'))
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'unavailable', retryable: false })
    for (const part of [`${path}-wal`, `${path}-shm`, 'backup']) expect(String(error)).toContain(part)
  })

  test('replaced is unavailable even after the storage was closed', async () => {
    const path = await temporaryPath()
    const storage = opened(path)
    const reference = await storage.store('key', bytes('content'))
    await storage.close()
    await copyFile(await other(), path)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
