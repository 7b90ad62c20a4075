import type { ChildProcess } from 'node:child_process'
import { ended, isSoakContent, soakContent, startScript } from '@spillway-internal/storage-testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { inDatabase } from './support/in-database.ts'
import { opened } from './support/opened.ts'
import { temporaryPath } from './support/temporary-path.ts'

/** Start a script, and wait until it says that it is ready. */
async function ready(name: string, parameters: string[], onLine: (line: string) => void): Promise<ChildProcess> {
  const script = new URL(`./scripts/${name}`, import.meta.url)
  return new Promise((resolve) => {
    const child = startScript(script, parameters, (line) => (line === 'ready' ? resolve(child) : onLine(line)))
    onTestFinished(() => void child.kill('SIGKILL'))
  })
}

const COUNT = 60

describe('several processes on one file', () => {
  test(
    'that none of them has made yet create each entry once between them, and all find it',
    { timeout: 60_000 },
    async () => {
      const path = await temporaryPath()
      const created = new Map<string, number>()
      const onLine = (line: string): void => {
        const [reference = '', isCreated] = line.split(' ')
        created.set(reference, (created.get(reference) ?? 0) + (isCreated === 'true' ? 1 : 0))
      }
      const writers = await Promise.all(
        Array.from({ length: 3 }, () => ready('store-keys.ts', [path, String(COUNT)], onLine)),
      )
      for (const writer of writers) writer.stdin?.write('go\n')
      for (const writer of writers) expect(await ended(writer)).toBe(0)
      expect([...created.values()]).toEqual(Array.from({ length: COUNT }, () => 1))
      const storage = opened(path).scope('shared')
      for await (const { reference, key } of storage.list())
        expect(isSoakContent(key, await storage.retrieve(reference))).toBe(true)
      const contents = inDatabase(path, (database) =>
        database.prepare('SELECT count(DISTINCT content) FROM spillway_entry').pluck().get(),
      )
      expect(contents).toBe(COUNT)
    },
  )

  test('never lose what one stores again to another that evicts it', { timeout: 60_000 }, async () => {
    const path = await temporaryPath()
    const longAgo = Date.now() - 3_600_000
    const old = opened({ path, now: () => longAgo }).scope('shared')
    for (let index = 0; index < COUNT; index += 1) {
      const { content, contentType } = soakContent(`key ${index}`)
      await old.store(`key ${index}`, content, contentType)
    }
    const stored: string[] = []
    const writer = await ready('store-keys.ts', [path, String(COUNT)], (line) => stored.push(line.split(' ')[0] ?? ''))
    const starting = ready('evict-unused.ts', [path, String(longAgo)], () => {})
    writer.stdin?.write('go\n')
    expect(await ended(writer)).toBe(0)
    const evictor = await starting
    evictor.stdin?.end()
    expect(await ended(evictor)).toBe(0)
    expect(stored).toHaveLength(COUNT)
    const storage = opened(path).scope('shared')
    for (const reference of stored) {
      const { key } = await storage.stat(reference)
      expect(isSoakContent(key, await storage.retrieve(reference))).toBe(true)
    }
  })
})
