import { isSoakContent, OrderedProcess, soakContent } from '@spillway-internal/storage-suite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BACKEND } from './support/backend-url.ts'
import { inDatabase } from './support/in-database.ts'
import { opened } from './support/opened.ts'
import { temporaryPath } from './support/temporary-path.ts'

const COUNT = 60

describe('several processes on one file', () => {
  let processes: OrderedProcess[]
  beforeAll(async () => {
    processes = await Promise.all(Array.from({ length: 3 }, () => OrderedProcess.start(BACKEND)))
  })
  afterAll(() => {
    for (const one of processes) one.kill()
  })

  it('create the file together, store each entry exactly once, and all find it', async () => {
    const path = await temporaryPath()
    const stored = (await Promise.all(processes.map((one) => one.store({ path }, COUNT)))).flat()
    const created = stored.filter((one) => one.created).map(({ reference }) => reference)
    expect(stored).toHaveLength(processes.length * COUNT)
    expect(created).toHaveLength(COUNT)
    expect(new Set(created).size).toBe(COUNT)
    const storage = opened(path).scope('shared')
    for await (const { reference, key } of storage.list())
      expect(isSoakContent(key, await storage.retrieve(reference))).toBe(true)
    const contents = inDatabase(path, (database) =>
      database.prepare('SELECT count(DISTINCT content) FROM spillway_entry').pluck().get(),
    )
    expect(contents).toBe(COUNT)
  })

  it('never lose an entry that one process stores again while another evicts it', async () => {
    const path = await temporaryPath()
    const longAgo = Date.now() - 3_600_000
    const old = opened({ path, now: () => longAgo }).scope('shared')
    for (let index = 0; index < COUNT; index += 1) {
      const { content, contentType } = soakContent(`key ${index}`)
      await old.store(`key ${index}`, content, contentType)
    }
    const [writer, evictor] = processes as [OrderedProcess, OrderedProcess]
    await evictor.startEvicting({ path }, longAgo)
    const stored = await writer.store({ path }, COUNT)
    await evictor.stopEvicting()
    expect(stored).toHaveLength(COUNT)
    const storage = opened(path).scope('shared')
    for (const { reference } of stored) {
      const { key } = await storage.stat(reference)
      expect(isSoakContent(key, await storage.retrieve(reference))).toBe(true)
    }
  })
})
