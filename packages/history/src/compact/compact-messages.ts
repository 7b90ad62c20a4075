import { warn } from '@spillway/text/internal'
import { StorageError } from '@spillway/core'
import type { Draft } from '../draft.ts'
import type { HistoryMessage, HistoryPart, HistoryToolCall } from '../history-message.ts'
import type { ArchivedByHistory, HistoryFailure, HistoryReason } from '../history-outcome.ts'
import type { HistoryFormat } from '../history-format.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'
import { reportProgress } from '../history-progress.ts'
import { countPart } from '../measure/count-message.ts'
import { recentStart } from '../measure/recent-start.ts'
import { chooseParts, chooseTexts, type ChosenPart } from './choose-parts.ts'
import { compactArguments } from './compact-arguments.ts'
import type { CompactedPart } from './compacted-part.ts'
import { compactResult } from './compact-result.ts'
import { compactText } from './compact-text.ts'
import type { CompactionContext } from './compaction-context.ts'
import { shrinkReplacement } from './shrink-replacement.ts'

const CONCURRENT_PARTS = 4

/** What was stored, and what could not be. */
export interface Compaction {
  readonly stored: readonly ArchivedByHistory[]
  readonly failures: readonly HistoryFailure[]
}

/** Say what parts are compacted with. */
export function compactionContext(
  drafts: readonly Draft[],
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): CompactionContext {
  const calls = new Map<string, HistoryToolCall>()
  for (const { message } of drafts)
    for (const part of message.parts) if (part.type === 'tool-call') calls.set(part.id, part)
  return { ...options, format, calls }
}

/**
 * Make references of all large results and arguments before the recent messages, in one pass, changing the drafts.
 *
 * Each is stored before it is replaced; one that cannot be stored stays, and after an outage no more are tried.
 */
export async function compactMessages(
  drafts: readonly Draft[],
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): Promise<Compaction> {
  const messages = drafts.map(({ message }) => message)
  const chosen = chooseParts(drafts, recentStart(messages, options.keepRecentForCompact), options)
  return await replaceParts(chosen, compactionContext(drafts, format, options))
}

/** Make a reference of the long texts of one message of the user. */
export async function compactRequest(draft: Draft, context: CompactionContext): Promise<Compaction> {
  const stored: ArchivedByHistory[] = []
  const failures: HistoryFailure[] = []
  for (const { position, part, tokens } of chooseTexts(draft.message, context)) {
    const result = await attempt(draft, tokens, context, () => compactText(draft.message, part, context))
    apply(draft, position, result, context)
    stored.push(...result.stored)
    failures.push(...result.failures)
  }
  return { stored, failures }
}

async function replaceParts(chosen: readonly ChosenPart[], context: CompactionContext): Promise<Compaction> {
  const stored: ArchivedByHistory[] = []
  const failures: HistoryFailure[] = []
  for (let start = 0; start < chosen.length; start += CONCURRENT_PARTS) {
    const batch = chosen.slice(start, start + CONCURRENT_PARTS)
    if (failures.some(isOutage)) {
      for (const { draft } of batch) draft.reason = 'store-failed'
      continue
    }
    const results = await Promise.all(
      batch.map((choice) => {
        const isKnown = choice.kind === 'replacement'
        return attempt(choice.draft, choice.tokens, context, () => compactPart(choice, context), isKnown)
      }),
    )
    for (const [index, result] of results.entries()) {
      const { draft, position } = batch[index]!
      apply(draft, position, result, context)
      stored.push(...result.stored)
      failures.push(...result.failures)
    }
    reportProgress({ step: 'compact', done: start + batch.length, total: chosen.length }, context)
  }
  return { stored, failures }
}

const STOPS: ReadonlySet<string> = new Set(['unavailable', 'aborted'])

/** Tell whether after a failure nothing more is to be tried in this pass. */
export const isOutage = ({ error }: HistoryFailure): boolean => StorageError.isInstance(error) && STOPS.has(error.code)

async function compactPart(
  choice: ChosenPart,
  context: CompactionContext,
): Promise<CompactedPart<HistoryPart> | undefined> {
  const { draft, part } = choice
  if (choice.kind === 'arguments') return await compactArguments(draft.message, choice.part, context)
  if (choice.kind === 'replacement') {
    const shorter = await shrinkReplacement(choice.part, choice.known, context)
    if (shorter !== undefined) return { part: shorter, stored: { items: [], undo: async () => {} } }
    // It only looks like a replacement: it is what a tool returned.
    if (choice.tokens <= context.maxToolMessageTokens) return { part, stored: { items: [], undo: async () => {} } }
  }
  return await compactResult(draft.message, choice.part, choice.tokens, context)
}

/** What became of one part. */
interface Attempt extends Compaction {
  readonly part?: HistoryPart
  readonly reason: HistoryReason
}

async function attempt(
  { index, message }: Draft,
  tokens: number,
  context: CompactionContext,
  compact: () => Promise<CompactedPart<HistoryPart> | undefined>,
  isKnown = false,
): Promise<Attempt> {
  try {
    const compacted = await compact()
    if (compacted === undefined) return { reason: 'not-storable', stored: [], failures: [] }
    const { part, stored } = compacted
    if (writtenTokens(message, part, context) >= tokens) {
      await stored.undo()
      return { reason: isKnown ? 'already-compacted' : 'not-smaller', stored: [], failures: [] }
    }
    const items = stored.items.map(({ name, kind, size }) => ({ name, kind, size, index }))
    return { part, reason: 'compacted', stored: items, failures: [] }
  } catch (error) {
    // Whatever it was: the message must not be lost with it. It stays as it is, and the outcome carries the error.
    if (!StorageError.isInstance(error)) warn('A part of a history could not be compacted and stays.', error)
    return { reason: 'store-failed', stored: [], failures: [{ step: 'store', index, error }] }
  }
}

/** Count a part as its format writes it, which may escape what was put into it, or put it into a form of its own. */
function writtenTokens(message: HistoryMessage, part: HistoryPart, { format, countTokens }: CompactionContext): number {
  const written = format.read(format.write([{ ...message, parts: [part] }]))
  const parts = written.flatMap((one) => one.parts)
  return parts.reduce((sum, one) => sum + countPart(one, countTokens), 0)
}

function apply(draft: Draft, position: number, { part, reason }: Attempt, { countTokens }: CompactionContext): void {
  if (part === undefined) {
    draft.reason = draft.reason === 'compacted' ? draft.reason : reason
    return
  }
  const { parts } = draft.message
  // A message may have very many results: those that stay are not counted again for each that goes.
  draft.tokens += countPart(part, countTokens) - countPart(parts[position]!, countTokens)
  draft.message = { ...draft.message, parts: parts.with(position, part) }
  draft.reason = reason
}
