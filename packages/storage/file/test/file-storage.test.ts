import { execFileSync } from 'node:child_process'
import { mkdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FileStorage, NodeFileSystem, type FileStorageOptions } from '../src/index.ts'
import { listFiles } from './support/list-files.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'
import { bytes, streamOf, text } from './support/text.ts'

describe('FileStorage', () => {
  test('resolves its default directory ./artifacts only once', async () => {
    const before = process.cwd()
    onTestFinished(() => process.chdir(before))
    const directory = dirname(await temporaryDirectory())
    process.chdir(directory)
    const storage = new FileStorage()
    const reference = await storage.store('key', bytes('content'))
    process.chdir('/')
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
    expect(text((await new FileStorage(`${directory}/artifacts`).retrieve(reference)).content)).toBe('content')
    expect(storage.locate?.(reference)?.address).toBe(`${directory}/artifacts/${reference}.txt`)
  })

  test('refuses a URL instead of using the default directory', () => {
    expect(() => new FileStorage(new URL('file:///tmp') as FileStorageOptions)).toThrow('got a URL')
  })

  test('takes options after a directory', async () => {
    const directory = await temporaryDirectory()
    const storage = new FileStorage(directory, { now: () => 1_000 })
    const { storedAt } = await storage.stat(await storage.store('a', bytes('a')))
    expect(storedAt).toBe(1_000)
    expect(() => new FileStorage(directory, { tllMs: 1 } as FileStorageOptions)).toThrow('Unknown option "tllMs"')
  })

  test('keeps content, content types and metadata after reopening', async () => {
    const directory = await temporaryDirectory()
    const types = ['text/plain', 'text/csv; charset=utf-8; header=present', 'application/x-made-up', 'IMAGE/PNG']
    const first = new FileStorage(directory).scope('Tenant@example.com')
    const references = await Promise.all(
      types.map((type) => first.store(`of ${type}`, bytes(type), type, { metadata: { tool: type } })),
    )
    const second = new FileStorage(directory).scope('Tenant@example.com')
    for (const [index, type] of types.entries()) {
      const reference = references[index] ?? ''
      expect(await second.retrieve(reference)).toEqual({ content: bytes(type), contentType: type })
      expect(await second.stat(reference)).toMatchObject({ key: `of ${type}`, metadata: { tool: type } })
    }
  })

  test('returns any bytes, and any range of them, as stored', async () => {
    const storage = new FileStorage(await temporaryDirectory())
    const content = fc.uint8Array({ maxLength: 500 })
    await fc.assert(
      fc.asyncProperty(content, fc.nat(600), fc.nat(600), fc.string(), async (bytes, offset, length, key) => {
        const reference = await storage.store(key, bytes, 'application/octet-stream')
        expect((await storage.retrieve(reference)).content).toEqual(bytes)
        const part = await storage.retrieveRange(reference, { offset, length })
        expect(part.content).toEqual(bytes.slice(offset, offset + length))
        expect(part.size).toBe(bytes.length)
      }),
      { numRuns: 50 },
    )
  })

  test('stores a stream without holding it in memory', async () => {
    const directory = await temporaryDirectory()
    const storage = new FileStorage(directory)
    const megabyte = new Uint8Array(1024 * 1024).fill(97)
    const reference = await storage.storeStream('big', streamOf(...Array.from({ length: 40 }, () => megabyte)))
    expect(await storage.stat(reference)).toMatchObject({ size: 40 * 1024 * 1024 })
    const end = await storage.retrieveRange(reference, { offset: 40 * 1024 * 1024 - 3, length: 100 })
    expect(text(end.content)).toBe('aaa')
    expect(await listFiles(directory)).toHaveLength(3)
  })

  test("leaves no files of a stream that fails, and rejects with the stream's error", async () => {
    const directory = await temporaryDirectory()
    const storage = new FileStorage(directory)
    const failure = Object.assign(new Error('the source is gone'), { code: 'ENOENT' })
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield bytes('some')
      throw failure
    }
    await expect(storage.storeStream('stream', failing())).rejects.toBe(failure)
    expect(await listFiles(directory)).toEqual(['.gitignore'])
  })

  test('keeps one entry if equal content is stored again, and updates its last use', async () => {
    const directory = await temporaryDirectory()
    let now = 1_000_000
    const storage = new FileStorage({ directory, now: () => now })
    const reference = await storage.store('key', bytes('content'))
    now = 2_000_123
    const created: boolean[] = []
    const onStored = (receipt: { created: boolean }): number => created.push(receipt.created)
    expect(await storage.store('key', bytes('content'), 'text/plain', { onStored })).toBe(reference)
    expect(created).toEqual([false])
    expect(await storage.stat(reference)).toMatchObject({ storedAt: 1_000_000, lastUsedAt: 2_000_123 })
    expect(await listFiles(directory)).toHaveLength(3)
  })

  test('separates similar scopes in retrieve, list and clear', async () => {
    const storage = new FileStorage(await temporaryDirectory())
    const names = ['foo', 'foobar', 'Foo', 'foo_', 'foo.', 'FOO', 'foo/bar', '..', '.metadata', 'foo-bar']
    const references = new Map<string, string>()
    for (const name of names) references.set(name, await storage.scope(name).store('key', bytes(name)))
    await storage.scope('foo', 'bar').store('key', bytes('below foo'))
    for (const name of names)
      for (const [owner, reference] of references) {
        const found = await storage
          .scope(name)
          .retrieve(reference)
          .catch((error: unknown) => error)
        if (name === owner) expect(text((found as { content: Uint8Array }).content)).toBe(name)
        else expect(found).toMatchObject({ code: 'not-found' })
      }
    expect(await storage.scope('foo').clear()).toBe(2)
    const left: string[] = []
    for await (const { size } of storage.list()) left.push(String(size))
    expect(left).toHaveLength(names.length - 1)
  })

  test('reports an eviction with its reason, even after reopening, until the entry is stored again', async () => {
    const directory = await temporaryDirectory()
    let now = 1_000_000
    const options: FileStorageOptions = { directory, ttlMs: 1_000, now: () => now }
    const reference = await new FileStorage(options).store('key', bytes('content'), 'text/plain', {
      metadata: { tool: 'read_log' },
    })
    now += 1_000
    expect(await new FileStorage(options).gc()).toEqual({ expired: 1, leftovers: 0, bytes: 7 })
    await expect(new FileStorage(options).retrieve(reference)).rejects.toMatchObject({
      code: 'evicted',
      eviction: { reason: 'age', evictedAt: now, metadata: { tool: 'read_log' } },
    })
    expect(await listFiles(directory)).toEqual(['.gitignore', `.metadata/.evicted/${reference}.json`])
    await new FileStorage(options).store('key', bytes('content'), 'text/plain')
    expect(text((await new FileStorage(options).retrieve(reference)).content)).toBe('content')
    await new FileStorage(options).delete(reference)
    await expect(new FileStorage(options).retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
    expect(await listFiles(directory)).toEqual(['.gitignore'])
  })

  test('forgets an eviction if the entry is deleted', async () => {
    const directory = await temporaryDirectory()
    let now = 1_000_000
    const storage = new FileStorage({ directory, ttlMs: 1_000, now: () => now })
    const reference = await storage.store('key', bytes('content'))
    now += 1_000
    await storage.gc()
    await storage.delete(reference)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
    expect(await listFiles(directory)).toEqual(['.gitignore'])
  })

  test('evicts the least recently used entries over maxBytes first', async () => {
    const storage = new FileStorage({ directory: await temporaryDirectory(), maxBytes: 100 })
    const first = await storage.store('first', new Uint8Array(40))
    const second = await storage.store('second', new Uint8Array(40))
    await storage.store('first', new Uint8Array(40))
    await storage.store('third', new Uint8Array(40))
    await expect(storage.retrieve(second)).rejects.toMatchObject({ code: 'evicted', eviction: { reason: 'quota' } })
    expect((await storage.retrieve(first)).content).toHaveLength(40)
  })

  test('locates an entry with a quoted command that prints the content', async () => {
    const directory = join(await temporaryDirectory(), `it's "here" $HOME`)
    const storage = new FileStorage(directory).scope('$(touch pwned)')
    const reference = await storage.store('key', bytes('content\n'))
    const location = storage.locate?.(reference)
    expect(execFileSync('sh', ['-c', location?.command ?? 'false'], { encoding: 'utf8' })).toBe('content\n')
    expect(await readFile(location?.address ?? '', 'utf8')).toBe('content\n')
  })

  test('can be reached through a symbolic link', async () => {
    const directory = await temporaryDirectory()
    await mkdir(`${directory}-real`)
    await symlink(`${directory}-real`, directory)
    const storage = new FileStorage(directory).scope('a')
    const reference = await storage.store('key', bytes('content'))
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
  })

  test('lists more entries than a directory buffer holds, and skips other files', async () => {
    const directory = await temporaryDirectory()
    const storage = new FileStorage(directory).scope('many')
    const keys = Array.from({ length: 600 }, (_, index) => `key ${index}`)
    const stored = new Set(await Promise.all(keys.map((key) => storage.store(key, bytes(key)))))
    await writeFile(join(directory, '.metadata/many/readme.md'), 'not ours')
    await writeFile(join(directory, '.metadata/many/UPPER.metadata.json'), '{}')
    await writeFile(join(directory, 'many/notes.txt'), 'not ours')
    const listed = new Set<string>()
    for await (const { reference } of storage.list()) listed.add(reference)
    expect(listed).toEqual(stored)
    await utimes(join(directory, 'many/notes.txt'), 0, 0)
    await storage.gc()
    expect(await storage.clear()).toBe(600)
    expect(await readFile(join(directory, 'many/notes.txt'), 'utf8')).toBe('not ours')
  })

  test.each([
    [7, 'an object of options'],
    [null, 'an object of options'],
    ['', 'directory'],
    ['a\0b', 'directory'],
    [{ directory: 7 }, 'directory'],
    [{ directory: '' }, 'directory'],
    ['file:./a', 'no URL'],
    ['~/a', 'no ~'],
    [{ fsync: 'yes' }, 'fsync'],
    [{ fileSystem: {} }, 'fileSystem'],
    [{ fileSystem: withoutSync(), fsync: true }, 'fsync'],
    [{ ttlMs: -1 }, 'ttlMs'],
    [{ maxBytes: 0 }, 'maxBytes'],
    [{ evictAfterTurns: 0 }, 'evictAfterTurns'],
    [{ artifactDir: './artifacts' }, 'artifactDir'],
  ])('refuses %j and names the option', (options, name) => {
    expect(() => new FileStorage(options as FileStorageOptions)).toThrow(TypeError)
    expect(() => new FileStorage(options as FileStorageOptions)).toThrow(name)
  })

  test('with fsync, flushes content before its sidecar, and both before the store resolves', async () => {
    const directory = await temporaryDirectory()
    const steps: string[] = []
    const fileSystem = new NodeFileSystem()
    const { sync, link } = fileSystem
    fileSystem.sync = (path) => (steps.push(`sync ${short(path)}`), sync.call(fileSystem, path))
    fileSystem.link = (from, to) => (steps.push(`link ${short(to)}`), link.call(fileSystem, from, to))
    const short = (path: string): string => path.slice(directory.length).replace(/\/key_\w+(\.[0-9a-f]{16})?/, '/*')
    const storage = new FileStorage({ directory, fileSystem, fsync: true }).scope('a')
    const reference = await storage.store('key', bytes('content'))
    expect(steps.slice(steps.indexOf('sync /.metadata/a/*.content'))).toEqual([
      'sync /.metadata/a/*.content',
      'sync /.metadata/a/*.sidecar',
      'link /a/*.txt',
      'sync /a',
      'link /.metadata/a/*.metadata.json',
      'sync /a/*.txt',
      'sync /a',
      'sync /.metadata/a/*.metadata.json',
      'sync /.metadata/a',
    ])
    steps.length = 0
    expect(await storage.store('key', bytes('content'))).toBe(reference)
    expect(steps).toContain('sync /.metadata/a')
  })

  test('with fsync, flushes the names of the folders that it creates', async () => {
    const directory = await temporaryDirectory()
    await mkdir(directory)
    const synced: string[] = []
    const fileSystem = new NodeFileSystem()
    const { sync } = fileSystem
    fileSystem.sync = (path) => (synced.push(path.slice(directory.length)), sync.call(fileSystem, path))
    const storage = new FileStorage({ directory: join(directory, 'deep/artifacts'), fileSystem, fsync: true })
    await storage.scope('a', 'b').store('key', bytes('content'))
    const root = '/deep/artifacts'
    for (const folder of ['', '/deep', root, `${root}/a`, `${root}/.metadata`, `${root}/.metadata/a`])
      expect(synced).toContain(folder)
  })
})

function withoutSync(): object {
  return Object.assign(Object.create(NodeFileSystem.prototype) as object, { sync: undefined })
}
