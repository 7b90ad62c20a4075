import { describe, expect, test } from 'vitest'
import { LINE_BLOCK_BYTES, LineIndexBuilder } from '@spillway/text/internal'
import { TinyDisk, TinyDriver } from '../../test/tiny-driver.ts'
import { createStorage } from '../storage/managed-storage.ts'
import { withContentSource } from './content-source.ts'
import { withLineIndex } from './with-line-index.ts'

const lines = (count: number, length: number): Uint8Array =>
  new TextEncoder().encode(`${'a'.repeat(length - 1)}\n`.repeat(count))

const content = lines(20_000, 100)

function indexOf(bytes: Uint8Array): string {
  const builder = new LineIndexBuilder()
  builder.add(bytes)
  return builder.finish().encode()
}

/** Find where a line begins by reading one or two blocks, with `lineIndex` kept beside the content. */
async function startOfLine(line: number, lineIndex: string | undefined): Promise<readonly [number, readonly number[]]> {
  const disk = new TinyDisk(Date.now)
  const storage = createStorage(new TinyDriver(disk))
  const reference = await storage.store('log', content)
  for (const record of disk.records.values()) {
    const { lineIndex: _, ...info } = record.info
    record.info = lineIndex === undefined ? info : { ...info, lineIndex }
  }
  const tries: number[] = []
  const start = await withContentSource(storage, reference, { blockBytes: 100_000 }, (source) =>
    withLineIndex(source, async ({ index, block }) => {
      const number = index.blockOfLine(line)
      tries.push(number)
      const bytes = await block(number)
      let at = -1
      for (let ends = index.lineEndsBefore(number); ends < line - 1; ends += 1) at = bytes.indexOf(10, at + 1)
      return number * LINE_BLOCK_BYTES + at + 1
    }),
  )
  return [start, tries]
}

describe('withLineIndex', () => {
  test('reads by the index that was kept', async () => {
    expect(await startOfLine(15_001, indexOf(content))).toEqual([1_500_000, [22]])
  })

  test('makes the index where none was kept, or none that can be read', async () => {
    for (const kept of [undefined, '', 'AAAA', indexOf(lines(10, 100))])
      expect(await startOfLine(15_001, kept)).toEqual([1_500_000, [22]])
  })

  test('sees that a kept index is of other content, and makes its own', async () => {
    const stale = indexOf(lines(40_000, 50))
    expect(await startOfLine(15_001, stale)).toEqual([1_500_000, [11, 22]])
  })

  test('passes on what the caller throws', async () => {
    const disk = new TinyDisk(Date.now)
    const storage = createStorage(new TinyDriver(disk))
    const reference = await storage.store('log', content)
    const failing = withContentSource(storage, reference, { blockBytes: 100_000 }, (source) =>
      withLineIndex(source, () => Promise.reject(new RangeError('of the caller'))),
    )
    await expect(failing).rejects.toThrow('of the caller')
  })

  test('rejects with corrupt where the content changes while it is read', async () => {
    let reads = 0
    const storage = {
      retrieve: () => Promise.reject(new Error('not used')),
      open: async () => ({
        contentType: 'text/plain',
        size: 100,
        read: async () => new Uint8Array(100).fill((reads += 1) % 2 === 0 ? 10 : 97),
        close: async () => undefined,
      }),
    }
    const reading = withContentSource(storage, 'a', { blockBytes: 100 }, (source) =>
      withLineIndex(source, ({ block }) => block(0)),
    )
    await expect(reading).rejects.toMatchObject({ code: 'corrupt' })
  })
})
