import fc from 'fast-check'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NodeFileSystem } from '../src/index.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

const SIZES = [0, 1, 100, 4_095, 4_096, 4_097, 1_048_576, 1_500_000]

test('a range of a file equals the slice of its bytes at any size', async () => {
  const directory = await temporaryDirectory()
  await mkdir(directory)
  const fileSystem = new NodeFileSystem()
  const contents = SIZES.map((size) => Uint8Array.from({ length: size }, (_, index) => (index * 31) % 251))
  for (const [index, content] of contents.entries()) await writeFile(join(directory, `${index}`), content)
  const place = fc.oneof(fc.nat(10), fc.constantFrom(...SIZES), fc.nat(2_000_000))
  await fc.assert(
    fc.asyncProperty(fc.nat(SIZES.length - 1), place, place, async (index, offset, length) => {
      const path = join(directory, `${index}`)
      const expected = contents[index]?.subarray(offset, offset + length) ?? new Uint8Array(0)
      const { content, status } = await fileSystem.readFile(path, { offset, length })
      expect(Buffer.compare(content, expected)).toBe(0)
      expect(status.size).toBe(SIZES[index])
      expect(content.buffer.byteLength).toBeLessThanOrEqual(Math.max(4_096, 2 * content.length))
    }),
  )
  for (const [index, content] of contents.entries())
    expect(Buffer.compare((await fileSystem.readFile(join(directory, `${index}`))).content, content)).toBe(0)
})

test('reading a path that is not a plain file rejects', async () => {
  const directory = await temporaryDirectory()
  await mkdir(directory)
  const fileSystem = new NodeFileSystem()
  await mkdir(join(directory, 'folder'))
  await symlink(join(directory, 'folder'), join(directory, 'link'))
  await expect(fileSystem.readFile(join(directory, 'folder'))).rejects.toMatchObject({ code: 'EINVAL' })
  await expect(fileSystem.readFile(join(directory, 'link'))).rejects.toMatchObject({ code: 'ELOOP' })
  await expect(fileSystem.readFile(join(directory, 'nothing'))).rejects.toMatchObject({ code: 'ENOENT' })
})
