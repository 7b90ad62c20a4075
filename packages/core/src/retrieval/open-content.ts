import {
  countOf,
  formatCount,
  isTextContentType,
  mayBeText,
  yieldWhenDue,
  type LineRange,
} from '@spillway/text/internal'
import type { AdoptedStorage } from '../content/adopt-storage.ts'
import { withTextSource, type ContentSource, type TextReadOptions } from '../content/content-source.ts'
import { checkAborted, orAborted, StorageError, unlessFailed } from '../storage/storage-error.ts'
import type { StoredInfo } from '../storage/storage.ts'
import { RetrievalError, type RetrievalContext } from './retrieval-tool.ts'
import { formatAnswer, quote, shownType, type Answer } from './write-answer.ts'

/** Opens content for a function. Other errors of the storage become a `StorageError` with the code `unavailable`. */
export async function withContent<Result>(
  storage: AdoptedStorage,
  reference: string,
  options: TextReadOptions,
  use: (source: ContentSource) => Promise<Result>,
): Promise<Result> {
  return await withTextSource(storage, reference, { ...options, call: guard }, use)
}

export async function answerContent(
  reference: string,
  context: RetrievalContext,
  options: Pick<TextReadOptions, 'readsPart'>,
  write: (source: ContentSource, context: RetrievalContext) => Promise<Answer>,
): Promise<Answer> {
  return await withContent(context.storage, reference, { ...context, ...options }, (source) =>
    writeWithState(source, context, write),
  )
}

/** Adds a note if the content is not complete. */
export async function writeWithState(
  source: ContentSource,
  context: RetrievalContext,
  write: (source: ContentSource, context: RetrievalContext) => Promise<Answer>,
): Promise<Answer> {
  const state = await describeState(source)
  const said = formatAnswer({ header: [], ...state }, context)
  if (said === '') return await write(source, context)
  const maxTokens = Math.max(1, context.maxTokens - context.countTokens(`\n${said}`))
  const answer = await write(source, { ...context, maxTokens })
  const notes = [...(answer.notes ?? []), ...state.notes]
  return { ...answer, notes, rest: answer.rest ?? state.rest, isPartial: true }
}

const POLL_MS = 250

export async function pollPause(signal: AbortSignal | undefined): Promise<void> {
  await orAborted(new Promise((resolve) => setTimeout(resolve, POLL_MS)), signal)
}

const SUGGESTED_WAIT_SECONDS = 20

async function describeState(source: ContentSource): Promise<{ notes: string[]; rest?: Answer['rest'] }> {
  const { state, omitted, reference } = source
  const notes: string[] = []
  if (omitted !== undefined) {
    const lines = `lines ${formatCount(omitted.afterLine + 1)}-${formatCount(omitted.afterLine + omitted.lines)}`
    notes.push(`Not kept, because the output was over its limit: ${lines}`)
  }
  if (state === 'aborted') notes.push('The output was stopped before its end.')
  if (state === 'lost') notes.push('The writer of this output is gone. Its stored output is here.')
  if (state !== 'open' || !isTextContentType(source.contentType)) return { notes }
  const after = await endedLines(source)
  notes.push(`Still running: ${countOf(after, 'line')} so far.`)
  return { notes, rest: { call: { reference, after, wait_seconds: SUGGESTED_WAIT_SECONDS } } }
}

/** Returns the error for a range that begins after the last line. If the content still grows, with the call that waits. */
export async function lineBeyondEnd({ start }: LineRange, source: ContentSource): Promise<RetrievalError> {
  const { lines } = await source.lineIndex()
  const { rest } = await describeState(source)
  return new RetrievalError(
    'invalid-range',
    `line_range.start (${formatCount(start)}) is beyond the end of the content, which has ${countOf(lines, 'line')}. ` +
      `Choose lines between 1 and ${lines}.${rest === undefined ? '' : ' The output still grows. To wait for more lines:'}`,
    rest,
  )
}

/** Returns the number of complete lines. The last line of an open entry may still grow. */
export async function endedLines(source: ContentSource): Promise<number> {
  const { lines, endsWithLineFeed, size } = await source.lineIndex()
  return size === 0 || endsWithLineFeed ? lines : lines - 1
}

async function guard<Result>(reference: string | undefined, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (cause) {
    if (StorageError.isInstance(cause)) throw cause
    const what = reference === undefined ? 'The storage failed.' : `The storage could not give ${quote(reference)}.`
    const check = reference === undefined ? '' : ' Check that it is written exactly so under [Stored references:].'
    throw new RetrievalError('unavailable', `${what}${check} If the call is right, try the same call again.`, { cause })
  }
}

export function assertText({ contentType, reference }: Pick<ContentSource, 'contentType' | 'reference'>): void {
  if (isTextContentType(contentType)) return
  throw new RetrievalError(
    'not-text',
    `This content is binary (${shownType(contentType)}) and cannot be searched or read by lines. ` +
      'To get it in its native form:',
    { call: { reference } },
  )
}

const MAX_SEARCHED_ENTRIES = 1_000
/** Largest number of bytes to search, unless a single entry is larger. */
const MAX_SEARCHED_BYTES = 1_073_741_824

/**
 * Reads the texts of this scope one by one, the newest first. Old and large entries may not be searched. Damaged entries
 * are only counted, so that they do not hide the content of the other entries.
 */
export async function readNewest(
  context: RetrievalContext,
  hasTime: () => boolean,
  read: (info: StoredInfo, source: ContentSource) => Promise<void>,
): Promise<Record<'searched' | 'unsearched' | 'binary' | 'damaged', number>> {
  const { newest, total, others } = await listNewest(context, MAX_SEARCHED_ENTRIES, true)
  let opened = 0
  let bytes = 0
  let binary = 0
  let damaged = 0
  for (const info of newest) {
    if (opened > 0 && (bytes + info.size > MAX_SEARCHED_BYTES || !hasTime())) break
    opened++
    bytes += info.size
    await yieldWhenDue(context.storage.caller)
    await unlessGone(
      withContent(context.storage, info.reference, context, async (source) => {
        if (isTextContentType(source.contentType)) await read(info, source)
        else binary++
      }),
    ).catch((error: unknown) => {
      if (!StorageError.isInstance(error) || error.code !== 'corrupt') throw error
      damaged++
    })
  }
  return { searched: opened - binary - damaged, unsearched: total - opened, binary: others + binary, damaged }
}

/** Whether entries may be listed. Without a scope, a caller could list the entries of other callers. */
export function canList(context: RetrievalContext): boolean {
  return context.scoped && context.storage.can.list
}

/** Lists the entries of exactly this scope. `onEntry` is also called for entries that are not returned. */
export async function listNewest(
  context: RetrievalContext,
  count: number,
  textOnly: boolean,
  onEntry?: (info: StoredInfo) => void,
): Promise<{ readonly newest: readonly StoredInfo[]; readonly total: number; readonly others: number }> {
  let kept: StoredInfo[] = []
  let total = 0
  let others = 0
  await guard(undefined, async () => {
    for await (const info of context.storage.list({ below: false, signal: context.signal })) {
      checkAborted(context.signal)
      await yieldWhenDue(context.storage.caller)
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

export const unlessGone = <Result>(reading: Promise<Result>): Promise<Result | undefined> =>
  unlessFailed(reading, 'not-found', 'evicted')

function takeNewest(entries: readonly StoredInfo[], count: number): StoredInfo[] {
  const newer = (a: StoredInfo, b: StoredInfo): number =>
    b.storedAt - a.storedAt || (a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0)
  return entries.toSorted(newer).slice(0, count)
}
