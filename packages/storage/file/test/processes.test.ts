import { isSoakContent, OrderedProcess, soakContent } from '@spillway-internal/storage-suite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FileStorage } from '../src/index.ts'
import { fileBackend } from './soak-backend.ts'
import { listFiles } from './support/list-files.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

describe('several processes in one directory', () => {
  let processes: OrderedProcess[]
  beforeAll(async () => {
    const { module } = fileBackend('')
    processes = await Promise.all(Array.from({ length: 3 }, () => OrderedProcess.start(module)))
  })
  afterAll(() => {
    for (const one of processes) one.kill()
  })

  it('create each entry exactly once, and all find it', async () => {
    const directory = await temporaryDirectory()
    const count = 60
    const { config } = fileBackend(directory)
    const stored = (await Promise.all(processes.map((one) => one.store(config, count)))).flat()
    const created = stored.filter((one) => one.created).map(({ reference }) => reference)
    expect(stored).toHaveLength(processes.length * count)
    expect(created).toHaveLength(count)
    expect(new Set(created).size).toBe(count)
    const storage = new FileStorage(directory).scope('shared')
    for await (const { reference, key } of storage.list())
      expect(isSoakContent(key, await storage.retrieve(reference))).toBe(true)
    expect(await listFiles(directory)).toHaveLength(2 * count + 1)
  })

  it('never lose an entry that one process stores again while another evicts it', async () => {
    const directory = await temporaryDirectory()
    const count = 150
    const longAgo = Date.now() - 3_600_000
    const old = new FileStorage({ directory, now: () => longAgo }).scope('shared')
    for (let index = 0; index < count; index += 1) {
      const { content, contentType } = soakContent(`key ${index}`)
      await old.store(`key ${index}`, content, contentType)
    }
    const [writer, evictor] = processes as [OrderedProcess, OrderedProcess]
    const { config } = fileBackend(directory)
    await evictor.startEvicting(config, longAgo)
    const stored = await writer.store(config, count)
    await evictor.stopEvicting()
    expect(stored).toHaveLength(count)
    const storage = new FileStorage(directory).scope('shared')
    for (const { reference } of stored) {
      const { key } = await storage.stat(reference)
      expect(isSoakContent(key, await storage.retrieve(reference))).toBe(true)
    }
    expect(await listFiles(directory)).toHaveLength(2 * count + 1)
  })
})
