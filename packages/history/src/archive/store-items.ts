import { warn } from '@spillway/text/internal'
import { orAborted } from '@spillway/core/internal'
import type { OperationOptions } from '@spillway/core'
import type { ArchivedItem, ArchiveReceipt, HistoryArchive, NewArchivedItem } from './history-archive.ts'

const CONCURRENT_STORES = 8

/** Things that were stored together. */
export interface StoredItems {
  /** In the order in which they were given. */
  readonly items: readonly ArchivedItem[]
  /** Remove what this call created and nobody has used since. What cannot be removed stays, as garbage. */
  undo(): Promise<void>
}

/** Store all or none: where one fails, what the others created is removed, and the failure is thrown. */
export async function storeItems(
  archive: Pick<HistoryArchive, 'store'>,
  items: readonly NewArchivedItem[],
  options: OperationOptions,
): Promise<StoredItems> {
  const receipts: ArchiveReceipt[] = []
  const stored: ArchivedItem[] = []
  const undo = async (): Promise<void> => {
    await Promise.allSettled(receipts.map((receipt) => receipt.undo()))
  }
  for (let start = 0; start < items.length; start += CONCURRENT_STORES) {
    const batch = items.slice(start, start + CONCURRENT_STORES)
    const results = await Promise.allSettled(batch.map((item) => storeItem(archive, item, options)))
    for (const result of results) if (result.status === 'fulfilled') receipts.push(result.value)
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) {
      await undo()
      throw failed.reason
    }
    for (const [index, { kind, contentType, content }] of batch.entries())
      stored.push({ name: receipts[start + index]!.name, kind, contentType, size: content.byteLength })
  }
  return { items: stored, undo }
}

async function storeItem(
  archive: Pick<HistoryArchive, 'store'>,
  item: NewArchivedItem,
  options: OperationOptions,
): Promise<ArchiveReceipt> {
  const storing = archive.store(item, options)
  const receipt = await orAborted(storing, options.signal).catch((error: unknown) => {
    // Not everybody who is handed a signal listens to it: what is stored in the end is removed again.
    if (options.signal?.aborted === true) undoLater(storing)
    throw error
  })
  // A storage of somebody's own may return anything, and what stands in the message must lead back.
  if (typeof receipt?.name !== 'string' || receipt.name === '' || /\s/.test(receipt.name))
    throw new TypeError('The storage must name what it stores by a text without blanks.')
  return receipt
}

function undoLater(storing: Promise<ArchiveReceipt>): void {
  void Promise.allSettled([storing])
    .then(async ([result]) => (result.status === 'fulfilled' ? await result.value.undo() : undefined))
    .catch((error: unknown) => warn('Removing what was stored after an abort failed.', error))
}
