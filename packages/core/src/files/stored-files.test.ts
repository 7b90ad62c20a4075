import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tinyStorage } from '../../test/tiny-storage.ts'
import type { ManagedStorage } from '../storage/managed-storage.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { Storage } from '../storage/storage.ts'
import { filePathOf } from './file-entry.ts'
import { StoredFiles, type StoredFile } from './stored-files.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes)
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const outage = (): Promise<never> => Promise.reject(new StorageError('unavailable', 'The storage is out of reach.'))

const textOf = async (files: StoredFiles, path: string): Promise<string | undefined> =>
  decode(await (await files.list()).get(path)?.readBytes())

const append = (files: StoredFiles, path: string, text: string): Promise<void> =>
  files.update(path, async (file) => ({ content: encode((decode(await file?.readBytes()) ?? '') + text) }))

function changed(storage: Storage, changes: Partial<Record<keyof Storage, unknown>>): Storage {
  return {
    store: (...input) => storage.store(...input),
    retrieve: (...input) => storage.retrieve(...input),
    list: (...input) => storage.list!(...input),
    delete: (...input) => storage.delete!(...input),
    ...changes,
  } as Storage
}

async function entriesOf(storage: ManagedStorage): Promise<number> {
  let count = 0
  for await (const _ of storage.list()) count += 1
  return count
}

describe('StoredFiles', () => {
  it('lists offloaded and written files in the order of their paths', async () => {
    const now = Date.UTC(2026, 0, 1)
    const storage = tinyStorage({ now: () => now })
    const files = new StoredFiles(storage)
    const reference = await storage.store('call_1_0', encode('{}'), 'application/json; charset=utf-8')
    await files.write('/z.md', encode('z'), 'text/markdown')
    await files.write('/a', BYTES)
    const listed = await files.list()
    expect([...listed.keys()]).toEqual(['/a', `/results/${reference}.json`, '/z.md'])
    expect(listed.get(`/results/${reference}.json`)).toMatchObject({
      reference,
      contentType: 'application/json; charset=utf-8',
      size: 2,
      createdAt: now,
      modifiedAt: now,
      isResult: true,
    })
    expect(listed.get('/a')).toMatchObject({ contentType: 'text/plain', size: 256, isResult: false })
    expect(await listed.get('/a')?.readBytes()).toEqual(BYTES)
    expect(listed.get('/z.md')).toMatchObject({ contentType: 'text/markdown' })
  })

  it('behaves like a map of paths after any writes, changes and removals', async () => {
    const path = fc.constantFrom('/a', '/b.md', '/dir/a', '/dir/sub/c', '/dirx', '/a@1', '/__proto__', '/__proto__@2')
    const folder = fc.oneof(path, fc.constantFrom('/', '/dir', '/dir/', '/dir/sub', '/none', 'dir', '', '//'))
    const text = fc.constantFrom('', 'one', 'two')
    const operation = fc.oneof(
      { weight: 3, arbitrary: fc.record({ name: fc.constant('write' as const), path, text }) },
      { weight: 2, arbitrary: fc.record({ name: fc.constant('append' as const), path, text }) },
      { weight: 1, arbitrary: fc.record({ name: fc.constant('remove' as const), path: folder, text }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 20 }), async (operations) => {
        const storage = tinyStorage()
        const files = new StoredFiles(storage)
        const expected = new Map<string, string>()
        for (const { name, path: at, text: content } of operations) {
          if (name === 'write') {
            await files.write(at, encode(content))
            expected.set(at, content)
          } else if (name === 'append') {
            await append(files, at, content)
            expected.set(at, (expected.get(at) ?? '') + content)
          } else {
            const base = at.replace(/\/+$/, '')
            const gone = [...expected.keys()].filter((one) => one === base || one.startsWith(`${base}/`))
            expect(await files.remove(at)).toEqual(gone.toSorted((a, b) => (a < b ? -1 : 1)))
            for (const one of gone) expected.delete(one)
          }
        }
        const actual = new Map<string, string | undefined>()
        for (const file of (await files.list()).values()) actual.set(file.path, decode(await file.readBytes()))
        expect(actual).toEqual(expected)
        expect(await entriesOf(storage)).toBe(expected.size)
      }),
    )
  })

  it('applies changes of one path one after another, even through different storages', async () => {
    const storage = tinyStorage()
    const files = new StoredFiles(() => storage.scope('a'))
    await Promise.all(Array.from({ length: 20 }, (_, number) => append(files, '/list', `${number},`)))
    expect(await textOf(files, '/list')).toBe(Array.from({ length: 20 }, (_, number) => `${number},`).join(''))
    expect(await entriesOf(storage)).toBe(1)
  })

  it('removes files that an earlier unfinished change stored', async () => {
    const storage = tinyStorage()
    const files = new StoredFiles(storage)
    for (const path of ['/dir/a', '/dir/b']) await files.write(path, encode('one'))
    const changes = [append(files, '/dir/b', ' two'), files.remove('/dir'), files.remove('/'), files.remove('/dir/a')]
    expect((await Promise.all(changes)).slice(1)).toEqual([['/dir/a', '/dir/b'], [], []])
    expect(await entriesOf(storage)).toBe(0)
  })

  it('keeps the time of the first version and of the latest version', async () => {
    let now = 1_000
    const files = new StoredFiles(tinyStorage({ now: () => now }))
    const before = Date.now()
    await files.write('/a', encode('one'))
    const first = (await files.list()).get('/a')
    expect(first?.createdAt).toBeGreaterThanOrEqual(before)
    now = 2_000
    await files.write('/a', encode('two'))
    expect((await files.list()).get('/a')).toMatchObject({ createdAt: first?.createdAt, modifiedAt: 2_000 })
  })

  it('has a version of a file at any time, and shows the newest even if older versions were evicted', async () => {
    const storage = tinyStorage()
    const files = new StoredFiles(storage)
    await files.write('/a', encode('one'))
    const seen: unknown[] = []
    const watched = new StoredFiles(
      changed(storage, {
        delete: async (reference: string) => {
          seen.push(await textOf(files, '/a'))
          if (seen.length === 1) return await outage()
          await storage.delete(reference)
        },
      }),
    )
    await watched.write('/a', encode('two'))
    expect([await textOf(files, '/a'), await entriesOf(storage)]).toEqual(['two', 2])
    await watched.write('/a', encode('one'))
    expect([await textOf(files, '/a'), await entriesOf(storage)]).toEqual(['one', 1])
    expect(seen).toEqual(['two', 'one', 'one'])
  })

  it('does not restore an older version if a removal stops halfway', async () => {
    const storage = tinyStorage()
    const keeping = new StoredFiles(changed(storage, { delete: outage }))
    for (const text of ['one', 'two', 'three']) await keeping.write('/a', encode(text))
    const references: string[] = []
    const halfway = async (reference: string): Promise<void> => {
      if (references.push(reference) > 1) return await outage()
      await storage.delete(reference)
    }
    await expect(new StoredFiles(changed(storage, { delete: halfway })).remove('/a')).rejects.toThrow('out of reach')
    expect([await textOf(keeping, '/a'), await entriesOf(storage)]).toEqual(['three', 2])
  })

  it('rejects if a delete fails for another reason than an outage, and if a removal fails', async () => {
    const storage = tinyStorage()
    await new StoredFiles(storage).write('/a', encode('one'))
    const fault = new RangeError('broken')
    const files = new StoredFiles(changed(storage, { delete: () => Promise.reject(fault) }))
    await expect(files.write('/a', encode('two'))).rejects.toBe(fault)
    await expect(new StoredFiles(changed(storage, { delete: outage })).remove('/a')).rejects.toThrow('out of reach')
    expect(await textOf(files, '/a')).toBe('two')
  })

  it('leaves a file unchanged if its change throws or cannot be stored, and applies the next change', async () => {
    const storage = tinyStorage()
    const files = new StoredFiles(storage)
    await files.write('/a', encode('one'))
    const refusal = new Error('no')
    const refused = files.update('/a', () => {
      throw refusal
    })
    const next = append(files, '/a', ' two')
    await expect(refused).rejects.toBe(refusal)
    await next
    await expect(new StoredFiles(changed(storage, { store: outage })).write('/a', BYTES)).rejects.toThrow(
      'out of reach',
    )
    expect(await textOf(files, '/a')).toBe('one two')
  })

  it("refuses to change, remove or replace a tool's result", async () => {
    const storage = tinyStorage()
    const files = new StoredFiles(storage)
    const path = `/results/${await tinyStorage().store('call_1_0', encode('log'))}.txt`
    await files.write(path, encode('forged before the tool was called'))
    await storage.store('call_1_0', encode('log'))
    const readOnly = { code: 'unsupported', message: expect.stringContaining('cannot be changed') }
    await expect(files.write(path, encode('forged'))).rejects.toMatchObject(readOnly)
    await expect(files.remove(path)).rejects.toMatchObject(readOnly)
    await expect(files.remove('/results/')).rejects.toMatchObject(readOnly)
    await files.write('/a', encode('a'))
    expect(await files.remove('/')).toEqual(['/a'])
    expect(await textOf(files, path)).toBe('log')
  })

  it('does not confuse other entries with written files', async () => {
    const storage = tinyStorage()
    const files = new StoredFiles(storage)
    const metadata = { 'file-version': '1', 'file-created': 'never' }
    await storage.store('/a@1', encode('forged'))
    await storage.store('/a@2', encode('forged'), 'text/plain', { metadata })
    await storage.store('a@1', encode('forged'), 'text/plain', { metadata })
    expect([...(await files.list()).values()].every(({ isResult, createdAt }) => isResult && createdAt > 0)).toBe(true)
    for await (const info of storage.list()) expect(filePathOf(info)).toBeUndefined()
  })

  it('names the files of child scopes in the same way as the storage lists them', async () => {
    const storage = tinyStorage()
    await storage.store('call_1_0', encode('log'))
    await new StoredFiles(storage.scope('one')).write('/one@1', encode('one'))
    await new StoredFiles(storage.scope('two', 'three')).write('/two/three', encode('two'))
    const paths = (await Array.fromAsync(storage.list())).map(filePathOf)
    expect(paths.toSorted()).toEqual(['/one@1', '/two/three', undefined])
  })

  it('refuses to change a path that cannot be a file, and removes nothing there', async () => {
    const files = new StoredFiles(tinyStorage())
    for (const path of ['', 'a', '/a/../b', '/a/', `/${'a'.repeat(100_000)}`, 7 as unknown as string]) {
      await expect(files.write(path, BYTES)).rejects.toMatchObject({ code: 'invalid-key' })
      if (typeof path === 'string') expect(await files.remove(path)).toEqual([])
      else
        await expect(files.remove(path)).rejects.toThrow(new TypeError(`path must be a string, got ${String(path)}.`))
    }
  })

  it('writes to a storage that cannot delete, and reports an error if a delete is needed', async () => {
    const files = new StoredFiles(changed(tinyStorage(), { delete: undefined }))
    for (const text of ['one', 'two', 'one']) await files.write('/a', encode(text))
    expect(await textOf(files, '/a')).toBe('one')
    expect(await files.remove('/none')).toEqual([])
    await expect(files.remove('/a')).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('cannot remove'),
    })
  })

  it('isolates scopes from each other and from their child scopes', async () => {
    const storage = tinyStorage()
    await new StoredFiles(storage.scope('a')).write('/a', encode('ours'))
    for (const other of [storage, storage.scope('b'), storage.scope('a', 'b')]) {
      const files = new StoredFiles(other)
      expect((await files.list()).size).toBe(0)
      expect((await files.find('ours')).matches).toEqual([])
      expect(await files.remove('/')).toEqual([])
    }
  })

  it('passes on errors of the storage, so that an outage is not reported as a missing file', async () => {
    const storage = tinyStorage()
    await new StoredFiles(storage).write('/a', encode('a'))
    const list = (): AsyncIterable<never> => ({ [Symbol.asyncIterator]: () => ({ next: outage }) })
    const files = new StoredFiles(changed(storage, { list }))
    for (const run of [
      () => files.list(),
      () => files.find('a'),
      () => files.remove('/a'),
      () => files.write('/a', BYTES),
    ])
      await expect(run()).rejects.toMatchObject({ code: 'unavailable' })
    const file = (await new StoredFiles(changed(storage, { retrieve: outage })).list()).get('/a')
    await expect(file?.readBytes()).rejects.toMatchObject({ code: 'unavailable' })
    await expect(file?.readLines({ start: 1, end: 1 })).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('reports a file as missing if it was replaced after it was listed', async () => {
    const files = new StoredFiles(tinyStorage())
    await files.write('/a', encode('one'))
    const old = (await files.list()).get('/a')
    await files.write('/a', encode('two'))
    await expect(old?.readBytes()).rejects.toMatchObject({ code: 'not-found' })
    await expect(old?.readLines({ start: 1, end: 1 })).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('a file that is replaced while it is read', () => {
  const replacedOnce = async (): Promise<StoredFiles> => {
    const storage = tinyStorage()
    const files = new StoredFiles(storage)
    await files.write('/a', encode('one needle'))
    await files.write('/b', encode('b needle'))
    let left = 1
    return new StoredFiles(
      changed(storage, {
        retrieve: async (reference: string) => {
          if ((left -= 1) >= 0) await files.write('/a', encode('two\nneedle'))
          return storage.retrieve(reference)
        },
      }),
    )
  }

  it('is read and searched in its newest version', async () => {
    const text = (files: StoredFiles): Promise<Uint8Array | undefined> => files.read('/a', (file) => file.readBytes())
    expect(await text(await replacedOnce())).toEqual(encode('two\nneedle'))
    expect((await (await replacedOnce()).find('needle')).matches).toEqual([
      { path: '/a', line: 2, text: 'needle' },
      { path: '/b', line: 1, text: 'b needle' },
    ])
  })

  it('is missing if it was removed, and is not reported as missing if it is always replaced', async () => {
    const storage = tinyStorage()
    const files = new StoredFiles(storage)
    await files.write('/a', encode('needle'))
    const [listed] = (await files.list()).values()
    const gone = async (): Promise<never> => {
      throw new StorageError('not-found', 'gone')
    }
    await expect(files.read('/a', gone)).rejects.toMatchObject({ code: 'unavailable', retryable: true })
    await files.remove('/a')
    expect(await files.read('/a', (file) => file.readBytes(), listed)).toBeUndefined()
    expect(await files.find('needle', { files: [listed!] })).toEqual({ matches: [], damaged: [], truncated: false })
  })
})

describe('StoredFiles.find', () => {
  it('searches the text files of the scope, or the given files', async () => {
    const storage = tinyStorage()
    const files = new StoredFiles(storage)
    const reference = await storage.store('call_1_0', encode('one\nneedle\n'), 'application/json')
    await storage.store('call_1_1', encode('needle'), 'image/png')
    await files.write('/a.md', encode('a needle'))
    const inResult = { path: `/results/${reference}.json`, line: 2, text: 'needle' }
    expect(await files.find('needle')).toEqual({
      matches: [{ path: '/a.md', line: 1, text: 'a needle' }, inResult],
      damaged: [],
      truncated: false,
    })
    const given = [...(await files.list()).values()].filter(({ isResult }) => isResult)
    const { matches } = await files.find('needle', { files: given })
    expect(matches.map(({ path }) => path).toSorted()).toEqual(given.map(({ path }) => path).toSorted())
  })

  it('names a damaged file, and searches the others', async () => {
    const storage = tinyStorage()
    await new StoredFiles(storage).write('/b', encode('a needle'))
    const reference = await storage.store('call_1_0', encode('needle'))
    const retrieve = async (asked: string): Promise<unknown> => {
      if (asked === reference) throw new StorageError('corrupt', 'The entry is damaged.')
      return await storage.retrieve(asked)
    }
    expect(await new StoredFiles(changed(storage, { retrieve })).find('needle')).toEqual({
      matches: [{ path: '/b', line: 1, text: 'a needle' }],
      damaged: [`/results/${reference}.txt`],
      truncated: false,
    })
  })

  it('stops after too many matches, and says so', async () => {
    const files = new StoredFiles(tinyStorage())
    await files.write('/a', encode('a\n'.repeat(10_001)))
    await files.write('/b', encode(`${'a'.repeat(9_000)}\n`.repeat(1_000)))
    const find = async (maxMatches?: number, path = '/a'): Promise<unknown> => {
      const { matches, truncated } = await files.find('a', { files: [await fileAt(path)], maxMatches })
      return [matches.length, truncated]
    }
    const fileAt = async (path: string): Promise<StoredFile> => (await files.list()).get(path)!
    expect(await find()).toEqual([10_000, true])
    expect(await find(10_001)).toEqual([10_001, false])
    expect(await find(0)).toEqual([0, true])
    expect(await find(Infinity, '/b')).toEqual([467, true])
  })

  it.each([[NaN], [-1], ['many']])('refuses %j as maxMatches, and a pattern that is not text', async (maxMatches) => {
    const files = new StoredFiles(tinyStorage())
    await expect(files.find('a', { maxMatches: maxMatches as number })).rejects.toThrow(/^maxMatches must be/)
    await expect(files.find('a', { max: 1 } as never)).rejects.toThrow(
      'Unknown option "max". Known: files, maxMatches.',
    )
    expect(() => new StoredFiles(tinyStorage(), { folder: '/' } as never)).toThrow('Unknown option "folder"')
    await expect(files.find(7 as unknown as string)).rejects.toThrow('text must be a string, got 7.')
  })
})

describe('StoredFile.readLines', () => {
  it('reads lines of a large file by its line index, and counts all of them', async () => {
    const files = new StoredFiles(tinyStorage())
    await files.write('/large', encode('a line\n'.repeat(200_000)))
    const file = (await files.list()).get('/large')
    const page = { text: 'a line\na line', lines: { start: 1, end: 2 }, totalLines: 200_000, goesOn: true }
    expect(await file?.readLines({ start: 1, end: 2 })).toEqual(page)
    expect(await file?.readLines({ start: 200_000, end: Infinity })).toEqual({
      text: 'a line\n',
      lines: { start: 200_000, end: 200_000 },
      totalLines: 200_000,
      goesOn: false,
    })
  })

  it.each([
    [0, 1],
    [-1, 1],
    [1.5, 2],
    [1, NaN],
    ['1', 2],
    [Infinity, Infinity],
  ])('refuses lines from %j to %j', async (start, end) => {
    const files = new StoredFiles(tinyStorage())
    await files.write('/a', encode('a'))
    const range = { start: start as number, end: end as number }
    await expect((await files.list()).get('/a')?.readLines(range)).rejects.toThrow(/range must have whole numbers/)
  })
})

describe('new StoredFiles', () => {
  it.each([undefined, null, {}, { store: outage, retrieve: outage }])('refuses %j as storage', async (storage) => {
    const message = /store\(\), retrieve\(\) and list\(\).*InMemoryStorage/
    expect(() => new StoredFiles(storage as Storage)).toThrow(message)
    await expect(new StoredFiles(() => storage as Storage).list()).rejects.toThrow(message)
  })

  it.each(['results', '../', '/a//b/', '', '/a//', '//', null as unknown as string])(
    'refuses %j as resultFolder',
    (resultFolder) => {
      expect(() => new StoredFiles(tinyStorage(), { resultFolder })).toThrow(/resultFolder must be an absolute path/)
    },
  )

  it.each(['/', '/offloaded', '/offloaded/'])('puts results into the folder %s', async (resultFolder) => {
    const storage = tinyStorage()
    const reference = await storage.store('call_1_0', encode('log'))
    const paths = [...(await new StoredFiles(storage, { resultFolder }).list()).keys()]
    expect(paths).toEqual([`${resultFolder.replace(/\/?$/, '/')}${reference}.txt`])
  })
})
