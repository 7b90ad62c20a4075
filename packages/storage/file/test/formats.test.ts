import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { formatFixture, problemsOfFormat, storeFormatSample } from '@spillway-internal/storage-suite'
import { expect, it } from 'vitest'
import { FileStorage } from '../src/index.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

const FIXTURE = new URL('formats/format-1.json.gz', import.meta.url)

/** Restore a directory of files that was recorded in an earlier version. */
async function restored(): Promise<string> {
  const files = await formatFixture(FIXTURE, async () => {
    const directory = await temporaryDirectory()
    const storage = new FileStorage(directory)
    await storeFormatSample(storage)
    await storage.close()
    const names = await readdir(directory, { recursive: true, withFileTypes: true })
    const paths = names.filter((name) => name.isFile()).map((name) => join(name.parentPath, name.name))
    const contents = paths.map(async (path) => [path.slice(directory.length + 1), await readFile(path, 'base64')])
    return Object.fromEntries(await Promise.all(contents)) as Record<string, string>
  })
  const directory = await temporaryDirectory()
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), Buffer.from(content as string, 'base64'))
  }
  return directory
}

it('FileStorage reads entries stored in format 1', async () => {
  const storage = new FileStorage(await restored())
  expect(await problemsOfFormat(storage)).toEqual([])
  await storage.close()
})

it('FileStorage refuses an entry of a newer format, and does not change it', async () => {
  const directory = await restored()
  const storage = new FileStorage(directory)
  const reference = await storage.store('call_1_0', new TextEncoder().encode('hello\n'))
  const sidecar = join(directory, '.metadata', `${reference}.metadata.json`)
  const newer = JSON.stringify({ ...(JSON.parse(await readFile(sidecar, 'utf8')) as object), version: 2 })
  await writeFile(sidecar, newer)
  const refused = { code: 'unsupported', message: expect.stringContaining('Update @spillway/file') as unknown }
  await expect(new FileStorage(directory).retrieve(reference)).rejects.toMatchObject(refused)
  await expect(new FileStorage(directory).stat(reference)).rejects.toMatchObject(refused)
  await Promise.allSettled([new FileStorage(directory).gc()])
  expect(await readFile(sidecar, 'utf8')).toBe(newer)
})
