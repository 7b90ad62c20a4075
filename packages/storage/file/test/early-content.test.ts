import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FileStorage, NodeFileSystem } from '../src/index.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'
import { bytes, text } from './support/text.ts'

/** A storage that remembers its one entry, and the path of the content. */
async function remembered(fileSystem = new NodeFileSystem()) {
  const directory = await temporaryDirectory()
  const storage = new FileStorage({ directory, fileSystem }).scope('a')
  const reference = await storage.store('log', bytes('content'))
  return {
    directory,
    storage,
    reference,
    folder: join(directory, 'a'),
    content: join(directory, 'a', `${reference}.txt`),
  }
}

/** Return the largest number of parallel reads while `run` is running. */
async function mostAtOnce(fileSystem: NodeFileSystem, run: () => Promise<unknown>): Promise<number> {
  let now = 0
  let most = 0
  const { readFile } = fileSystem
  fileSystem.readFile = async (path, range) => {
    most = Math.max(most, (now += 1))
    try {
      return await readFile.call(fileSystem, path, range)
    } finally {
      now -= 1
    }
  }
  await run()
  fileSystem.readFile = readFile
  return most
}

describe('content that was stored or read recently', () => {
  test('is read in parallel with its sidecar', async () => {
    const fileSystem = new NodeFileSystem()
    const { directory, storage, reference } = await remembered(fileSystem)
    expect(await mostAtOnce(fileSystem, () => storage.retrieve(reference))).toBe(2)
    const other = new FileStorage({ directory, fileSystem }).scope('a')
    expect(await mostAtOnce(fileSystem, () => other.retrieve(reference))).toBe(1)
    const range = (): Promise<unknown> => other.retrieveRange(reference, { offset: 1, length: 3 })
    expect(await mostAtOnce(fileSystem, range)).toBe(2)
  })

  test('is not returned after it was removed, truncated, or replaced by a link', async () => {
    const { storage, reference, directory, folder, content } = await remembered()
    await writeFile(content, 'cut')
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'corrupt' })
    await rm(content)
    await writeFile(join(directory, 'secret'), 'content')
    await symlink(join(directory, 'secret'), content)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('symbolic link') as string,
    })
    await rm(content)
    await new FileStorage(directory).scope('a').delete(reference)
    await mkdir(folder, { recursive: true })
    await writeFile(content, 'content')
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'not-found' })
  })

  test('is not returned from a folder that a link leads to', async () => {
    const { storage, reference, directory, folder } = await remembered()
    await rename(folder, `${directory}-elsewhere`)
    await symlink(`${directory}-elsewhere`, folder)
    await expect(storage.retrieve(reference)).rejects.toMatchObject({ code: 'corrupt' })
    await rm(`${directory}-elsewhere`, { recursive: true })
  })

  test('has its new type if another process stored it again', async () => {
    const { storage, reference, directory } = await remembered()
    const metadata = join(directory, '.metadata', 'a')
    const [sidecar = ''] = await readdir(metadata)
    const record = { version: 1, key: 'log', contentType: 'application/json', extension: '.json', storedAt: 1 }
    await writeFile(join(metadata, sidecar), JSON.stringify({ ...record, size: 4, metadata: {} }))
    await writeFile(join(directory, 'a', `${reference}.json`), 'true')
    const { content, contentType } = await storage.retrieve(reference)
    expect([text(content), contentType]).toEqual(['true', 'application/json'])
  })
})
