import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StorageError } from '@spillway/core/driver'
import { isFull } from '@spillway-internal/test-run'
import { expect, it, onTestFinished } from 'vitest'
import { FileStorage } from '../src/index.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'
import { bytes, streamOf, text } from './support/text.ts'

const OPERATIONS = isFull ? 100_000 : 1_000
/** Number of parallel operations. Most of them wait for a folder that is being swapped. */
const AT_ONCE = 100
const KEYS = Array.from({ length: 8 }, (_, index) => `key ${index}`)
const insideOf = (key: string): string => `inside: ${key}`
const outsideOf = (key: string): string => `OUTSIDE ${key}`

/** The files below a folder, with their contents. */
async function snapshot(folder: string): Promise<readonly string[]> {
  const items = await readdir(folder, { recursive: true, withFileTypes: true })
  const lines = items.map(async (item) => {
    const path = join(item.parentPath, item.name)
    return item.isFile() ? `${path}: ${await readFile(path, 'utf8')}` : path
  })
  return (await Promise.all(lines)).toSorted()
}

it.runIf(process.platform === 'linux')(
  `while another process swaps folders for links, ${OPERATIONS} operations never read, write, or remove anything outside`,
  { timeout: 3_600_000 },
  async () => {
    const directory = await temporaryDirectory()
    const outside = join(dirname(directory), 'outside')
    const storage = new FileStorage({ directory, ttlMs: 3_600_000 })
    const scope = storage.scope('a')
    const references = new Map<string, string>()
    // The outside folder is another storage, in which the same references have other content of the same length.
    for (const key of KEYS) references.set(key, await scope.store(key, bytes(insideOf(key))))
    await cp(directory, outside, { recursive: true })
    for (const [key, reference] of references) await writeFile(join(outside, 'a', `${reference}.txt`), outsideOf(key))
    const stranger = await new FileStorage(outside).scope('a').store('stranger', bytes('OUTSIDE'))
    const before = await snapshot(outside)

    const folders = ['a', '.metadata/a', '.metadata'].flatMap((name) => [join(directory, name), join(outside, name)])
    const swapper = spawn(process.execPath, [join(import.meta.dirname, 'scripts/swap-folders.ts'), ...folders])
    onTestFinished(() => void swapper.kill('SIGKILL'))
    swapper.stderr.pipe(process.stderr)

    const outcomes = new Map<string, number>()
    const count = (outcome: string): void => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    const operations: Readonly<Record<string, (key: string, reference: string) => Promise<unknown>>> = {
      store: (key) => scope.store(key, bytes(insideOf(key))),
      storeStream: (key) => scope.storeStream(key, streamOf(bytes('inside: '), bytes(key))),
      retrieve: async (key, reference) => expect(text((await scope.retrieve(reference)).content)).toBe(insideOf(key)),
      range: async (_, reference) =>
        expect(text((await scope.retrieveRange(reference, { offset: 0, length: 6 })).content)).toBe('inside'),
      open: async (_, reference) => {
        const content = await scope.open(reference)
        expect(text(await content.read(0, 6))).toBe('inside')
        await content.close()
      },
      delete: (_, reference) => scope.delete(reference),
      clear: () => scope.clear(),
      list: async () => {
        for await (const { reference, key } of storage.list()) expect([reference, key]).not.toContain(stranger)
      },
      gc: () => storage.gc(),
    }
    const names = Object.keys(operations)
    let left = OPERATIONS
    const work = async (): Promise<void> => {
      while (left-- > 0) {
        const name = names[left % names.length] ?? ''
        const key = KEYS[Math.floor(Math.random() * KEYS.length)] ?? ''
        try {
          await operations[name]?.(key, references.get(key) ?? '')
          count(`${name} succeeded`)
        } catch (error) {
          if (!StorageError.isInstance(error)) throw error
          count(error.code)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    swapper.kill('SIGKILL')
    await once(swapper, 'close')

    expect(await snapshot(outside)).toEqual(before)
    for (const name of names) expect([name, outcomes.get(`${name} succeeded`) ?? 0]).not.toEqual([name, 0])
    expect(outcomes.get('corrupt') ?? 0).toBeGreaterThan(0)
  },
)
