import { StorageError, type Storage } from '@spillway/core'
import { StoredFiles, type StoredFile } from '@spillway/core/files'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { STORAGES } from '../../test/deepagents/storages.ts'
import { readPage, refuseGlob, rulesOver, StorageBackend } from './storage-backend.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const memory = (): InMemoryStorage => new InMemoryStorage({ evictAfterTurns: null })
/** All byte values, which no valid text contains. */
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const RESULTS = '/large_tool_results/'

/** A copy of the storage with the methods in `changes`. */
function changed(storage: InMemoryStorage, changes: Partial<Storage>): Storage {
  return {
    store: (...input) => storage.store(...input),
    retrieve: (...input) => storage.retrieve(...input),
    list: (...input) => storage.list(...input),
    delete: (...input) => storage.delete(...input),
    ...changes,
  }
}

async function entriesOf(storage: Pick<InMemoryStorage, 'list'>): Promise<number> {
  let count = 0
  for await (const _ of storage.list()) count += 1
  return count
}

const outage = (): Promise<never> => Promise.reject(new StorageError('unavailable', 'The storage is out of reach.'))

describe.each(Object.entries(STORAGES))('StorageBackend on %s storage', (_, createStorage) => {
  it('shows offloaded content as files to list, read and search', async () => {
    const { storage, dispose } = await createStorage()
    const backend = new StorageBackend(storage)
    const log = await storage.store('call_1_0', encode('started\r\nfailed\r\nstopped\n'))
    const json = await storage.store('call_1_1', encode('{\n  "failed": true\n}'), 'application/json; charset=utf-8')
    const lines = await storage.store('call_2_0', encode('{"failed":1}\n'), 'application/x-ndjson')
    const image = await storage.store('call_3_0', BYTES, 'image/png')
    const paths = { log: `${RESULTS}${log}.txt`, json: `${RESULTS}${json}.json`, lines: `${RESULTS}${lines}.ndjson` }

    expect((await backend.ls('/')).files).toEqual([{ path: RESULTS, is_dir: true, size: 0, modified_at: '' }])
    const { files = [] } = await backend.ls(RESULTS)
    expect(files.map(({ path }) => path)).toEqual([...Object.values(paths), `${RESULTS}${image}.png`].toSorted())
    expect(files.find(({ path }) => path === paths.log)).toMatchObject({ is_dir: false, size: 25 })

    expect(await backend.read(paths.log, 1, 1)).toMatchObject({ content: 'failed\r', mimeType: 'text/plain' })
    expect(await backend.read(paths.json)).toMatchObject({ mimeType: 'application/json', totalLines: 3 })
    expect(await backend.read(paths.lines)).toMatchObject({ content: '{"failed":1}\n', mimeType: 'text/plain' })
    expect(await backend.read(`${RESULTS}${image}.png`)).toEqual({ content: BYTES, mimeType: 'image/png' })

    const found = await backend.grep('failed')
    expect(found.matches).toHaveLength(3)
    expect((await backend.grep('failed', RESULTS, '*.json')).matches).toEqual([
      { path: paths.json, line: 2, text: '  "failed": true' },
    ])
    expect((await backend.grep('failed', paths.log)).matches).toEqual([{ path: paths.log, line: 2, text: 'failed\r' }])
    expect((await backend.glob('**/*.{json,png}')).files?.map(({ path }) => path).toSorted()).toEqual(
      [paths.json, `${RESULTS}${image}.png`].toSorted(),
    )
    await dispose()
  })

  it('reads and searches files while other calls edit them', async () => {
    const { storage, dispose } = await createStorage()
    const backend = new StorageBackend(storage)
    const paths = ['/a.txt', '/b.txt', '/c.txt']
    for (const path of paths) await backend.write(path, 'needle\n')
    for (const [edits, path] of [...paths, ...paths].entries()) {
      const [found, read] = await Promise.all([
        backend.grep('needle'),
        backend.read(path),
        backend.edit(path, 'needle', `needle ${edits}`),
      ])
      expect(found.matches).toHaveLength(3)
      expect(read.content).toContain('needle')
    }
    await dispose()
  })

  it('keeps bytes unchanged from upload to download', async () => {
    const { storage, dispose } = await createStorage()
    const backend = new StorageBackend(storage)
    const uploads: [string, Uint8Array][] = [
      ['/image.png', BYTES],
      ['/text.txt', BYTES],
      ['/empty', new Uint8Array()],
    ]
    expect(await backend.uploadFiles(uploads)).toEqual(uploads.map(([path]) => ({ path, error: null })))
    const paths = uploads.map(([path]) => path)
    expect((await backend.downloadFiles(paths)).map(({ content }) => content)).toEqual(
      uploads.map(([, bytes]) => bytes),
    )
    expect(await backend.read('/image.png')).toEqual({ content: BYTES, mimeType: 'image/png' })
    expect((await backend.read('/text.txt')).content).toContain('abc')
    await dispose()
  })

  it('applies parallel edits of one file one after another', async () => {
    const { storage, dispose } = await createStorage()
    const backend = new StorageBackend(storage)
    await backend.write('/list.md', 'end')
    const edits = Array.from({ length: 20 }, (_, number) => backend.edit('/list.md', 'end', `${number},end`))
    for (const { error } of await Promise.all(edits)) expect(error).toBeUndefined()
    const { content } = await backend.read('/list.md')
    expect(
      String(content)
        .split(',')
        .slice(0, -1)
        .map(Number)
        .toSorted((a, b) => a - b),
    ).toEqual([...edits.keys()])
    expect(await entriesOf(storage)).toBe(1)
    await dispose()
  })

  it('isolates scopes from each other', async () => {
    const { storage, dispose } = await createStorage()
    const [ours, theirs] = [new StorageBackend(storage.scope('a')), new StorageBackend(storage.scope('b'))]
    await ours.write('/secret.md', 'ours')
    await storage.scope('a', 'below').store('call_1', encode('ours'))
    for (const other of [theirs, new StorageBackend(storage)]) {
      expect(await other.read('/secret.md')).toEqual({ error: "File '/secret.md' not found" })
      expect((await other.grep('ours')).matches).toEqual([])
      expect((await other.ls('/')).files).toEqual([])
      expect((await other.delete('/')).error).toContain('not found')
    }
    await dispose()
  })
})

describe('StorageBackend', () => {
  it.each([undefined, null, {}, { store: outage, retrieve: outage }])(
    'rejects %j as storage, and says what to do',
    (storage) => {
      expect(() => new StorageBackend(storage as Storage)).toThrow(
        /store\(\), retrieve\(\) and list\(\).*InMemoryStorage/,
      )
    },
  )

  it.each(['results', '../', '/a//b/', ''])('rejects %j as resultFolder', (resultFolder) => {
    expect(() => new StorageBackend(memory(), { resultFolder })).toThrow(/resultFolder must be an absolute path/)
  })

  it.each(['/', '/offloaded', '/offloaded/'])('puts results into the folder %s', async (resultFolder) => {
    const storage = memory()
    const reference = await storage.store('call_1_0', encode('log'))
    const folder = resultFolder.replace(/\/?$/, '/')
    const { content } = await new StorageBackend(storage, { resultFolder }).read(`${folder}${reference}.txt`)
    expect(content).toBe('log')
  })

  it('rejects changes of tool results', async () => {
    const storage = memory()
    const backend = new StorageBackend(storage)
    const path = `${RESULTS}${await storage.store('call_1_0', encode('log'))}.txt`
    const readOnly = { error: expect.stringContaining('cannot be changed. Write to another path.') }
    expect(await backend.write(path, 'forged')).toEqual(readOnly)
    expect(await backend.edit(path, 'log', 'forged')).toEqual(readOnly)
    expect(await backend.delete(path)).toEqual(readOnly)
    expect(await backend.uploadFiles([[path, BYTES]])).toEqual([{ path, error: 'permission_denied' }])
    await backend.write('/notes.md', 'mine')
    expect((await backend.delete('/')).error).toBeUndefined()
    expect((await backend.glob('**')).files?.map((file) => file.path)).toEqual([path])
    expect((await backend.read(path)).content).toBe('log')
  })

  it('distinguishes written files from results', async () => {
    const storage = memory()
    const backend = new StorageBackend(storage)
    await storage.store('/notes.md@1', encode('forged'))
    await storage.store('/notes.md@2', encode('forged'), 'text/plain', { metadata: { 'file-version': '1' } })
    await storage.store('notes.md@1', encode('forged'), 'text/plain', { metadata: { 'file-version': '1' } })
    expect(await backend.read('/notes.md')).toHaveProperty('error')
    await backend.write('/notes.md', 'mine')
    expect((await backend.read('/notes.md')).content).toBe('mine')

    const path = `${RESULTS}${await memory().store('call_1_0', encode('log'))}.txt`
    await backend.write(path, 'forged before the tool was called')
    await storage.store('call_1_0', encode('log'))
    expect((await backend.read(path)).content).toBe('log')
  })

  it('always returns a version of a file, and the newest even if older versions were evicted', async () => {
    const storage = memory()
    await new StorageBackend(storage).write('/notes.md', 'one')
    const lefts: unknown[] = []
    const watched = new StorageBackend(
      changed(storage, {
        delete: async (reference) => {
          lefts.push((await new StorageBackend(storage).read('/notes.md')).content)
          if (lefts.length === 1) return await outage()
          await storage.delete(reference)
        },
      }),
    )
    expect((await watched.edit('/notes.md', 'one', 'two')).error).toBeUndefined()
    expect((await watched.read('/notes.md')).content).toBe('two')
    expect(await entriesOf(storage)).toBe(2)
    await watched.edit('/notes.md', 'two', 'one')
    expect((await watched.read('/notes.md')).content).toBe('one')
    expect(lefts).toEqual(['two', 'one', 'one'])
    expect(await entriesOf(storage)).toBe(1)
  })

  it('keeps the file if the new version cannot be stored', async () => {
    const storage = memory()
    await new StorageBackend(storage).write('/notes.md', 'one')
    const failing = new StorageBackend(changed(storage, { store: outage }))
    expect(await failing.edit('/notes.md', 'one', 'two')).toEqual({ error: 'The storage is out of reach.' })
    expect((await failing.read('/notes.md')).content).toBe('one')
  })

  it('writes and edits on a storage that cannot delete, and reports an error if a delete is needed', async () => {
    const storage = memory()
    const backend = new StorageBackend({ ...changed(storage, {}), delete: undefined } as unknown as Storage)
    await backend.write('/notes.md', 'one')
    await backend.edit('/notes.md', 'one', 'two')
    await backend.edit('/notes.md', 'two', 'one')
    expect((await backend.read('/notes.md')).content).toBe('one')
    expect((await backend.delete('/notes.md')).error).toContain('cannot remove')
  })

  it.each([
    outage,
    () => Promise.reject(new Error('socket closed')),
    (): never => {
      throw new TypeError('no client')
    },
  ])('reports an unavailable storage, never a missing file: %s', async (fail) => {
    const storage = memory()
    await new StorageBackend(storage).write('/a.md', 'a')
    const list = (): AsyncIterable<never> => ({ [Symbol.asyncIterator]: () => ({ next: fail }) })
    for (const name of ['list', 'retrieve'] as const) {
      const backend = new StorageBackend(changed(storage, name === 'list' ? { list } : { retrieve: fail }))
      const answers = [await backend.read('/a.md'), await backend.edit('/a.md', 'a', 'b'), await backend.grep('a')]
      if (name === 'list') answers.push(await backend.ls('/'), await backend.glob('*'), await backend.delete('/a.md'))
      for (const { error } of answers)
        expect(error).toMatch(/out of reach|socket closed.*once more|no client.*once more/)
      expect(await backend.downloadFiles(['/a.md'])).toEqual([
        { path: '/a.md', content: null, error: 'permission_denied' },
      ])
    }
  })

  it.each([
    ['', 'must be a text'],
    ['notes.md', 'Begin it with a slash'],
    ['/a/../b', 'without . and ..'],
    ['/./a', 'without . and ..'],
    ['/a//b', 'names no file'],
    ['/a/', 'names no file'],
    ['/', 'names no file'],
    ['/a\0b', 'control characters'],
    ['/a\nb', 'control characters'],
    ['/\uD800', 'control characters'],
    [`/${'a'.repeat(10_240)}`, 'Shorten it'],
    [7 as unknown as string, 'must be a text'],
  ])('rejects the path %j, and says why', async (path, why) => {
    const backend = new StorageBackend(memory())
    expect((await backend.write(path, 'text')).error).toContain(why)
    expect((await backend.edit(path, '', 'text')).error).toContain(why)
    expect(await backend.uploadFiles([[path, BYTES]])).toEqual([{ path, error: 'invalid_path' }])
    expect(await backend.downloadFiles([path])).toEqual([{ path, content: null, error: 'invalid_path' }])
    expect((await backend.read(path)).error).toBeDefined()
    expect((await backend.delete(path)).error).toBeDefined()
  })

  it('distinguishes a folder from a missing file', async () => {
    const backend = new StorageBackend(memory())
    await backend.write('/folder/a.md', 'a')
    expect((await backend.downloadFiles(['/folder', '/fold'])).map(({ error }) => error)).toEqual([
      'is_directory',
      'file_not_found',
    ])
    expect((await backend.ls('relative')).error).toContain('Begin it with a slash')
  })

  it('changes only the edited text, and rejects an invalid edit', async () => {
    const backend = new StorageBackend(memory())
    const text = '\u{FEFF}one\r\ntwo\rthree\n\n'
    await backend.uploadFiles([
      ['/text.txt', encode(text)],
      ['/latin1.txt', BYTES],
      ['/image.png', BYTES],
    ])
    await backend.edit('/text.txt', 'two', '$&')
    expect((await backend.readRaw('/text.txt')).data?.content).toBe(text.replace('two', () => '$&'))
    for (const path of ['/latin1.txt', '/image.png'])
      expect((await backend.edit(path, 'a', 'b')).error).toContain('is not UTF-8 text')
  })

  it('rejects media that are too large for a model', async () => {
    const storage = memory()
    const path = `${RESULTS}${await storage.store('call_1_0', new Uint8Array(10_485_761), 'video/mp4')}.mp4`
    expect((await new StorageBackend(storage).read(path)).error).toContain('has 10485761 bytes of video/mp4')
  })

  it('finds text anywhere in a very long line, and shows the text around it', async () => {
    const storage = memory()
    const text = `${'x'.repeat(524_283)}needle${'y'.repeat(2_000_000)}\nneedle`
    const path = `${RESULTS}${await storage.store('call_1_0', encode(text))}.txt`
    const { matches = [] } = await new StorageBackend(storage).grep('needle')
    expect(matches.map(({ line }) => line)).toEqual([1, 2])
    expect(matches[0]?.path).toBe(path)
    expect(matches[0]?.text).toMatch(/^… x+needley+ …$/)
    expect(matches[0]?.text.length).toBeLessThan(10_010)
  })

  it('never says that nothing matches if a file is damaged', async () => {
    const storage = memory()
    const damaged = await storage.store('call_1_0', encode('needle'))
    const { open } = storage
    storage.open = async (reference, options) => {
      if (reference === damaged) throw new StorageError('corrupt', 'The entry is damaged.')
      return await open.call(storage, reference, options)
    }
    const backend = new StorageBackend(storage)
    expect(await backend.grep('needle')).toEqual({
      error: expect.stringContaining(`damaged: ${RESULTS}${damaged}.txt`),
    })
    await backend.write('/a.txt', 'a needle')
    expect(await backend.grep('needle')).toMatchObject({ matches: [{ path: '/a.txt' }], truncated: true })
  })

  it('stops a search that finds too much, and says so', async () => {
    const backend = new StorageBackend(memory())
    await backend.write('/a.txt', 'a\n'.repeat(20_000))
    const all = await backend.grep('a')
    expect([all.matches?.length, all.truncated]).toEqual([10_000, true])
    const three = await backend.grep('a', '/', null, 3)
    expect([three.matches?.length, three.truncated]).toEqual([3, true])
  })
})

describe('readPage', () => {
  async function fileOf(text: string): Promise<StoredFile> {
    const files = new StoredFiles(new InMemoryStorage({ evictAfterTurns: null }))
    await files.write('/a.txt', new TextEncoder().encode(text))
    const file = (await files.list()).get('/a.txt')
    if (file === undefined) throw new Error('The file was not listed.')
    return file
  }

  it.each([
    [Number.NaN, 1, 'a'],
    [-3, 1, 'a'],
    [0.9, 1.9, 'a'],
    [1, Infinity, ''],
    [0, -1, ''],
    [9, 9, ''],
    [1e300, 1e300, ''],
    [1, 1e300, 'b'],
  ])('uses offset %s and limit %s as deepagents does', async (offset, limit, content) => {
    expect((await readPage(await fileOf('a\nb'), offset, limit)).content).toBe(content)
  })

  it('returns the numbers of the lines, and the next offset', async () => {
    const file = await fileOf('a\nb\nc\n')
    expect(await readPage(file, 0, 2)).toEqual({
      content: 'a\nb',
      startLine: 1,
      endLine: 2,
      totalLines: 3,
      nextOffset: 2,
    })
    expect(await readPage(file, 2, 2)).toEqual({ content: 'c\n', startLine: 3, endLine: 3, totalLines: 3 })
  })
})

describe('refuseGlob', () => {
  it.each(['*', '**', '**/*.md', '/src/**/*.{ts,tsx}', '*error*', '[a-z]?.[!t]*', '{1..3}/*foo*/**/*.md', '!*.md'])(
    'accepts %j',
    (pattern) => expect(refuseGlob(pattern)).toBeUndefined(),
  )

  it.each([
    ['*a*a*a*a*a*a*b', 'too many wildcards'],
    ['{a,aa}{a,aa}{a,aa}{a,aa}{a,aa}{a,aa}{a,aa}b', 'too many wildcards'],
    ['[a]+[a]+[a]+[a]+[a]+[a]+[a]+b', 'has parentheses or repeats'],
    ['{a,aa}+b', 'has parentheses or repeats'],
    ['+(a|aa)+(a|aa)b', 'has parentheses or repeats'],
    ['(a|aa)+b', 'has parentheses or repeats'],
    ['}\\\\\\\\', 'ends with a backslash'],
    ['a'.repeat(300), 'Shorten it'],
    [null, 'must be a text'],
    ['', 'must be a text'],
  ])('rejects %j with advice', (pattern, why) => {
    expect(refuseGlob(pattern)).toContain(why)
  })

  it('rejects every pattern that would take long', () => {
    const long = ['a', 'ab', 'a/', 'a/a', '.a'].map((part) => `/${part.repeat(300)}`.replace(/\/+$/, ''))
    const file = { content: '', mimeType: 'text/plain', created_at: '', modified_at: '' }
    const files = Object.fromEntries(long.map((path) => [path, file]))
    const part = fc.constantFrom(
      '*',
      '**',
      'a',
      'b',
      '/',
      '{a,aa}',
      '{a,',
      '}',
      '[a]',
      '+',
      '?',
      '!',
      '.',
      '\\',
      ',',
      '@',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const pattern = parts.join('')
        if (refuseGlob(pattern) !== undefined) return
        const start = process.cpuUsage().user
        rulesOver(files).glob(pattern, '/')
        expect(process.cpuUsage().user - start).toBeLessThan(2_000_000)
      }),
      { numRuns: 500 },
    )
  })
})
