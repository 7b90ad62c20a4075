import { stateOf } from '../storage/managed-storage.ts'
import { childScope, idPrefix, rootScope, scopePath, splitId, type EntryId } from '../storage/reference.ts'
import type { OpenEntry, CompleteDriver } from '../storage/storage-driver.ts'
import { openEntryOf } from '../storage/open-entry-names.ts'
import { checkAborted, guard, guardIteration, StorageError } from '../storage/storage-error.ts'
import type { OperationOptions } from '../storage/storage.ts'

/** Which entries of a storage something is done to. */
export interface EntryOptions extends OperationOptions {
  /** Only the scope with these segments, and those below it. Defaults to the whole storage. */
  readonly scope?: readonly string[] | undefined
}

/** Entries that are worked on at the same time. */
const CONCURRENCY = 8
const PIECE_BYTES = 4 * 1_048_576

/** Return the driver of a storage. Throws a `TypeError` for a scope, and for storages that `createStorage` did not make. */
export function driverOf(storage: object, name: string): CompleteDriver {
  const driver = stateOf(storage)?.driver
  if (driver !== undefined) return driver
  throw new TypeError(
    `${name} must be a storage that createStorage or a Spillway backend made. Pass the whole storage and the option scope, not a scope of it.`,
  )
}

/** Return what the ids of a scope begin with. */
export const prefixOf = async (segments: readonly string[] = []): Promise<string> =>
  segments.length === 0 ? '' : idPrefix(await scopePath(childScope(rootScope(), segments)))

/** Do something with each entry of the driver, several at a time. The first error ends it. */
export async function forEachEntry(
  driver: CompleteDriver,
  { scope, signal }: EntryOptions,
  work: (id: EntryId, reference: string, isSegment: boolean) => Promise<void>,
): Promise<void> {
  const prefix = await prefixOf(scope)
  const entries = guardIteration({ action: 'list' }, () => driver.list(prefix))
  let isEnded = false
  const worker = async (): Promise<void> => {
    try {
      while (!isEnded) {
        checkAborted(signal)
        const { done, value } = await entries.next()
        if (done === true) return
        if (!value.id.startsWith(prefix)) continue
        const open = openEntryOf(value.id)
        await work(value.id, open?.reference ?? splitId(value.id).reference, open?.isHead === false)
      }
    } finally {
      isEnded = true
    }
  }
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  } finally {
    await entries.return(undefined)
  }
}

/** Open an entry, use it, and close it. Returns `undefined` if there is none. */
export async function withEntry<Result>(
  driver: CompleteDriver,
  id: EntryId,
  use: (entry: OpenEntry) => Promise<Result>,
): Promise<Result | undefined> {
  const { reference } = splitId(id)
  const entry = await guard({ action: 'retrieve', reference }, () => driver.open(id))
  try {
    return entry && (await use(entry))
  } finally {
    await guard({ action: 'close' }, async () => entry?.close())
  }
}

/** Read an entry in pieces, and show each to `see`. Throws `corrupt` if bytes are missing. */
export async function* entryPieces(
  entry: OpenEntry,
  reference: string,
  see?: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const { size } = entry.info
  for (let offset = 0; offset < size; offset += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, size - offset)
    const piece = await guard({ action: 'retrieve', reference }, () => entry.read({ offset, length }))
    if (piece.length < length)
      throw new StorageError('corrupt', `${reference} has fewer than its ${size} bytes. Run the tool again.`, {
        reference,
      })
    see?.(piece)
    yield piece
  }
}

/** Whether an error says that an entry is damaged or has gone, not that the backend is down. */
export const isOfEntry = (error: unknown): error is StorageError =>
  StorageError.isInstance(error) && (error.code === 'corrupt' || error.code === 'not-found')
