import { StorageError, type OperationOptions, type StorageErrorCode, type StoredContent } from '@spillway/core'
import { orAborted } from '@spillway/core/internal'
import { warn } from '@spillway/text/internal'

/**
 * The kind of an archived item.
 *
 * - `text`, `json` and media: blocks of a tool result.
 * - `argument`: a long text in a call's arguments, or all arguments as JSON.
 * - `message`: the text of a user message.
 * - `original`: a message as JSON, if its blocks alone could not restore it exactly.
 * - `messages`: summarized messages, as JSON.
 */
export type ArchivedKind =
  | 'text'
  | 'json'
  | 'image'
  | 'audio'
  | 'video'
  | 'document'
  | 'argument'
  | 'message'
  | 'original'
  | 'messages'

/** A stored item, with the name that messages use for it. */
export interface ArchivedItem {
  /** A reference, or the name that a custom archive chose. A name has no blanks. */
  readonly name: string
  readonly kind: ArchivedKind
  readonly contentType: string
  /** Size in bytes. */
  readonly size: number
  /** The name that the tool gave to the item, for example a file name. */
  readonly label?: string
}

/** An item to store. */
export interface NewArchivedItem {
  readonly kind: ArchivedKind
  /** The id of the call or the message. */
  readonly callId: string
  /** Distinguishes the items of one call or message, for example `0` or `input_1`. */
  readonly part: string
  /** Empty if the item is not from a tool. */
  readonly toolName: string
  readonly content: Uint8Array
  readonly contentType: string
}

/** The result of storing an item. */
export interface ArchiveReceipt {
  readonly name: string
  /** Remove the item, unless it existed before this call or was used after it. */
  rollback(): Promise<void>
}

/** A replacement to write, with its stored items. */
export interface ReplacedContent {
  readonly subject: 'result' | 'argument' | 'message'
  readonly items: readonly (ArchivedItem & {
    /** Number of lines in the text. Absent for media. */
    readonly lines?: number | undefined
    /** Absent for media. */
    readonly text?: string | undefined
    /** The preview, limited by `historyPreviewTokens`. Empty for media. */
    readonly preview: string
  })[]
  /** The number of blocks of the original. */
  readonly blocks: number
  readonly tokens: number
  readonly isError: boolean
}

/** Facts that the text of a replacement states about the replaced content. */
export interface ParsedReplacement {
  readonly subject: 'result' | 'argument' | 'message'
  readonly items: readonly ArchivedItem[]
  readonly blocks: number
  readonly tokens: number
  readonly isError: boolean
  /** Whether this package wrote the replacement. The offloader writes longer previews, which can be shortened. */
  readonly isBrief: boolean
}

/** A stored group of summarized messages. */
export interface ArchivedMessages extends ArchivedItem {
  readonly count: number
  /** Positions in the group, from 1, of messages that stay in the history after the system messages. */
  readonly retained: readonly number[]
}

/** A summary in the system message, and the groups of messages that it replaces. */
export interface HistorySnapshot {
  /** Text of the summary. */
  readonly text: string
  /** Groups in the order of the conversation. */
  readonly groups: readonly ArchivedMessages[]
  /** Number of tokens of the summarized messages before they were summarized. */
  readonly tokens: number
}

/** A parsed snapshot, with the other text of its message. */
export interface ParsedSnapshot extends HistorySnapshot {
  /** The other text of the system message. `undefined` if the message has only the snapshot. */
  readonly around: string | undefined
}

/**
 * Stores the content that is removed from a history, and writes and parses the texts that replace it.
 *
 * The default archive is {@link offloaderArchive}. A custom archive may choose names, such as file paths. An archive
 * must be able to parse the texts that it writes.
 */
export interface HistoryArchive {
  /** Store an item. Equal input returns the same name. If this rejects with a `StorageError`, nothing is stored. */
  store(item: NewArchivedItem, options?: OperationOptions): Promise<ArchiveReceipt>
  /** Return the content stored under a name. Rejects with a `StorageError`. */
  retrieve(name: string, options?: OperationOptions): Promise<StoredContent>
  /** Return whether an item with this name is stored. If absent, `retrieve` is used instead. */
  has?(name: string, options?: OperationOptions): Promise<boolean>
  /** Record a use of a name, so that its entry is not evicted. If absent, no use is recorded. */
  use?(name: string, options?: OperationOptions): Promise<void>
  /** Write the text that replaces stored content. */
  writeReplacement(replaced: ReplacedContent): string
  /** Parse a replacement. Return `undefined` for any other text. */
  readReplacement(text: string): ParsedReplacement | undefined
  /** Write the snapshot that is placed at the end of the system message. */
  writeSnapshot(snapshot: HistorySnapshot): string
  /** Parse the snapshot in the text of a system message. Return `undefined` if there is no snapshot. */
  readSnapshot(text: string): ParsedSnapshot | undefined
}

const CONCURRENT_STORES = 8

/** Items that were stored together. */
export interface StoredItems {
  /** Items in the order in which they were passed. */
  readonly items: readonly ArchivedItem[]
  /** Remove the items that this call created, unless they were used since then. Failures are ignored. */
  rollback(): Promise<void>
}

/** Store all items or none. If one item fails, remove the others and throw. */
export async function storeItems(
  archive: Pick<HistoryArchive, 'store'>,
  items: readonly NewArchivedItem[],
  options: OperationOptions,
): Promise<StoredItems> {
  const receipts: ArchiveReceipt[] = []
  const stored: ArchivedItem[] = []
  const rollback = async (): Promise<void> => {
    await Promise.allSettled(receipts.map((receipt) => receipt.rollback()))
  }
  for (let start = 0; start < items.length; start += CONCURRENT_STORES) {
    const batch = items.slice(start, start + CONCURRENT_STORES)
    const results = await Promise.allSettled(batch.map((item) => storeItem(archive, item, options)))
    for (const result of results) if (result.status === 'fulfilled') receipts.push(result.value)
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) {
      await rollback()
      throw failed.reason
    }
    for (const [index, { kind, contentType, content }] of batch.entries())
      stored.push({ name: receipts[start + index]!.name, kind, contentType, size: content.byteLength })
  }
  return { items: stored, rollback }
}

async function storeItem(
  archive: Pick<HistoryArchive, 'store'>,
  item: NewArchivedItem,
  options: OperationOptions,
): Promise<ArchiveReceipt> {
  // An archive may ignore its signal. If the archive stores the item later, the item is removed again.
  const undo = (late: ArchiveReceipt): Promise<void> =>
    late.rollback().catch((error: unknown) => warn('Removing stored content after an abort failed.', error))
  const receipt = await orAborted(archive.store(item, options), options.signal, undo)
  // A custom storage may return any value.
  if (typeof receipt?.name !== 'string' || receipt.name === '' || /\s/.test(receipt.name))
    throw new TypeError('The storage must return references without blanks.')
  return receipt
}

const MISSES: ReadonlySet<StorageErrorCode> = new Set<StorageErrorCode>(['not-found', 'evicted', 'invalid-reference'])

/** Return whether an operation failed because the name is not stored. Returns `false` for an outage. */
export const isMiss = (error: unknown): boolean => StorageError.isInstance(error) && MISSES.has(error.code)

/** Await stored content. Return `undefined` if the content is missing. Rejects after any other failure. */
export async function unlessMissing<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found
  } catch (error) {
    if (isMiss(error)) return undefined
    throw error
  }
}
