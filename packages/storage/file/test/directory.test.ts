import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FileStorage } from '../src/index.ts'
import { listFiles } from './support/list-files.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'
import { bytes, text } from './support/text.ts'

describe('the directory of a FileStorage', () => {
  test('keeps content in a plain file, and its sidecar in a separate folder', async () => {
    const directory = await temporaryDirectory()
    const session = new FileStorage(directory).scope('tenant', 'session-1')
    const log = await session.store('call_1', bytes('line\n'), 'text/plain; charset=utf-8')
    const json = await session.store('call_2', bytes('{}'), 'application/json')
    const image = await session.store('call_3', bytes('PNG'), 'image/png')
    expect(await listFiles(directory)).toEqual(
      [
        '.gitignore',
        `.metadata/tenant/session-1/${log}.metadata.json`,
        `.metadata/tenant/session-1/${json}.metadata.json`,
        `.metadata/tenant/session-1/${image}.metadata.json`,
        `tenant/session-1/${log}.txt`,
        `tenant/session-1/${json}.json`,
        `tenant/session-1/${image}.png`,
      ].sort(),
    )
    expect(await readFile(join(directory, 'tenant/session-1', `${log}.txt`), 'utf8')).toBe('line\n')
  })

  test('lets grep find content and nothing else', async () => {
    const directory = await temporaryDirectory()
    const session = new FileStorage(directory).scope('tenant')
    const reference = await session.store('needle_call', bytes('hay\nneedle here\n'), 'text/plain', {
      metadata: { tool: 'needle' },
    })
    await session.store('other', bytes('hay\n'))
    const found = execFileSync('grep', ['-rn', 'needle', join(directory, 'tenant')], { encoding: 'utf8' })
    expect(found).toBe(`${directory}/tenant/${reference}.txt:2:needle here\n`)
  })

  test('is closed to other users and to git', async () => {
    const directory = await temporaryDirectory()
    await new FileStorage(directory).scope('tenant').store('key', bytes('secret'))
    for (const path of ['', '.metadata', '.metadata/tenant', 'tenant'])
      expect((await stat(join(directory, path))).mode & 0o777).toBe(0o700)
    for (const path of await listFiles(directory)) expect((await stat(join(directory, path))).mode & 0o777).toBe(0o600)
    expect(await readFile(join(directory, '.gitignore'), 'utf8')).toBe('*\n')
  })

  test('does not change an existing directory', async () => {
    const directory = await temporaryDirectory()
    await mkdir(directory)
    await chmod(directory, 0o755)
    await new FileStorage(directory).store('key', bytes('content'))
    expect((await stat(directory)).mode & 0o777).toBe(0o755)
    expect(await readdir(directory)).not.toContain('.gitignore')
  })

  test('is created with its parents at the first use, and not before', async () => {
    const directory = join(await temporaryDirectory(), 'a', 'b')
    const storage = new FileStorage(directory)
    await expect(storage.retrieve('nothing')).rejects.toMatchObject({ code: 'not-found' })
    for await (const entry of storage.list()) expect(entry).toBe('nothing is listed')
    expect(await storage.clear()).toBe(0)
    expect(await storage.gc()).toEqual({ expired: 0, leftovers: 0, bytes: 0 })
    await storage.delete('nothing')
    await expect(stat(directory)).rejects.toMatchObject({ code: 'ENOENT' })
    await storage.store('key', bytes('content'))
    expect((await stat(directory)).isDirectory()).toBe(true)
  })

  test.each<[string, (directory: string) => Promise<void>]>([
    ['removed', (directory) => rm(directory, { recursive: true })],
    ['moved away', (directory) => rename(directory, `${directory}.aside`)],
    [
      'removed and created again by another storage',
      async (directory) => {
        await rm(directory, { recursive: true })
        await new FileStorage(directory).store('key', bytes('other'))
      },
    ],
    [
      'replaced by the directory of another storage',
      async (directory) => {
        await new FileStorage(`${directory}.other`).store('key', bytes('other'))
        await rename(directory, `${directory}.aside`)
        await rename(`${directory}.other`, directory)
      },
    ],
    [
      'emptied',
      async (directory) => {
        await rm(directory, { recursive: true })
        await mkdir(directory)
      },
    ],
    [
      'replaced by a file',
      async (directory) => {
        await rm(directory, { recursive: true })
        await writeFile(directory, '')
      },
    ],
  ])('is reported as unavailable, and no entry as missing, if it was %s during use', async (_, replace) => {
    const directory = await temporaryDirectory()
    const storage = new FileStorage(directory)
    const reader = new FileStorage(directory)
    const reference = await storage.store('key', bytes('content'))
    const scoped = await storage.scope('a').store('key', bytes('content'))
    await reader.retrieve(reference)
    await replace(directory)
    for (const use of [
      () => storage.retrieve(reference),
      () => reader.retrieve(reference),
      () => storage.stat(reference),
      () => storage.scope('a').retrieve(scoped),
      () => storage.open(reference).then((content) => content.read(0, 1)),
      () => storage.retrieve('call_9_abcdefghijklmnopqrst'),
      () => storage.store('key', bytes('content')),
      () => storage.scope('b').store('large', new Uint8Array(1_000_000)),
      () => storage.delete(reference),
      () => storage.clear(),
      () => storage.gc(),
      () => Array.fromAsync(storage.list()),
    ])
      await expect(use()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining(directory) })
  })

  test('has all entries if it is moved away and back', async () => {
    const directory = await temporaryDirectory()
    const storage = new FileStorage(directory)
    const reference = await storage.store('key', bytes('content'))
    await rename(directory, `${directory}.aside`)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'unavailable' })
    await rename(`${directory}.aside`, directory)
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
    await storage.store('other', bytes('content'))
  })

  test("has no remains of deleted entries or of their scope's folders", async () => {
    const directory = await temporaryDirectory()
    const storage = new FileStorage(directory)
    const session = storage.scope('tenant', 'session')
    const reference = await session.store('key', bytes('content'))
    await storage.scope('other').store('key', bytes('content'))
    await session.delete(reference)
    expect(await listFiles(directory)).toHaveLength(3)
    expect((await readdir(directory)).sort()).toEqual(['.gitignore', '.metadata', 'other'])
    expect(await storage.clear()).toBe(1)
    expect(await listFiles(directory)).toEqual(['.gitignore'])
    expect(await readdir(join(directory, '.metadata'))).toEqual(['.root'])
  })
})
