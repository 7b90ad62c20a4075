import { mkdir, readdir, readFile, rename, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { TRIM_EVERY } from '../src/collector.ts'
import { FileStorage, NodeFileSystem } from '../src/index.ts'
import { listFiles } from './support/list-files.ts'
import { driverOn } from './support/one-entry.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'
import { bytes, streamOf, text } from './support/text.ts'

const NONCE = '0123456789abcdef'
const LONG_AGO = new Date(Date.now() - 3_600_000)

async function stored(): Promise<{
  readonly storage: FileStorage
  readonly directory: string
  readonly reference: string
  readonly content: string
  readonly sidecar: string
}> {
  const directory = await temporaryDirectory()
  const storage = new FileStorage(directory)
  const reference = await storage.store('key', bytes('content'), 'text/plain', { metadata: { tool: 'read_log' } })
  const sidecar = join(directory, '.metadata', `${reference}.metadata.json`)
  return { storage, directory, reference, content: join(directory, `${reference}.txt`), sidecar }
}

describe('a damaged entry', () => {
  test.each([
    ['an empty sidecar', ''],
    ['a truncated sidecar', '{"version":1,"key":"k'],
    ['a sidecar with another structure', '{"name":"left-pad"}'],
    ['a list', '[]'],
    [
      'an extension that leads to another folder',
      '{"version":1,"key":"k","contentType":"text/plain","extension":".txt/../../x","size":7,"storedAt":1,"metadata":{}}',
    ],
    [
      'a negative size',
      '{"version":1,"key":"k","contentType":"text/plain","extension":".txt","size":-1,"storedAt":1,"metadata":{}}',
    ],
  ])('is corrupt, listed, and repaired by storing it again if it has %s', async (_name, damage) => {
    const { storage, reference, sidecar, directory } = await stored()
    await writeFile(sidecar, damage)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'corrupt', reference })
    await expect(storage.stat(reference)).rejects.toMatchObject({ code: 'corrupt', reference })
    const listed: string[] = []
    for await (const entry of storage.list()) listed.push(entry.reference)
    expect(listed).toEqual([reference])
    expect(await storage.store('key', bytes('content'))).toBe(reference)
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
    expect(await listFiles(directory)).toHaveLength(3)
  })

  test('can be deleted completely if its sidecar is damaged', async () => {
    const { storage, reference, sidecar, directory } = await stored()
    await writeFile(sidecar, 'damage')
    await storage.delete(reference)
    expect(await listFiles(directory)).toEqual(['.gitignore'])
  })

  test.each([
    ['cut', (path: string) => truncate(path, 3)],
    ['extended', (path: string) => writeFile(path, 'content and more')],
    ['deleted by hand', (path: string) => rm(path)],
  ])('is corrupt, and repaired by storing it again, if its content was %s', async (_name, damage) => {
    const { storage, reference, content } = await stored()
    await damage(content)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'corrupt', reference })
    await expect(storage.retrieveRange(reference, { offset: 0, length: 1 })).rejects.toMatchObject({ code: 'corrupt' })
    expect(await storage.store('key', bytes('content'))).toBe(reference)
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
  })
})

describe('gc', () => {
  test('removes unfinished files of a killed writer, and keeps the files of a running writer', async () => {
    const { storage, directory, reference } = await stored()
    const folder = join(directory, '.metadata')
    await writeFile(join(folder, `dead_abc.${NONCE}.content`), 'torn')
    await utimes(join(folder, `dead_abc.${NONCE}.content`), LONG_AGO, LONG_AGO)
    await writeFile(join(folder, `dead_abc.${NONCE}.sidecar`), '{"version":1,"key":"to')
    await utimes(join(folder, `dead_abc.${NONCE}.sidecar`), LONG_AGO, LONG_AGO)
    await writeFile(join(folder, `alive_abc.${NONCE}.content`), 'growing')
    await writeFile(join(folder, `alive_abc.${NONCE}.sidecar`), '{}')
    await utimes(join(folder, `alive_abc.${NONCE}.sidecar`), 1, 1)
    expect(await storage.gc()).toMatchObject({ expired: 0, leftovers: 2 })
    expect((await readdir(folder)).sort()).toEqual([
      '.root',
      `alive_abc.${NONCE}.content`,
      `alive_abc.${NONCE}.sidecar`,
      `${reference}.metadata.json`,
    ])
  })

  test('ignores a stream that pauses before its first byte', async () => {
    const directory = await temporaryDirectory()
    const storage = new FileStorage({ directory, fileSystem: new NodeFileSystem() })
    const goOn = Promise.withResolvers<void>()
    const pauses = Promise.withResolvers<void>()
    async function* pausing(): AsyncGenerator<Uint8Array> {
      yield bytes('one ')
      pauses.resolve()
      await goOn.promise
      yield bytes('two')
    }
    const storing = storage.storeStream('stream', pausing())
    await pauses.promise
    await storage.store('meanwhile', bytes('content'))
    expect((await readdir(join(directory, '.metadata'))).filter((name) => name.startsWith('stream'))).toEqual([])
    goOn.resolve()
    expect(text((await storage.retrieve(await storing)).content)).toBe('one two')
  })

  test('removes content that a killed writer left without a sidecar', async () => {
    const { storage, directory, reference, content, sidecar } = await stored()
    const pending = join(directory, '.metadata', `${reference}.${NONCE}`)
    await rename(sidecar, `${pending}.sidecar`)
    await writeFile(`${pending}.content`, 'content')
    await utimes(`${pending}.content`, LONG_AGO, LONG_AGO)
    await utimes(`${pending}.sidecar`, LONG_AGO, LONG_AGO)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
    expect(await storage.gc()).toMatchObject({ leftovers: 2 })
    await expect(stat(content)).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await listFiles(directory)).toEqual(['.gitignore'])
  })

  test('keeps the pending files of content without a sidecar while another process works on the entry', async () => {
    const { storage, directory, reference, content, sidecar } = await stored()
    const pending = join(directory, '.metadata', `${reference}.${NONCE}`)
    const removal = join(directory, '.metadata', `${reference}.removal`)
    await rename(sidecar, `${pending}.sidecar`)
    await writeFile(`${pending}.content`, 'content')
    await utimes(`${pending}.content`, LONG_AGO, LONG_AGO)
    await mkdir(removal)
    expect(await storage.gc()).toMatchObject({ leftovers: 0 })
    expect((await stat(content)).isFile()).toBe(true)
    await utimes(removal, LONG_AGO, LONG_AGO)
    await storage.gc()
    expect(await listFiles(directory)).toEqual(['.gitignore'])
  })

  test('restores files that a killed remover had moved away', async () => {
    const { storage, directory, reference, content, sidecar } = await stored()
    const removal = join(directory, '.metadata', `${reference}.removal`)
    await mkdir(removal)
    await rename(sidecar, join(removal, `${NONCE}.sidecar`))
    await rename(content, join(removal, `${NONCE}.content`))
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
    await utimes(removal, LONG_AGO, LONG_AGO)
    expect(await storage.gc()).toEqual({ expired: 0, leftovers: 1, bytes: 0 })
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
    expect(await listFiles(directory)).toHaveLength(3)
  })

  test('is not needed to restore an entry, because a reader restores it as soon as that is safe', async () => {
    const { storage, directory, reference, content, sidecar } = await stored()
    const removal = join(directory, '.metadata', `${reference}.removal`)
    await mkdir(removal)
    await rename(sidecar, join(removal, `${NONCE}.sidecar`))
    await rename(content, join(removal, `${NONCE}.content`))
    await utimes(removal, LONG_AGO, LONG_AGO)
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
    expect(await listFiles(directory)).toHaveLength(3)
  })

  test('keeps leftovers in other scopes if it runs for one scope', async () => {
    const { storage, directory } = await stored()
    for (const scope of ['a', 'ab']) {
      await storage.scope(scope).store('key', bytes('content'))
      const leftover = join(directory, '.metadata', scope, `dead_abc.${NONCE}.content`)
      await writeFile(leftover, 'torn')
      await utimes(leftover, LONG_AGO, LONG_AGO)
    }
    expect(await storage.scope('a').gc()).toEqual({ expired: 0, leftovers: 1, bytes: 4 })
    expect(await storage.gc()).toEqual({ expired: 0, leftovers: 1, bytes: 4 })
  })

  test('removes the empty folders that a killed remover left', async () => {
    const { storage, directory } = await stored()
    await mkdir(join(directory, '.metadata/empty/scope'), { recursive: true })
    await mkdir(join(directory, 'empty/scope'), { recursive: true })
    await storage.gc()
    expect((await readdir(directory)).filter((name) => name === 'empty')).toEqual([])
    expect((await readdir(join(directory, '.metadata'))).filter((name) => name === 'empty')).toEqual([])
  })
})

describe('tombstones', () => {
  test('are limited in number and age', async () => {
    const directory = await temporaryDirectory()
    const driver = driverOn(new NodeFileSystem(), directory)
    const folder = join(directory, '.metadata/.evicted/a')
    const id = (index: number): string => `a/key_${index}`
    const info = { key: 'key', contentType: 'text/plain', storedAt: 1, lastUsedAt: 1, metadata: {} }
    await driver.write(id(0), streamOf(bytes('content')), info)
    await mkdir(folder, { recursive: true })
    const record = JSON.stringify({ version: 1, reason: 'age', evictedAt: 1, metadata: {} })
    const start = Date.now() - 60_000
    for (let index = 1; index <= 2_500; index += 1) {
      await writeFile(join(folder, `key_${index}.json`), record)
      await utimes(join(folder, `key_${index}.json`), new Date(start + index), new Date(start + index))
    }
    await driver.collect('a/', Date.now())
    expect(await readdir(folder)).toHaveLength(1_000)
    expect(await driver.findEviction(id(2_500))).toMatchObject({ reason: 'age' })
    expect(await driver.findEviction(id(1_500))).toBeUndefined()
    for (let index = 0; index < TRIM_EVERY; index += 1) {
      await driver.write(id(index), streamOf(bytes('content')), info)
      await driver.evict(id(index), 1, { reason: 'age', evictedAt: Date.now(), metadata: {} })
    }
    expect((await readdir(folder)).length).toBeLessThan(1_000 + TRIM_EVERY)
    await driver.write(id(0), streamOf(bytes('content')), info)
    await driver.collect('', Date.now() + 8 * 24 * 3_600_000)
    await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' })
    expect((await driver.read(id(0)))?.content).toEqual(bytes('content'))
  })

  test('are ignored if they are damaged', async () => {
    const { storage, directory } = await stored()
    await mkdir(join(directory, '.metadata/.evicted'))
    await writeFile(join(directory, '.metadata/.evicted/gone_abc.json'), '{"version":1,"reason":"boredom"}')
    await expect(storage.retrieve('gone_abc')).rejects.toMatchObject({ code: 'not-found' })
    expect(await readFile(join(directory, '.metadata/.evicted/gone_abc.json'), 'utf8')).toContain('boredom')
  })
})
