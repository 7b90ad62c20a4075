import { StoredFiles, type StoredFile } from '@spillway/core/files'
import { InMemoryStorage } from '@spillway/memory'
import { expect, it } from 'vitest'
import { readPage } from './read-page.ts'

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
])('takes offset %s and limit %s as deepagents does', async (offset, limit, content) => {
  expect((await readPage(await fileOf('a\nb'), offset, limit)).content).toBe(content)
})

it('says which lines it shows, and where to go on', async () => {
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
