import { StorageError, type OperationOptions, type StorageErrorCode, type StoredContent } from '@spillway/core'
import { orAborted } from '@spillway/core/internal'
import { warn } from '@spillway/text/internal'

/**
 * What something is that a history no longer holds.
 *
 * - `text`, `json` and media: pieces of a tool result.
 * - `argument`: a long text of a call's arguments, or all of them as JSON.
 * - `message`: the text of a message of the user.
 * - `original`: a message as JSON, where the pieces alone could not restore it exactly.
 * - `messages`: messages that a summary stands for, as JSON.
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

/** Something that was stored, as a message names it. */
export interface ArchivedItem {
  /** What it can be had by: a reference, or in an archive of one's own another name. No blanks. */
  readonly name: string
  readonly kind: ArchivedKind
  readonly contentType: string
  /** In bytes. */
  readonly size: number
  /** What the tool called it, such as a file name, if it said so. */
  readonly label?: string
}

/** Something to store. */
export interface NewArchivedItem {
  readonly kind: ArchivedKind
  /** The id of the call, or of the message as the archive may call it. */
  readonly callId: string
  /** Which of several things of that call it is, such as `0` or `input_1`. */
  readonly part: string
  /** The tool, empty where there is none. */
  readonly toolName: string
  readonly content: Uint8Array
  readonly contentType: string
}

/** What storing something returned. */
export interface ArchiveReceipt {
  readonly name: string
  /** Remove it again, unless it was there before or was used since. */
  undo(): Promise<void>
}

/** What stands in the place of something, with its stored parts. */
export interface ReplacedContent {
  /** What was replaced. */
  readonly subject: 'result' | 'argument' | 'message'
  readonly items: readonly (ArchivedItem & {
    /** Lines of text; absent for media. */
    readonly lines?: number | undefined
    /** The text; absent for media. */
    readonly text?: string | undefined
    /** A preview within the budget of the history; empty for media. */
    readonly preview: string
  })[]
  /** How many pieces the original had, and its tokens. */
  readonly blocks: number
  readonly tokens: number
  readonly isError: boolean
}

/** What a text tells that stands in the place of something. */
export interface KnownReplacement {
  readonly subject: 'result' | 'argument' | 'message'
  readonly items: readonly ArchivedItem[]
  readonly blocks: number
  readonly tokens: number
  readonly isError: boolean
  /** Whether it was written for a history; one of the offloader, with a longer preview, can still shrink. */
  readonly isBrief: boolean
}

/** Messages that a snapshot stands for. */
export interface ArchivedMessages extends ArchivedItem {
  readonly count: number
  /** Positions among them, from 1, of messages that also still stand in the history, after the system messages. */
  readonly kept: readonly number[]
}

/** A summary in the system message, and where the messages are that it stands for. */
export interface HistorySnapshot {
  /** What stands between `<state_snapshot>` and its end. */
  readonly text: string
  /** In the order of the conversation. */
  readonly groups: readonly ArchivedMessages[]
  /** Tokens of these messages before they were summarised. */
  readonly tokens: number
}

/** Where a snapshot was found. */
export interface KnownSnapshot extends HistorySnapshot {
  /** The text of the system message around it; undefined where the message had been made for it. */
  readonly around: string | undefined
}

/**
 * Keep what a history no longer holds, and write the texts that stand in its place.
 *
 * The one over an offloader's storage is used by default. One of your own can give names of its own choice, such as
 * paths of files; what it writes it must be able to read, as that is how things are found again.
 */
export interface HistoryArchive {
  /** Store something. Equal input gives the equal name. Rejects with a `StorageError`, and then has kept nothing. */
  store(item: NewArchivedItem, options?: OperationOptions): Promise<ArchiveReceipt>
  /** Return what was stored under a name. Rejects with a `StorageError`. */
  retrieve(name: string, options?: OperationOptions): Promise<StoredContent>
  /** Tell whether something is stored under a name; a miss is no failure. Defaults to retrieving it. */
  has?(name: string, options?: OperationOptions): Promise<boolean>
  /** Count as used what is stored under a name, so that it is not evicted as forgotten. Defaults to nothing. */
  use?(name: string, options?: OperationOptions): Promise<void>
  /** Write what stands in the place of something that was stored. */
  writeReplacement(replaced: ReplacedContent): string
  /** Read such a text; `undefined` for any other, whoever wrote it. */
  readReplacement(text: string): KnownReplacement | undefined
  /** Write the block that the system message ends with. */
  writeSnapshot(snapshot: HistorySnapshot): string
  /** Read such a block from the text of a system message; `undefined` where there is none. */
  readSnapshot(text: string): KnownSnapshot | undefined
}

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

const MISSES: ReadonlySet<StorageErrorCode> = new Set<StorageErrorCode>(['not-found', 'evicted', 'invalid-reference'])

/** Tell whether something failed because nothing is stored there, any more or ever, and not by an outage. */
export const isMiss = (error: unknown): boolean => StorageError.isInstance(error) && MISSES.has(error.code)

/** Wait for what is stored under a name; `undefined` where nothing is, any more or ever. Rejects with all other failures. */
export async function unlessMissing<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found
  } catch (error) {
    if (isMiss(error)) return undefined
    throw error
  }
}
