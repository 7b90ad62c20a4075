/** Compares `strandsStorage` with Strands' own storages, and tests the guarantees that theirs do not give. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Agent, StorageError as StrandsStorageError, tool } from '@strands-agents/sdk'
import { DockerSandbox } from '@strands-agents/sdk/sandbox/docker'
import { InMemoryStorage as StrandsInMemoryStorage, type Storage as StrandsStorage } from '@strands-agents/sdk/storage'
import { ContextOffloader } from '@strands-agents/sdk/vended-plugins/context-offloader'
import { startRedis } from '@spillway-internal/services'
import { isFull, propertyRuns } from '@spillway-internal/test-run'
import { createStorage, StorageError, type ScopedStorage, type Storage } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { RedisStorage } from '@spillway/redis'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { strandsStorage, type KeyedStorage } from '../../src/storage/index.ts'
import { backends, temporaryDirectory } from './support/backends.ts'
import { ScriptedModel } from './support/scripted-model.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array | null): string | null => bytes && new TextDecoder().decode(bytes)
const inMemory = (): ScopedStorage => new InMemoryStorage({ evictAfterTurns: null })
const redis = backends.find(({ name }) => name === 'redis')

/** The bytes that the offloader writes for a text. */
const framed = (text: string): Uint8Array => encode(`\0\ntext/plain${text}`)

/** A process that overwrites one value. */
interface Writer {
  /** The words that it has written, in order. */
  readonly written: readonly string[]
  readonly hasWritten: (count: number) => Promise<void>
  readonly stop: () => Promise<number>
  readonly kill: () => Promise<void>
}

interface Call {
  readonly method: 'write' | 'read' | 'delete' | 'list'
  readonly key: string
  readonly namespace: string | undefined
  readonly value: Uint8Array
}

/** A copy of the storage with the methods in `changes`, in all its scopes. */
function changed(storage: ScopedStorage, changes: (storage: ScopedStorage) => Partial<Storage>): Storage {
  return {
    store: (...input) => storage.store(...input),
    retrieve: (...input) => storage.retrieve(...input),
    list: (...input) => storage.list(...input),
    delete: (...input) => storage.delete(...input),
    scope: (...segments) => changed(storage.scope(...segments), changes),
    ...changes(storage),
  }
}

describe.each(backends)('strandsStorage on $name', ({ name: backend, missing, create }) => {
  test.skipIf(missing !== undefined)("answers every call as Strands' own storage does", async () => {
    const name = fc.constantFrom(
      'a',
      'b',
      'A',
      'tooluse_1_0',
      '__proto__',
      'constructor',
      'ü',
      'con',
      'a b',
      'a@1',
      '..',
      '',
      '\\',
    )
    const key = fc.array(name, { maxLength: 3 }).map((names) => names.join('/'))
    const call: fc.Arbitrary<Call> = fc.record({
      method: fc.constantFrom('write' as const, 'write' as const, 'read' as const, 'delete' as const, 'list' as const),
      key,
      namespace: fc.constantFrom(undefined, '', 'a', 'ns', '/ns//a'),
      value: fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.string().map(framed)),
    })
    const answer = async (storage: StrandsStorage, { method, key, namespace, value }: Call): Promise<unknown> => {
      const view = namespace === undefined ? storage : (storage.namespace?.(namespace) ?? storage)
      // In a namespace, Strands' storage reads an empty key as the namespace's own name.
      if (namespace !== undefined && method !== 'list' && /^\/*$/.test(key)) return 'not compared'
      try {
        return await view[method](key, value)
      } catch (error) {
        if (!(error instanceof StrandsStorageError)) throw error
        return 'refused'
      }
    }
    const open = await create()
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), async (calls) => {
        const theirs = new StrandsInMemoryStorage()
        const ours = strandsStorage(open().scope(`run ${(run += 1)}`))
        for (const one of calls) expect(await answer(ours, one)).toEqual(await answer(theirs, one))
        expect(await ours.list('')).toEqual(await theirs.list(''))
      }),
      // All backends share one implementation of the answers, and have their own conformance suite.
      propertyRuns(backend === 'memory' ? 15 : 4, backend === 'memory' ? 100 : 15),
    )
  })

  test.skipIf(missing !== undefined)(
    'has one entry for a value with any number of overwrites, and none after a delete',
    async () => {
      const storage = (await create())()
      const values = strandsStorage(storage)
      for (const value of ['one', 'two', 'one', 'one']) {
        await values.write('key', framed(value))
        expect(decode(await values.read('key'))).toBe(decode(framed(value)))
      }
      const entries = await Array.fromAsync(storage.list())
      expect(entries.map(({ contentType, size }) => [contentType, size])).toEqual([['text/plain', 3]])
      await values.delete('key')
      expect(await Array.fromAsync(storage.list())).toEqual([])
      await values.delete('key')
      expect(await values.read('key')).toBeNull()
    },
  )

  test.skipIf(missing !== undefined)('has one entry for each key after many parallel writes', async () => {
    const values = strandsStorage((await create())())
    const keys = Array.from({ length: 30 }, (_, index) => `call-${index % 10}_0`)
    await Promise.all(keys.map((key, index) => values.write(key, encode(`${key} ${index}`))))
    for (const key of new Set(keys)) expect(decode(await values.read(key))).toMatch(new RegExp(`^${key} \\d+$`))
    expect(await values.list('call-')).toHaveLength(10)
  })
})

// SQLite shares its file in the same way, and its own tests also kill processes.
describe.each(isFull ? (['file', 'sqlite'] as const) : (['file'] as const))('several processes on %s', (kind) => {
  const open = async (path: string): Promise<KeyedStorage> =>
    (await import('./scripts/open-values.ts')).openValues(kind, path)
  const wordsOf = async (values: KeyedStorage): Promise<readonly string[]> =>
    decode(await values.read('shared'))
      ?.trimEnd()
      .split(' ') ?? []

  /** Start a process that overwrites the value until it is told to stop. */
  function startWriter(path: string, name: string): Writer {
    const script = fileURLToPath(new URL('scripts/overwrite.ts', import.meta.url))
    const child = spawn(process.execPath, [script, kind, path, name], { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const closed = once(child, 'close')
    const written: string[] = []
    const reader = createInterface({ input: child.stdout }).on('line', (line) => written.push(line))
    return {
      written,
      hasWritten: async (count) => {
        while (written.length < count) await once(reader, 'line')
      },
      stop: async () => {
        child.stdin.end()
        return (await closed)[0] as number
      },
      kill: async () => {
        child.kill('SIGKILL')
        await closed
      },
    }
  }

  test('shows readers only whole values while others overwrite them', async () => {
    const path = join(await temporaryDirectory(), 'values')
    const values = await open(path)
    await values.write('shared', encode('0 '.repeat(20_000)))
    const writers = ['1', '2'].map((name) => startWriter(path, name))
    await Promise.all(writers.map(({ hasWritten }) => hasWritten(1)))
    const seen = new Set<string>()
    while (seen.size < (isFull ? 40 : 6)) {
      const words = await wordsOf(values)
      expect(words).toHaveLength(20_000)
      expect(new Set(words).size).toBe(1)
      seen.add(words[0] ?? '')
    }
    expect(await Promise.all(writers.map(({ stop }) => stop()))).toEqual([0, 0])
    const newest = writers.map(({ written }) => written.at(-1))
    expect(newest).toContain((await wordsOf(values))[0])
  })

  test('has the last written value or a later value after a kill', async () => {
    const path = join(await temporaryDirectory(), 'values')
    for (let attempt = 0; attempt < (isFull ? 4 : 1); attempt += 1) {
      const writer = startWriter(path, `w${attempt}`)
      await writer.hasWritten(5 + attempt)
      await writer.kill()
      const words = await wordsOf(await open(path))
      expect(words).toHaveLength(20_000)
      expect(new Set(words).size).toBe(1)
      expect(words[0]).toMatch(new RegExp(`^w${attempt}-`))
      const last = Number(writer.written.at(-1)?.split('-')[1])
      expect(Number(words[0]?.split('-')[1])).toBeGreaterThanOrEqual(last)
    }
  })
})

describe('strandsStorage', () => {
  test('stores plain content that a shell can search', async () => {
    const directory = await temporaryDirectory()
    const plugin = new ContextOffloader({ storage: strandsStorage(new FileStorage(directory)) })
    const model = new ScriptedModel([{ tool: 'read_log', input: {}, id: 'tooluse_A1' }])
    const log = 'GET /health 200\n'.repeat(2_000)
    const readLog = tool({ name: 'read_log', description: 'Read.', inputSchema: z.object({}), callback: () => log })
    await new Agent({ model, tools: [readLog], plugins: [plugin], printer: false }).invoke('Read it.')
    const files = (await readdir(directory, { recursive: true })).filter((path) => path.endsWith('.txt'))
    expect(files).toEqual([expect.stringMatching(/^offloader\/tooluse_5f_411_5f0\/\w+\.txt$/)])
    expect(await readFile(join(directory, files[0] ?? ''), 'utf8')).toBe(log)
  })

  test("serves as the agent's storage, which the offloader uses too", async () => {
    const storage = strandsStorage(inMemory())
    const model = new ScriptedModel([{ tool: 'read_log', input: {}, id: 'call-1' }])
    const readLog = tool({
      name: 'read_log',
      description: 'Read.',
      inputSchema: z.object({}),
      callback: () => 'x'.repeat(20_000),
    })
    await new Agent({ model, tools: [readLog], plugins: [new ContextOffloader({})], storage, printer: false }).invoke(
      'Read it.',
    )
    expect(await storage.list('')).toEqual(['offloader/call-1_0'])
  })

  test('gives namespaces with and without a final slash the same keys', async () => {
    const storage = strandsStorage(inMemory())
    for (const prefix of ['a', 'a/', '/a', 'a//']) {
      const view = storage.namespace(prefix)
      expect(Symbol.for('strands.storage.namespaced') in view).toBe(true)
      await view.write(`from ${prefix}`.replaceAll('/', '-'), encode(prefix))
      expect(await view.namespace('').list('from')).toEqual(await view.list(''))
    }
    expect(await storage.list('a/')).toEqual(['a/from -a', 'a/from a', 'a/from a-', 'a/from a--'])
    expect(Symbol.for('strands.storage.namespaced') in storage).toBe(false)
  })

  test('shares no memory with its callers', async () => {
    const storage = strandsStorage(inMemory())
    for (const [key, value] of [
      ['framed', framed('text')],
      ['plain', encode('text')],
    ] as const) {
      const before = decode(value)
      await storage.write(key, value)
      value.fill(0)
      const read = await storage.read(key)
      expect(decode(read)).toBe(before)
      read?.fill(0)
      expect(decode(await storage.read(key))).toBe(before)
    }
  })

  test('rejects keys that no file can have, and finds no values under them', async () => {
    const storage = strandsStorage(inMemory())
    for (const key of ['a/./b', 'a\nb', 'a\0b', 'x'.repeat(1_024), Array.from({ length: 17 }, () => 'a').join('/')])
      await expect(storage.write(key, encode('value'))).rejects.toThrow(StrandsStorageError)
    expect(await storage.list('')).toEqual([])
  })

  test('lists only values', async () => {
    const storage = inMemory()
    await storage.scope('a').store('a@1', encode('forged'))
    await storage.scope('a').store('/a@1', encode('forged'), 'text/plain', { metadata: { tool: 'forged' } })
    const values = strandsStorage(storage)
    expect(await values.list('')).toEqual([])
    await expect(values.read('a')).rejects.toThrow("'a' has a damaged or foreign entry")
    await values.write('a', encode('value'))
    expect(await values.list('')).toEqual(['a'])
    expect(decode(await values.read('a'))).toBe('value')
  })

  test('reports a damaged value as damaged, not as missing, and the next write repairs it', async () => {
    const directory = await temporaryDirectory()
    const storage = strandsStorage(new FileStorage(directory))
    for (const part of ['.metadata.json', '.bin']) {
      await storage.write('key', encode('value'))
      const files = (await readdir(directory, { recursive: true })).filter((path) => path.endsWith(part))
      for (const path of files) await truncate(join(directory, path), 1)
      await expect(storage.read('key')).rejects.toThrow(StrandsStorageError)
      await storage.write('key', encode('value'))
      expect(decode(await storage.read('key'))).toBe('value')
    }
  })

  test('reads evicted content as missing', async () => {
    let now = 0
    const storage = strandsStorage(new InMemoryStorage({ ttlMs: 1_000, now: () => now }))
    await storage.write('key', encode('value'))
    now = 2_000
    expect(await storage.read('key')).toBeNull()
    expect(await storage.list('')).toEqual([])
  })

  test("rejects with Strands' error if the storage is unavailable, with our error as its cause", async () => {
    const down = (): never => {
      throw new Error('The wire is cut.')
    }
    const storage = strandsStorage(createStorage({ write: down, read: down, remove: down, list: down }))
    const calls = [storage.write('key', encode('value')), storage.read('key'), storage.delete('key'), storage.list('')]
    for (const error of await Promise.all(
      calls.map((call: Promise<unknown>) => call.catch((reason: unknown) => reason)),
    )) {
      expect(error).toBeInstanceOf(StrandsStorageError)
      expect(error).toMatchObject({ message: expect.stringContaining('The wire is cut.') })
      expect(StorageError.isInstance((error as Error).cause)).toBe(true)
    }
  })

  // Other tests cover the storage of Redis, and errors of every unavailable storage.
  test.runIf(isFull && redis?.missing === undefined)('does not report a killed server as a missing value', async () => {
    const server = await startRedis()
    onTestFinished(() => server.dispose())
    const spillway = new RedisStorage(server.url, { connectTimeoutMs: 500, commandTimeoutMs: 500 })
    onTestFinished(() => spillway.close())
    const storage = strandsStorage(spillway)
    await storage.write('key', encode('value'))
    await server.kill()
    const calls = [storage.read('key'), storage.read('none'), storage.list(''), storage.delete('key')]
    for (const call of await Promise.allSettled(calls))
      expect(call).toMatchObject({ status: 'rejected', reason: expect.any(StrandsStorageError) })
  })

  test('has the new value even if the old value could not be removed, and removes the old value at the next write', async () => {
    const inner = inMemory()
    let fails = true
    const storage = strandsStorage(
      changed(inner, (scope) => ({
        delete: (...input) =>
          fails ? Promise.reject(new StorageError('unavailable', 'Down.')) : scope.delete(...input),
      })),
    )
    await storage.write('key', encode('one'))
    await storage.write('key', encode('two'))
    expect(decode(await storage.read('key'))).toBe('two')
    await expect(storage.delete('key')).rejects.toThrow(StrandsStorageError)
    fails = false
    await storage.write('key', encode('three'))
    expect(decode(await storage.read('key'))).toBe('three')
    expect(await Array.fromAsync(inner.list())).toHaveLength(1)
  })

  test('reads again if a value was replaced during the read, and fails after several attempts', async () => {
    const inner = inMemory()
    const values = strandsStorage(inner)
    let left = 3
    const storage = strandsStorage(
      changed(inner, (scope) => ({
        retrieve: async (...input) => {
          if ((left -= 1) >= 0) await values.write('key', encode(`value ${left}`))
          return scope.retrieve(...input)
        },
      })),
    )
    await values.write('key', encode('value'))
    expect(decode(await storage.read('key'))).toBe('value 0')
    left = Infinity
    await expect(storage.read('key')).rejects.toThrow("'/key' keeps being replaced")
  })

  test('passes on errors that are not storage errors', async () => {
    const storage = strandsStorage(changed(inMemory(), () => ({ list: () => expect.unreachable() })))
    await expect(storage.read('key')).rejects.not.toThrow(StrandsStorageError)
  })

  test('creates one storage per sandbox, on first use', async () => {
    const [one, other] = [new DockerSandbox({ container: 'one' }), new DockerSandbox({ container: 'other' })]
    const made: unknown[] = []
    const storage = strandsStorage((sandbox) => {
      made.push(sandbox)
      return inMemory()
    })
    const view = storage.namespace('offloader')
    expect(made).toEqual([])
    await expect(view.read('key')).rejects.toThrow('Call forSandbox(sandbox)')
    await expect(view.list('')).rejects.toThrow(StrandsStorageError)
    await view.forSandbox?.(one).write('key', encode('one'))
    await view.forSandbox?.(other).write('key', encode('other'))
    expect(decode((await storage.forSandbox?.(one).read('offloader/key')) ?? null)).toBe('one')
    expect(decode((await view.forSandbox?.(other).read('key')) ?? null)).toBe('other')
    expect(made).toEqual([one, other])
    const bound = storage.forSandbox?.(one)
    expect(bound && 'forSandbox' in bound).toBe(false)
    expect('forSandbox' in strandsStorage(inMemory())).toBe(false)
  })

  test.each([
    [undefined, 'store'],
    [null, 'store'],
    [{ store: () => {}, retrieve: () => {} }, 'scope'],
    [changed(inMemory(), () => ({ list: undefined as never })), 'list'],
    [changed(inMemory(), () => ({ delete: undefined as never })), 'delete'],
  ])('rejects a storage that lacks a method, and names the method', (storage, method) => {
    const message = `storage must have the method ${method}()`
    expect(() => strandsStorage(storage as Storage)).toThrow(message)
    const sandbox = new DockerSandbox({ container: 'one' })
    expect(() => strandsStorage(() => storage as Storage).forSandbox?.(sandbox)).toThrow(TypeError)
  })
})
