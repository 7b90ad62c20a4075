import { truncate } from 'node:fs/promises'
import type { EntryInfo } from '@spillway/core'
import { describe, expect, test } from 'vitest'
import { FileStorage, NodeFileSystem } from '../src/index.ts'
import { LinkingMemoryFileSystem, MemoryFileSystem } from './support/memory-file-system.ts'
import { driverOn } from './support/one-entry.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'
import { bytes, streamOf, text } from './support/text.ts'

const INFO = { key: 'key', contentType: 'text/plain', storedAt: 1, lastUsedAt: 1, metadata: {} }

function logReads(fileSystem: NodeFileSystem): readonly string[] {
  const log: string[] = []
  const { readFile, openFile } = fileSystem
  fileSystem.readFile = (path, range) => {
    log.push('read')
    return readFile.call(fileSystem, path, range)
  }
  fileSystem.openFile = (path) => {
    log.push('open')
    return openFile.call(fileSystem, path)
  }
  return log
}

describe('an open file', () => {
  test('is found and opened once for any number of reads, and closed', async () => {
    const fileSystem = new NodeFileSystem()
    const driver = driverOn(fileSystem, await temporaryDirectory())
    await driver.write('log', streamOf(bytes('content of a log')), INFO)
    const log = logReads(fileSystem)
    const entry = await driver.open('log')
    expect(entry?.info).toMatchObject({ size: 16, contentType: 'text/plain' })
    expect(text(await entry!.read({ offset: 0, length: 7 }))).toBe('content')
    expect(text(await entry!.read({ offset: 13, length: 100 }))).toBe('log')
    expect(await entry!.read({ offset: 16, length: 1 })).toHaveLength(0)
    // The sidecar, then the content.
    expect(log).toEqual(['read', 'open'])
    await entry!.close()
    await expect(entry!.read({ offset: 0, length: 7 })).rejects.toMatchObject({ code: 'unavailable' })
    expect(await driver.open('other')).toBeUndefined()
  })

  test('reads into the given memory', async () => {
    const driver = driverOn(new NodeFileSystem(), await temporaryDirectory())
    await driver.write('log', streamOf(bytes('content')), INFO)
    const entry = await driver.open('log')
    const buffer = new Uint8Array(100)
    const read = await entry!.read({ offset: 3, length: 4 }, buffer)
    expect([text(read), read.buffer === buffer.buffer]).toEqual(['tent', true])
    await entry!.close()
  })

  test('still returns its bytes if it was removed or stored again', async () => {
    const storage = new FileStorage(await temporaryDirectory())
    const content = new Uint8Array(20_000_000).fill(97)
    const reference = await storage.store('log', content)
    const open = await storage.open(reference)
    await storage.delete(reference)
    expect(await open.read(19_999_990, 100)).toEqual(content.subarray(0, 10))
    await open.close()
    await expect(storage.open(reference)).rejects.toMatchObject({ code: 'not-found' })
  })

  test('is corrupt if it was truncated before or after it was opened', async () => {
    const storage = new FileStorage(await temporaryDirectory())
    const reference = await storage.store('log', new Uint8Array(20_000_000))
    const open = await storage.open(reference)
    await truncate(storage.locate!(reference)!.address, 10_000_000)
    await expect(open.read(15_000_000, 100)).rejects.toMatchObject({ code: 'corrupt' })
    await open.close()
    await storage.close()
    await expect(storage.open(reference)).rejects.toMatchObject({ code: 'corrupt' })
  })
})

describe.each([
  ['only the required operations', MemoryFileSystem],
  ['hard links and times', LinkingMemoryFileSystem],
])('a storage without openFile, on a file system with %s', (_name, Disk) => {
  test('opens the file for each read, and reports a removed file', async () => {
    const storage = new FileStorage({ directory: '/workspace/artifacts', fileSystem: new Disk() })
    const reference = await storage.store('log', new Uint8Array(20_000_000).fill(97))
    const content = await storage.open(reference)
    expect(text(await content.read(10_000_000, 3))).toBe('aaa')
    await storage.delete(reference)
    await expect(content.read(19_000_000, 3)).rejects.toMatchObject({ code: 'not-found' })
    await content.close()
  })

  test('keeps the line index of an entry that is used, and removes it with the entry', async () => {
    const driver = driverOn(new Disk())
    await driver.write('log', streamOf(bytes('content')), INFO, () => 'an index')
    const infos = async (): Promise<readonly (EntryInfo | undefined)[]> => [
      await driver.stat('log'),
      (await driver.read('log'))?.info,
    ]
    for (const info of await infos()) expect(info).toMatchObject({ size: 7, lineIndex: 'an index' })
    await driver.touch('log', 1_000)
    for (const info of await infos()) expect(info).toMatchObject({ lineIndex: 'an index' })
    await driver.remove('log')
    await driver.write('log', streamOf(bytes('content')), INFO, () => undefined)
    expect(await driver.stat('log')).not.toHaveProperty('lineIndex')
  })
})
