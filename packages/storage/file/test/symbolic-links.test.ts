import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FileStorage } from '../src/index.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'
import { bytes } from './support/text.ts'

/** Store an entry, and write a file of the same size outside of the storage. */
async function storedBeside(): Promise<{
  readonly storage: FileStorage
  readonly directory: string
  readonly outside: string
  readonly reference: string
  readonly content: string
  readonly sidecar: string
}> {
  const directory = await temporaryDirectory()
  const outside = join(dirname(directory), 'outside')
  await mkdir(outside)
  await writeFile(join(outside, 'secret.txt'), 'secret!')
  const storage = new FileStorage(directory)
  const reference = await storage.scope('a').store('key', bytes('content'))
  const content = join(directory, 'a', `${reference}.txt`)
  const sidecar = join(directory, '.metadata/a', `${reference}.metadata.json`)
  return { storage, directory, outside, reference, content, sidecar }
}

describe('a symbolic link below the directory', () => {
  test('is not read as content', async () => {
    const { storage, outside, reference, content } = await storedBeside()
    await rm(content)
    await symlink(join(outside, 'secret.txt'), content)
    await expect(storage.scope('a').retrieve(reference)).rejects.toMatchObject({ code: 'corrupt' })
    await expect(storage.scope('a').retrieveRange(reference, { offset: 0, length: 1 })).rejects.toMatchObject({
      code: 'corrupt',
    })
  })

  test('is replaced if the content is stored again', async () => {
    const { storage, outside, reference, content } = await storedBeside()
    await rm(content)
    await symlink(join(outside, 'secret.txt'), content)
    expect(await storage.scope('a').store('key', bytes('content'))).toBe(reference)
    expect((await storage.scope('a').retrieve(reference)).content).toEqual(bytes('content'))
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret!')
  })

  test('is neither read nor touched as a sidecar', async () => {
    const { storage, outside, reference, sidecar } = await storedBeside()
    await rename(sidecar, join(outside, 'sidecar.json'))
    await symlink(join(outside, 'sidecar.json'), sidecar)
    await utimes(join(outside, 'sidecar.json'), 1, 1)
    await expect(storage.scope('a').retrieve(reference)).rejects.toMatchObject({ code: 'corrupt' })
    await storage.scope('a').store('key', bytes('content'))
    expect((await storage.scope('a').retrieve(reference)).content).toEqual(bytes('content'))
    expect((await stat(join(outside, 'sidecar.json'))).mtimeMs).toBe(1000)
  })

  test.each([
    ['of content', 'a'],
    ['of sidecars', '.metadata/a'],
    ['of all sidecars', '.metadata'],
  ])('is refused as a folder %s by every operation, and its target does not change', async (_name, folder) => {
    const { storage, directory, outside, reference } = await storedBeside()
    await rename(join(directory, folder), join(outside, 'moved'))
    await symlink(join(outside, 'moved'), join(directory, folder))
    const before = execFileSync('find', [outside, '-printf', '%p %s %T@ %i\n'], { encoding: 'utf8' })
    const session = storage.scope('a')
    const refused = { code: 'corrupt', message: expect.stringContaining('symbolic link') as string }
    await expect(session.retrieve(reference)).rejects.toMatchObject(refused)
    await expect(session.stat(reference)).rejects.toMatchObject(refused)
    await expect(session.store('key', bytes('content'))).rejects.toMatchObject(refused)
    await expect(session.store('new key', bytes('content'))).rejects.toMatchObject(refused)
    await expect(storage.scope('a', 'b').store('key', bytes('content'))).rejects.toMatchObject(refused)
    await expect(session.delete(reference)).rejects.toMatchObject(refused)
    await expect(session.delete(reference, { unusedSince: Date.now() + 1_000 })).rejects.toMatchObject(refused)
    await session.clear().catch((error: unknown) => expect(error).toMatchObject(refused))
    await session.gc().catch((error: unknown) => expect(error).toMatchObject(refused))
    expect(execFileSync('find', [outside, '-printf', '%p %s %T@ %i\n'], { encoding: 'utf8' })).toBe(before)
  })

  test('does not give access to the scope of its target', async () => {
    const { storage, directory, reference } = await storedBeside()
    await symlink('a', join(directory, 'b'))
    await symlink('a', join(directory, '.metadata/b'))
    await expect(storage.scope('b').retrieve(reference)).rejects.toMatchObject({ code: 'corrupt' })
    const listed: string[] = []
    for await (const entry of storage.list()) listed.push(entry.reference)
    expect(listed).toEqual([reference])
  })

  test('is kept when empty folders are removed', async () => {
    const { storage, directory, outside } = await storedBeside()
    await symlink(outside, join(directory, 'a', 'link'))
    await symlink(outside, join(directory, '.metadata/a', 'link'))
    expect(await storage.clear()).toBe(1)
    await storage.gc()
    expect(await readdir(outside)).toEqual(['secret.txt'])
  })

  test('is not followed when the .gitignore is written', async () => {
    const directory = await temporaryDirectory()
    const outside = join(dirname(directory), 'target')
    await mkdir(directory)
    await symlink(outside, join(directory, '.gitignore'))
    await new FileStorage(directory).store('key', bytes('content'))
    await expect(stat(outside)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('a path that is not a plain file', () => {
  test('does not block a reader if it is a named pipe', async () => {
    const { storage, reference, content } = await storedBeside()
    await rm(content)
    execFileSync('mkfifo', [content])
    await expect(storage.scope('a').retrieve(reference)).rejects.toMatchObject({ code: 'corrupt' })
  })

  test('is reported if it is a directory', async () => {
    const { storage, reference, content } = await storedBeside()
    await rm(content)
    await mkdir(content)
    await expect(storage.scope('a').retrieve(reference)).rejects.toMatchObject({ code: 'corrupt' })
  })
})
