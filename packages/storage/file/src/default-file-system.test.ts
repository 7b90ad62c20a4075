import { afterAll, describe, expect, test, vi } from 'vitest'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { takeSteps } from '../test/support/take-steps.ts'
import { temporaryDirectory } from '../test/support/temporary-directory.ts'
import { bytes, text } from '../test/support/text.ts'
import { DefaultFileSystem, StepsThread } from './default-file-system.ts'
import { FileStorage } from './file-storage.ts'
import type { FileStep } from './file-system.ts'
import { NodeFileSystem } from './node-file-system.ts'

const NEVER_FIRST: readonly FileStep[] = [{ step: 'isMissing', path: '/' }]

const FIRST: readonly FileStep[] = [{ step: 'isReal', path: '/' }]

/** Start a thread, which needs several calls. */
async function startedThread(): Promise<StepsThread> {
  const thread = new StepsThread()
  await vi.waitFor(async () => expect(await thread.run(FIRST)).toBe(1), { timeout: 10_000, interval: 10 })
  return thread
}

/** A folder with a file, a link to it, and a link to the folder. */
async function folder(): Promise<string> {
  const directory = await temporaryDirectory()
  await mkdir(join(directory, 'real'), { recursive: true })
  await writeFile(join(directory, 'real/file'), 'content')
  await symlink(join(directory, 'real/file'), join(directory, 'real/link'))
  await symlink(join(directory, 'real'), join(directory, 'alias'))
  return directory
}

const started = await startedThread()

afterAll(() => started.end())

describe('a worker thread for file operations', () => {
  test.each<[string, (path: string) => readonly FileStep[]]>([
    ['finds a real path', (at) => [{ step: 'isReal', path: `${at}/real` }]],
    ['rejects a path through a link', (at) => [{ step: 'isReal', path: `${at}/alias` }]],
    ['rejects a path that does not exist', (at) => [{ step: 'isReal', path: `${at}/none` }]],
    ['finds that a file is missing', (at) => [{ step: 'isMissing', path: `${at}/none` }]],
    ['finds that a link is not missing', (at) => [{ step: 'isMissing', path: `${at}/real/link` }]],
    ['finds a file of the given size', (at) => [{ step: 'isFile', path: `${at}/real/file`, size: 7 }]],
    ['rejects a file of another size', (at) => [{ step: 'isFile', path: `${at}/real/file`, size: 8 }]],
    ['does not accept a link as a file', (at) => [{ step: 'isFile', path: `${at}/real/link`, size: 7 }]],
    ['does not accept a folder as a file', (at) => [{ step: 'isFile', path: `${at}/real`, size: 4096 }]],
    ['creates an empty file', (at) => [{ step: 'create', path: `${at}/new`, content: bytes('') }]],
    [
      'creates a file with a modification time',
      (at) => [{ step: 'create', path: `${at}/new`, content: bytes('new'), modifiedAt: 1_234 }],
    ],
    ['does not replace a file', (at) => [{ step: 'create', path: `${at}/real/file`, content: bytes('new') }]],
    ['creates nothing through a link', (at) => [{ step: 'create', path: `${at}/real/link`, content: bytes('new') }]],
    ['links', (at) => [{ step: 'link', from: `${at}/real/file`, to: `${at}/second` }]],
    ['does not link over an existing file', (at) => [{ step: 'link', from: `${at}/real/file`, to: `${at}/real/link` }]],
    ['removes a file', (at) => [{ step: 'remove', path: `${at}/real/file` }]],
    ['removes a link and keeps its target', (at) => [{ step: 'remove', path: `${at}/real/link` }]],
    ['does not remove a folder', (at) => [{ step: 'remove', path: `${at}/real` }]],
    [
      'stops at the first step that fails',
      (at) => [
        { step: 'remove', path: `${at}/real/link` },
        { step: 'remove', path: `${at}/none` },
        { step: 'remove', path: `${at}/real/file` },
      ],
    ],
    ['runs an empty list of steps', () => []],
  ])('%s, with the same outcome as single operations', async (_name, steps) => {
    const [one, other] = [await folder(), await folder()]
    const taken = await started.run(steps(one))
    expect(taken).toBe(await takeSteps(new NodeFileSystem(), steps(other)))
    expect(await describeAll(one)).toEqual(await describeAll(other))
  })

  test('gets a copy of exactly the content, so that the caller keeps its memory', async () => {
    const directory = await folder()
    const memory = new Uint8Array(1_000_000).fill(97)
    const content = memory.subarray(10, 13)
    const taken = await started.run([{ step: 'create', path: `${directory}/new`, content }])
    expect([taken, content.byteLength, memory.byteLength]).toEqual([1, 3, 1_000_000])
    expect(await readFile(`${directory}/new`, 'utf8')).toBe('aaa')
  })

  test('answers each of several parallel requests', async () => {
    const answers = await Promise.all([FIRST, NEVER_FIRST, FIRST, NEVER_FIRST].map((steps) => started.run(steps)))
    expect(answers).toEqual([1, 0, 1, 0])
  })

  test('is not started by a process that stores little', async () => {
    const thread = new StepsThread()
    for (let time = 0; time < 4; time += 1) expect(await thread.run(FIRST)).toBe(0)
  })

  test('reports its completed steps if it exits meanwhile, and starts again', async () => {
    const thread = await startedThread()
    const [taken] = await Promise.all([thread.run(FIRST), thread.end()])
    expect([0, 1]).toContain(taken)
    await vi.waitFor(async () => expect(await thread.run(FIRST)).toBe(1), { timeout: 10_000, interval: 10 })
    await thread.end()
  })
})

/** Write a program that may use `storage` and `store(index)`, and return its path. */
async function storingProgram(directory: string, lines: string): Promise<string> {
  const program = `
    const { FileStorage } = await import(${JSON.stringify(join(import.meta.dirname, 'file-storage.ts'))})
    const storage = new FileStorage(${JSON.stringify(join(directory, 'artifacts'))})
    const store = (index) => storage.store('key ' + index, new TextEncoder().encode('content ' + index))
    ${lines}`
  await writeFile(`${directory}.mjs`, program)
  return `${directory}.mjs`
}

/** Run a program that stores enough to start a thread, and return its output. */
async function runStoring(flags: readonly string[], after: string): Promise<string> {
  const script = await storingProgram(
    await temporaryDirectory(),
    `const references = []
    for (let index = 0; index < 40; index += 1) references.push(await store(index))
    ${after}`,
  )
  return execFileSync(process.execPath, ['--no-warnings', ...flags, script], { encoding: 'utf8', timeout: 30_000 })
}

describe('a process that stores much', () => {
  test('exits as soon as its work is done', async () => {
    const begin = performance.now()
    expect(await runStoring([], `console.log(references.length)`)).toBe('40\n')
    expect(performance.now() - begin).toBeLessThan(8_000)
  })

  test('works without a thread if it has no permission to start one', async () => {
    const flags = ['--permission', '--allow-fs-read=*', '--allow-fs-write=*']
    const read = `const { content } = await storage.retrieve(references[39])
      console.log(new TextDecoder().decode(content))`
    expect(await runStoring(flags, read)).toBe('content 39\n')
  })
})

const canLimit =
  spawnSync('unshare', ['-U', 'sh', '-c', 'prlimit --nproc=1 true && echo yes'], { encoding: 'utf8' }).stdout ===
  'yes\n'

test.runIf(canLimit)('a process at its thread limit stores without a thread', async () => {
  // Run as another user, because the thread limit does not apply to root.
  const directory = await temporaryDirectory()
  await mkdir(directory)
  await chmod(directory, 0o777)
  const script = await storingProgram(
    directory,
    `const { execFileSync } = await import('node:child_process')
    for (let index = 0; index < 4; index += 1) await store(index)
    execFileSync('prlimit', ['--nproc=1', '--pid', String(process.pid)])
    for (let index = 4; index < 10; index += 1) await store(index)
    let count = 0
    for await (const _ of storage.list()) count += 1
    console.log(count)`,
  )
  const command = ['-U', process.execPath, '--no-warnings', script]
  const { stdout, stderr } = spawnSync('unshare', command, { encoding: 'utf8', timeout: 30_000 })
  expect([stdout, stderr]).toEqual(['10\n', ''])
})

describe('FileStorage', () => {
  test('stores small content in one batch of steps after the first few calls', async () => {
    const directory = await temporaryDirectory()
    const storage = new FileStorage(directory).scope('a')
    const runSteps = vi.spyOn(DefaultFileSystem.prototype, 'runSteps')
    const createFile = vi.spyOn(NodeFileSystem.prototype, 'createFile')
    try {
      await vi.waitFor(
        async () => {
          createFile.mockClear()
          const content = crypto.randomUUID()
          const reference = await storage.store('key', bytes(content))
          expect(text((await storage.retrieve(reference)).content)).toBe(content)
          expect(await runSteps.mock.results.at(-1)?.value).toBe(11)
          expect(createFile).not.toHaveBeenCalled()
          expect(await storage.store('key', bytes(content))).toBe(reference)
          expect(await runSteps.mock.results.at(-1)?.value).toBe(3)
        },
        { timeout: 10_000, interval: 10 },
      )
    } finally {
      runSteps.mockRestore()
      createFile.mockRestore()
    }
    expect(await readdir(join(directory, '.metadata', 'a'))).toHaveLength(await count(storage.list()))
  })

  test('refuses a folder that is a link, even without the thread', async () => {
    const directory = await temporaryDirectory()
    const storage = new FileStorage(directory).scope('a')
    for (let time = 0; time < 10; time += 1) await storage.store('key', bytes(`content ${time}`))
    const elsewhere = await temporaryDirectory()
    await mkdir(elsewhere, { recursive: true })
    await storage.clear()
    await symlink(elsewhere, join(directory, 'a'))
    await expect(storage.store('key', bytes('secret'))).rejects.toMatchObject({ code: 'corrupt' })
    expect(await readdir(elsewhere)).toEqual([])
  })
})

async function describeAll(directory: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of await readdir(directory, { recursive: true })) {
    const path = join(directory, name)
    const { size, mtimeMs, nlink } = await lstat(path)
    found.push(`${name} ${size} ${nlink} ${mtimeMs === 1_234 ? 'dated' : ''}`)
  }
  return found.toSorted()
}

async function count(items: AsyncIterable<unknown>): Promise<number> {
  let counted = 0
  for await (const _ of items) counted += 1
  return counted
}
