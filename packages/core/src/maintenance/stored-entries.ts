import { prefixOf, stateOf } from '../storage/managed-storage.ts'
import { openEntryOf, splitId, type EntryId } from '../storage/entry-names.ts'
import type { StorageState } from '../storage/scoped-storage.ts'
import type { OpenEntry, CompleteDriver } from '../storage/storage-driver.ts'
import { checkAborted, guard, guardIteration, StorageError } from '../storage/storage-error.ts'
import type { OperationOptions } from '../storage/storage.ts'

/** Options that select entries of a storage. */
export interface EntryOptions extends OperationOptions {
  /** Only the scope with these segments, and nested scopes. Defaults to the whole storage. */
  readonly scope?: readonly string[] | undefined
}

const CONCURRENCY = 8
const PIECE_BYTES = 4 * 1_048_576

export function assertManaged(storage: object, name: string): StorageState {
  const state = stateOf(storage)
  if (state !== undefined) return state
  throw new TypeError(
    `${name} must be a storage that createStorage or a Spillway backend made. Pass the whole storage, and a scope by the option scope.`,
  )
}

/** Call a function for each entry, several at a time. The first error stops the work. */
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

/** Yields the bytes of an entry in chunks. Throws `corrupt` if bytes are missing. */
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
      throw new StorageError(
        'corrupt',
        `${reference} should have ${size} bytes, but some are missing. Run the tool again.`,
        { reference },
      )
    see?.(piece)
    yield piece
  }
}

/** Whether the error means that this entry is damaged or missing, and not that the backend is unavailable. */
export const isOfEntry = (error: unknown): error is StorageError =>
  StorageError.isInstance(error) && (error.code === 'corrupt' || error.code === 'not-found')
