import { StorageError } from '../storage/storage-error.ts'
import type { StoredInfo } from '../storage/storage.ts'
import { chooseMatcher } from './choose-matcher.ts'
import { openContent } from './open-content.ts'
import { unitsFor } from './fit-answer.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import { referenceRequired } from './retrieval-input.ts'
import type { PatternRequest } from './retrieval-input.ts'
import { canList, listNewest } from './scope-entries.ts'
import { KEPT_OF_A_LINE, searchContent } from './search-content.ts'
import type { ContentFindings } from './search-content.ts'
import { LITERAL_NOTE } from './write-search.ts'
import { writeScope } from './write-scope.ts'
import type { ScopeFindings, ScopeGroup } from './write-scope.ts'

/** One call searches at most this many entries, the newest first. */
const MAX_ENTRIES = 1_000

/** One call reads at most this many bytes, unless a single entry has more. */
const MAX_BYTES = 1_073_741_824

/** Entries whose hits fill what is kept for one answer. */
const SHARES = 8

/** Answer a search in everything that the scope holds. */
export async function answerScope(request: PatternRequest, context: RetrievalContext): Promise<string> {
  if (!canList(context)) throw referenceRequired('pattern')
  const { pattern, ignoreCase, contextLines } = request
  const { matcher, literal } = chooseMatcher(pattern, { ignoreCase, deadlineMs: context.deadlineMs })
  const { newest, total } = await listNewest(context, MAX_ENTRIES, true)
  const groups: ScopeGroup[] = []
  let searched = 0
  let bytes = 0
  // Each entry gets a share, so that the newest does not take the place of all others.
  const units = unitsFor(context)
  const share = context.maxTokens === Infinity ? units : units / SHARES
  let room = units
  for (const info of newest) {
    if (searched > 0 && bytes + info.size > MAX_BYTES) break
    bytes += info.size
    searched++
    const options = { contextLines, keep: KEPT_OF_A_LINE, limit: Math.min(room, share) }
    const found = await searchEntry(info, context, (source) => searchContent(source, matcher, undefined, options))
    if (found === undefined || found.hits === 0) continue
    for (const { text } of found.views) room = Math.max(0, room - text.length)
    groups.push({ info, found })
  }
  const findings: ScopeFindings = { groups, searched, unsearched: total - searched }
  return writeScope(findings, request, literal ? [LITERAL_NOTE] : [], context)
}

/** Search one entry; one that has gone since it was listed has nothing to be found in. */
async function searchEntry(
  { reference }: StoredInfo,
  context: RetrievalContext,
  search: (source: Awaited<ReturnType<typeof openContent>>) => Promise<ContentFindings>,
): Promise<ContentFindings | undefined> {
  try {
    return await search(await openContent(context.storage, reference, context))
  } catch (error) {
    if (StorageError.isInstance(error) && (error.code === 'not-found' || error.code === 'evicted')) return undefined
    throw error
  }
}
