import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { ended, isSoakContent, soakContent, startScript } from '@spillway-internal/storage-testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FileStorage } from '../src/index.ts'
import { listFiles } from './support/list-files.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

/** Start a script, and wait until it says that it is ready. */
async function ready(name: string, parameters: string[], onLine: (line: string) => void): Promise<ChildProcess> {
  return new Promise((resolve) => {
    const script = new URL(`./scripts/${name}`, import.meta.url)
    const child = startScript(script, parameters, (line) => (line === 'ready' ? resolve(child) : onLine(line)))
    onTestFinished(() => void child.kill('SIGKILL'))
  })
}

describe('several processes in one directory', () => {
  test('create each entry once between them, and all find it', { timeout: 60_000 }, async () => {
    const directory = await temporaryDirectory()
    const count = 60
    const created = new Map<string, number>()
    const onLine = (line: string): void => {
      const [reference = '', isCreated] = line.split(' ')
      created.set(reference, (created.get(reference) ?? 0) + (isCreated === 'true' ? 1 : 0))
    }
    const writers = await Promise.all(
      Array.from({ length: 4 }, () => ready('store-keys.ts', [directory, String(count)], onLine)),
    )
    for (const writer of writers) writer.stdin?.write('go\n')
    for (const writer of writers) expect(await ended(writer)).toBe(0)
    expect([...created.values()]).toEqual(Array.from({ length: count }, () => 1))
    const storage = new FileStorage(directory).scope('shared')
    for await (const { reference, key } of storage.list())
      expect(isSoakContent(key, await storage.retrieve(reference))).toBe(true)
    expect(await listFiles(directory)).toHaveLength(2 * count + 1)
  })

  test('never lose what one stores again to another that evicts it', { timeout: 60_000 }, async () => {
    const directory = await temporaryDirectory()
    const count = 150
    const longAgo = Date.now() - 3_600_000
    const old = new FileStorage({ directory, now: () => longAgo }).scope('shared')
    for (let index = 0; index < count; index += 1) {
      const { content, contentType } = soakContent(`key ${index}`)
      await old.store(`key ${index}`, content, contentType)
    }
    const stored: string[] = []
    const onLine = (line: string): void => void stored.push(line.split(' ')[0] ?? '')
    const writer = await ready('store-keys.ts', [directory, String(count)], onLine)
    const evicted: string[] = []
    const starting = ready('evict-unused.ts', [directory, String(longAgo)], (line) => evicted.push(line))
    await delay(100)
    writer.stdin?.write('go\n')
    expect(await ended(writer)).toBe(0)
    const evictor = await starting
    evictor.stdin?.end()
    expect(await ended(evictor)).toBe(0)
    expect(stored).toHaveLength(count)
    const storage = new FileStorage(directory).scope('shared')
    for (const reference of stored) {
      const { key } = await storage.stat(reference)
      expect(isSoakContent(key, await storage.retrieve(reference))).toBe(true)
    }
    expect(await listFiles(directory)).toHaveLength(2 * count + 1)
  })
})
