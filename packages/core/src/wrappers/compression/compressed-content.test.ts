import { expect, test } from 'vitest'
import { recordedDriver, type RecordedDriver } from '../../../test/recorded-driver.ts'
import { createStorage } from '../../storage/managed-storage.ts'
import { markerText } from './block-table.ts'
import { CompressedContent } from './compressed-content.ts'
import { compressed } from './compressed.ts'

const WHOLE = new TextEncoder().encode(Array.from({ length: 100_000 }, (_, line) => `${line} GET /\n`).join(''))

async function storedInBlocksOf(blockBytes: number): Promise<ReturnType<RecordedDriver['only']>> {
  const { driver, only } = recordedDriver()
  await compressed(createStorage(driver), { blockBytes }).store('log', WHOLE)
  return only()
}

test('a read never gets a block that has the same number in another layout', async () => {
  const { info } = await storedInBlocksOf(8_192)
  const { id, content: bytes } = await storedInBlocksOf(4_096)
  const ranges: { readonly offset: number; readonly found: Promise<Uint8Array> }[] = []
  const content = new CompressedContent(
    id,
    { ...info, size: bytes.length },
    markerText(info)!,
    async ({ offset, length }) => {
      await Promise.resolve()
      // The description claims 8,192 bytes: each read is followed by a request for another range.
      const next = ranges.length * 1_000
      if (next < 30_000) ranges.push({ offset: next, found: content.read({ offset: next, length: 100 }) })
      return bytes.subarray(offset, offset + length)
    },
  )
  expect(await content.read({ offset: 12_300, length: 100 })).toEqual(WHOLE.subarray(12_300, 12_400))
  for (const { offset, found } of ranges) expect(await found).toEqual(WHOLE.subarray(offset, offset + 100))
  expect(ranges).toHaveLength(30)
})
