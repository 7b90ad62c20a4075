import { mayBeText } from '@spillway/text/internal'
import { checkAborted, StorageError } from '../storage/storage-error.ts'
import type { StoredInfo } from '../storage/storage.ts'
import { guard } from './open-content.ts'
import type { RetrievalContext } from './retrieval-context.ts'

/** One call looks into at most this many entries, the newest first. */
export const MAX_SEARCHED_ENTRIES = 1_000

/** One call reads at most this many bytes, unless a single entry has more. */
export const MAX_SEARCHED_BYTES = 1_073_741_824

/** The newest entries of a scope. */
export interface ScopeEntries {
  /** Newest first. */
  readonly newest: readonly StoredInfo[]
  /** How many there are in all, of those asked for. */
  readonly total: number
  /** How many there are beside those asked for: binary ones, where only text was. */
  readonly others: number
}

/** Tell whether what a storage lists may be shown: never without a scope, nothing enumerates then. */
export function canList(context: RetrievalContext): boolean {
  return context.scoped && context.storage.list !== undefined
}

/**
 * List the newest `count` entries of exactly this scope; only those that may be text if `textOnly`.
 *
 * @param onEntry - Called with every entry, also with those that are not returned.
 */
export async function listNewest(
  context: RetrievalContext,
  count: number,
  textOnly: boolean,
  onEntry?: (info: StoredInfo) => void,
): Promise<ScopeEntries> {
  let kept: StoredInfo[] = []
  let total = 0
  let others = 0
  await guard(undefined, async () => {
    for await (const info of context.storage.list!({ below: false, signal: context.signal })) {
      checkAborted(context.signal)
      onEntry?.(info)
      if (textOnly && !mayBeText(info.contentType)) {
        others++
        continue
      }
      total++
      kept.push(info)
      if (kept.length >= 2 * count + 64) kept = takeNewest(kept, count)
    }
  })
  return { newest: takeNewest(kept, count), total, others }
}

/** Return what `run` does, or `undefined` where the entry it is about has gone since it was listed. */
export async function unlessGone<Result>(run: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await run()
  } catch (error) {
    if (StorageError.isInstance(error) && (error.code === 'not-found' || error.code === 'evicted')) return undefined
    throw error
  }
}

function takeNewest(entries: readonly StoredInfo[], count: number): StoredInfo[] {
  const newer = (a: StoredInfo, b: StoredInfo): number =>
    b.storedAt - a.storedAt || (a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0)
  return entries.toSorted(newer).slice(0, count)
}
