import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FileStorage, NodeFileSystem, type FileWriter } from '../src/index.ts'
import { listFiles } from './support/list-files.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'
import { bytes, streamOf, text } from './support/text.ts'

/** Run a shell command in its own user and mount namespace, in which the command may mount. */
function inNamespace(flags: string, command: string, ...parameters: string[]): { output: string; failure: string } {
  const { stdout, stderr } = spawnSync('unshare', [flags, 'sh', '-c', command, 'sh', ...parameters], {
    encoding: 'utf8',
  })
  return { output: stdout, failure: stderr }
}

const node = process.execPath
const TRY_STORE = join(import.meta.dirname, 'scripts/try-store.ts')
const canMount = inNamespace('-Urm', 'mount -t tmpfs none /mnt && echo yes').output === 'yes\n'
const canBecomeNobody = inNamespace('-U', 'echo yes').output === 'yes\n'

/** A file system whose files are written to a device that is always full. */
class FullFileSystem extends NodeFileSystem {
  isFull = true

  override async createFile(path: string): Promise<FileWriter> {
    const file = await super.createFile(path)
    if (!this.isFull || path.endsWith('.gitignore')) return file
    await file.close()
    const full = await open('/dev/full', 'w')
    return { write: async (bytes) => void (await full.write(bytes)), close: () => full.close() }
  }
}

describe('a full disk', () => {
  test.runIf(existsSync('/dev/full'))('rejects with the fix, leaves nothing, and harms no entry', async () => {
    const directory = await temporaryDirectory()
    const fileSystem = new FullFileSystem()
    const storage = new FileStorage({ directory, fileSystem }).scope('a')
    fileSystem.isFull = false
    const reference = await storage.store('key', bytes('content'))
    fileSystem.isFull = true
    const refused = { code: 'unavailable', retryable: true, message: expect.stringContaining('full') as string }
    await expect(storage.store('other', bytes('content'))).rejects.toMatchObject(refused)
    await expect(storage.store('other', bytes('content'))).rejects.toThrow(directory)
    await expect(storage.storeStream('stream', streamOf(bytes('a'), bytes('b')))).rejects.toMatchObject({
      cause: { code: 'ENOSPC' },
    })
    expect(await storage.store('key', bytes('content'))).toBe(reference)
    expect(text((await storage.retrieve(reference)).content)).toBe('content')
    expect(await listFiles(directory)).toHaveLength(3)
  })

  test.runIf(canMount)('accepts content again after gc', async () => {
    const directory = await temporaryDirectory()
    await mkdir(directory)
    const command = 'mount -t tmpfs -o size=256k none "$1" && "$2" "$3" "$1/artifacts" 1000 3000'
    const { output, failure } = inNamespace('-Urm', command, directory, node, TRY_STORE)
    const [first, second] = output.trim().split('\n')
    expect(failure).toBe('')
    const refused = JSON.parse(first ?? '') as { code: string; message: string; stored: number }
    expect(refused).toMatchObject({ code: 'unavailable' })
    expect(refused.message).toContain(`${directory}/artifacts`)
    expect(refused.message).toContain('free some space')
    expect(refused.stored).toBeGreaterThan(5)
    expect(JSON.parse(second ?? '')).toEqual({ whole: refused.stored, expired: refused.stored, after: 'stored' })
  })
})

test.each([
  ['content', true],
  ['content', false],
  ['sidecar', true],
  ['sidecar', false],
])('a %s that cannot be closed is not stored and leaves no files (linked while open: %s)', async (kind, isLinked) => {
  // Some network file systems report a full disk only when a file is closed.
  class LateFileSystem extends NodeFileSystem {
    override readonly linksOpenFiles = isLinked
    isFull = true

    override async createFile(path: string): Promise<FileWriter> {
      const file = await super.createFile(path)
      if (!this.isFull || !path.endsWith(`.${kind}`)) return file
      const close = async (): Promise<void> => {
        await file.close()
        throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
      }
      return { write: (content) => file.write(content), close }
    }
  }
  const directory = await temporaryDirectory()
  const fileSystem = new LateFileSystem()
  const storage = new FileStorage({ directory, fileSystem })
  const refused = { code: 'unavailable', cause: { code: 'ENOSPC' } }
  await expect(storage.store('key', bytes('content'))).rejects.toMatchObject(refused)
  await expect(storage.storeStream('key', streamOf(bytes('a'), bytes('b')))).rejects.toMatchObject(refused)
  expect(await listFiles(directory)).toEqual(['.gitignore'])
  fileSystem.isFull = false
  const reference = await storage.store('key', bytes('content'))
  expect(text((await storage.retrieve(reference)).content)).toBe('content')
})

describe('a directory that cannot be used', () => {
  test.runIf(canBecomeNobody)(
    'causes an error that names the directory and the fix if a permission is missing',
    async () => {
      const directory = await temporaryDirectory()
      await mkdir(directory)
      await chmod(directory, 0o555)
      const { output, failure } = inNamespace('-U', '"$1" "$2" "$3"', node, TRY_STORE, directory)
      expect(failure).toBe('')
      const refused = JSON.parse(output.split('\n')[0] ?? '') as { code: string; message: string }
      expect(refused.code).toBe('unavailable')
      expect(refused.message).toContain(`Make ${directory} readable and writable`)
      expect(refused.message).toContain('option "directory"')
    },
  )

  test.runIf(canMount)(
    'causes an error that names the directory and the fix if the directory is read-only',
    async () => {
      const directory = await temporaryDirectory()
      await mkdir(directory)
      const command = 'mount -t tmpfs -o ro none "$1" && "$2" "$3" "$1/artifacts"'
      const { output, failure } = inNamespace('-Urm', command, directory, node, TRY_STORE)
      expect(failure).toBe('')
      expect(JSON.parse(output.split('\n')[0] ?? '')).toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('read-only') as string,
      })
    },
  )

  test('causes an error that names the directory and the fix if a part of the path is a file', async () => {
    const directory = await temporaryDirectory()
    await writeFile(directory, 'a file')
    onTestFinished(() => rm(directory))
    for (const path of [directory, `${directory}/below`]) {
      const storage = new FileStorage(path)
      const refused = { code: 'unavailable', message: expect.stringContaining('A file is where') as string }
      await expect(storage.store('key', bytes('content'))).rejects.toMatchObject(refused)
      await expect(storage.retrieve('key_abc')).rejects.toMatchObject(refused)
      await expect(storage.clear()).rejects.toMatchObject(refused)
    }
  })

  test('is reported with its cause for any other failure', async () => {
    const fileSystem = new NodeFileSystem()
    const failure = Object.assign(new Error('too many open files'), { code: 'EMFILE' })
    fileSystem.readFile = () => Promise.reject(failure)
    const directory = await temporaryDirectory()
    const storage = new FileStorage({ directory, fileSystem })
    await expect(storage.store('key', bytes('content'))).resolves.toMatch(/^key_/)
    await expect(storage.store('key', bytes('content'))).rejects.toMatchObject({
      code: 'unavailable',
      cause: failure,
      message: expect.stringContaining('ulimit') as string,
    })
  })
})
