import { LINE_BLOCK_BYTES } from '@spillway/text/internal'
import type { EntryId, OpenEntry, StorageDriver } from './storage-driver.ts'
import { missingError } from './missing-error.ts'

/**
 * Open an entry of a driver; `undefined` where there is none.
 *
 * A driver that cannot is read range by range: the first read says what there is, and small content comes with it.
 */
export async function openEntry(driver: StorageDriver, id: EntryId): Promise<OpenEntry | undefined> {
  if (driver.open !== undefined) return await driver.open(id)
  const first = await driver.read(id, { offset: 0, length: LINE_BLOCK_BYTES })
  if (first === undefined) return undefined
  const { content, info } = first
  return {
    info,
    read: async ({ offset, length }) => {
      if (offset + length <= content.length) return content.subarray(offset, offset + length)
      const read = await driver.read(id, { offset, length })
      if (read === undefined) throw missingError(id.slice(id.lastIndexOf('/') + 1), undefined)
      return read.content
    },
    close: async () => undefined,
  }
}
