import { formatCount } from '@spillway/text/internal'
import { StorageError } from '../storage/storage-error.ts'
import type { Eviction, EvictionReason } from '../storage/storage-error.ts'
import type { StoredInfo } from '../storage/storage.ts'
import { abridge, quote } from './plain-text.ts'
import { RetrievalError } from './retrieval-error.ts'
import type { RetrievalContext } from './retrieval-context.ts'
import { canList, listNewest } from './scope-entries.ts'
import { closestNames } from './closest-names.ts'

/** References that are suggested in place of an unknown one. */
const MAX_SUGGESTIONS = 10
/** The newest references that an unknown one is compared with, and how many of them are named as the closest. */
const MAX_COMPARED = 300
const MAX_CLOSEST = 3
/** UTF-16 units of a reference that is worth comparing. */
const MIN_COMPARED_LENGTH = 3
const MAX_COMPARED_LENGTH = 128

const REASONS: Readonly<Record<EvictionReason, string>> = {
  turns: 'because it had not been used for many turns',
  age: 'because it had not been used for a long time',
  quota: 'to make room for newer content',
}

/**
 * Say what a failure of storage means for the model, and what to do next.
 *
 * The message of the error itself is not passed on: it may name hosts and paths.
 */
export async function explainStorageError(
  error: StorageError,
  reference: string | undefined,
  context: RetrievalContext,
): Promise<string> {
  const name = reference === undefined ? 'This content' : quote(reference)
  switch (error.code) {
    case 'not-found':
      return `Nothing is stored under ${name}. ${await suggest(reference, context)}`
    case 'invalid-reference':
      return (
        `${name} is not a reference: paths and addresses are not accepted. Copy one exactly as it stands under ` +
        `[Stored references:]. ${await suggest(undefined, context)}`
      ).trim()
    case 'evicted':
      return `${name} was removed from storage${error.eviction === undefined ? '' : when(error.eviction)}. ${runAgain(error.eviction)}`
    case 'unavailable':
      return `The storage is not available at the moment, so ${reference === undefined ? 'the content' : name} could not be read. It is not lost: try the same call again.`
    case 'aborted':
      return 'The call was aborted.'
    case 'corrupt':
      return `${name} is damaged and cannot be read. Run the tool again that gave it.`
    default:
      return `${name} could not be read (${error.code}). Run the tool again that gave it, or work with the preview.`
  }
}

async function suggest(asked: string | undefined, context: RetrievalContext): Promise<string> {
  const again = 'Use a reference exactly as it stands under [Stored references:].'
  if (!canList(context)) return again
  try {
    const { newest, total } = await listNewest(context, MAX_COMPARED, false)
    if (total === 0) return 'Nothing is stored here. Run the tool again whose result you need.'
    const list = newest.slice(0, MAX_SUGGESTIONS).map(describe)
    const which =
      total > list.length ? `The newest ${list.length} of ${formatCount(total)} references` : 'These references exist'
    const closest = closestTo(asked, newest).map(describe)
    const near = closest.length === 0 ? '' : `Written most like it: ${closest.join(', ')}. `
    return `${near}${which}: ${list.join(', ')}`
  } catch (error) {
    // The answer is about another failure already; without the list it still says what to do.
    if (StorageError.isInstance(error) || error instanceof RetrievalError) return again
    throw error
  }
}

/** Find what a reference was meant to be: one that is written like it, or whose key is. */
function closestTo(asked: string | undefined, entries: readonly StoredInfo[]): readonly StoredInfo[] {
  if (asked === undefined || asked.length < MIN_COMPARED_LENGTH || asked.length > MAX_COMPARED_LENGTH) return []
  const names = new Set(entries.flatMap(({ key, reference }) => [key, reference]))
  names.delete('')
  // Several entries may have the same key.
  const closest = closestNames(asked, [...names], 2 * MAX_CLOSEST).flatMap((name) =>
    entries.filter(({ key, reference }) => key === name || reference === name),
  )
  return [...new Set(closest)].slice(0, MAX_CLOSEST)
}

function describe({ reference, contentType, size }: StoredInfo): string {
  return `${reference} (${abridge(contentType, 40)}, ${formatCount(size)} bytes)`
}

function when({ reason, evictedAt }: Eviction): string {
  const date = new Date(evictedAt)
  const time = Number.isNaN(date.getTime()) ? '' : ` at ${date.toISOString().slice(0, 19)}Z`
  return `${time}, ${REASONS[reason]}`
}

function runAgain(eviction: Eviction | undefined): string {
  const tool = eviction?.metadata['tool']
  const which = tool === undefined ? 'the tool that gave it' : `the tool ${quote(tool)}`
  return `Run ${which} again to get a fresh result.`
}
