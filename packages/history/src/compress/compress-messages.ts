import { estimateLargeTokens } from '@spillway/text/internal'
import type { ArchivedMessages, HistorySnapshot } from '../archive/history-archive.ts'
import { compactionContext, compactRequest } from '../compact/compact-messages.ts'
import { redraft, totalTokens, type Draft } from '../draft.ts'
import { findNames } from '../find-names.ts'
import type { HistoryMessage } from '../history-message.ts'
import type { HistoryFormat } from '../history-format.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'
import type { ArchivedByHistory, HistoryFailure, HistoryReason } from '../history-outcome.ts'
import { reportProgress } from '../history-progress.ts'
import { countMessage } from '../measure/count-message.ts'
import { groupUnits } from './divide-history.ts'
import { findKept, type Finding } from './find-kept.ts'
import { noteReasons, planCompression, type CompressionPlan } from './plan-compression.ts'
import { asSnapshot, liveSnapshot, storeGroup, type LiveSnapshot } from './store-group.ts'
import { retrieveGroup } from './retrieve-group.ts'
import { summarizeGroup } from './summarize-group.ts'
import { withSnapshot } from './system-snapshot.ts'

/** About as long as the line of any group. */
const TYPICAL_GROUP: ArchivedMessages = {
  name: 'history_messages_k3jx52mvn4q7ah6zr2ya',
  kind: 'messages',
  contentType: 'application/json',
  size: 1_000_000,
  count: 1_000,
  kept: [1, 100],
}

/** A history with a summary in the place of older messages. */
export interface Compression {
  readonly drafts: readonly Draft[]
  readonly stored: readonly ArchivedByHistory[]
  readonly failures: readonly HistoryFailure[]
}

/** How far compressing has come. */
interface Progress {
  snapshot: LiveSnapshot
  readonly stored: ArchivedByHistory[]
  readonly failures: HistoryFailure[]
}

/**
 * Put a summary in the place of the messages before the recent ones, group after group: each is summarised together with
 * the snapshot before it, then stored, and only then taken out. The first group that fails stays, with all after it.
 */
export async function compressMessages(
  drafts: readonly Draft[],
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): Promise<Compression> {
  const plan = planCompression(drafts, options)
  noteReasons(drafts, plan)
  const progress: Progress = { snapshot: liveSnapshot(plan.before?.known, []), stored: [], failures: [] }
  if (plan.reason === undefined && (await begin(plan, drafts, progress, format, options))) {
    const groups = groupUnits(plan.units, drafts, options.groupTokens)
    for (const [number, group] of groups.entries()) {
      const failed = await compressGroup(group, plan, drafts, progress, format, options)
      reportProgress({ step: 'store', group: number + 1, groups: groups.length }, options)
      if (failed === undefined) continue
      for (const index of groups.slice(number).flat()) drafts[index]!.reason = failed
      break
    }
  }
  const left = applySnapshot(drafts, plan, progress.snapshot, options)
  const { request } = plan
  const isLarge = totalTokens(left) > options.maxTotalTokens
  if (request === undefined || !isLarge) return { drafts: left, stored: progress.stored, failures: progress.failures }
  const compacted = await compactRequest(drafts[request]!, compactionContext(left, format, options))
  return {
    drafts: left,
    stored: [...progress.stored, ...compacted.stored],
    failures: [...progress.failures, ...compacted.failures],
  }
}

/** Go on from the snapshot that there is; tell whether that could be done. Where storage cannot be asked, all stays. */
async function begin(
  { before, units }: CompressionPlan,
  drafts: readonly Draft[],
  progress: Progress,
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): Promise<boolean> {
  if (before === undefined) return true
  const { archive, signal, offloader } = options
  const retrieve: Finding['retrieve'] = (name) => archive.retrieve(name, { signal })
  const finding: Finding = { format, archive, retrieve, redact: offloader.options.redact }
  try {
    const kept: (HistoryMessage | undefined)[] = []
    for (const group of before.known.groups) {
      if (group.kept.length === 0) continue
      const stored = await retrieveGroup(group, finding)
      for (const position of group.kept) kept.push(stored?.[position - 1])
    }
    const messages = drafts.map(({ message }) => message)
    const keptAt = await findKept(messages, before.message + 1, kept, finding)
    progress.snapshot = liveSnapshot(before.known, keptAt)
    return true
  } catch (error) {
    // Whatever it was: the messages stay, and the outcome carries the error.
    const all = units.flat()
    for (const index of all) drafts[index]!.reason = 'store-failed'
    progress.failures.push({ step: 'store', index: drafts[all[0] ?? 0]?.index ?? 0, error })
    return false
  }
}

/** Summarise, store and take out one group; return why it stays where that failed. */
async function compressGroup(
  group: readonly number[],
  plan: CompressionPlan,
  drafts: readonly Draft[],
  progress: Progress,
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): Promise<HistoryReason | undefined> {
  const { summarize, archive } = options
  const first = drafts[group[0]!]!
  const messages = group.map((index) => drafts[index]!.message)
  const tokens = group.reduce((sum, index) => sum + drafts[index]!.tokens, 0)
  const names = messages.flatMap((message) => findNames(message, archive).map(({ name }) => name))
  const request = plan.request === undefined ? undefined : drafts[plan.request]!.message
  const previousSnapshot = progress.snapshot.text === '' ? undefined : progress.snapshot.text
  const growth = (text: string): number => snapshotGrowth(text, progress.snapshot, options)
  const asked = { messages, tokens, references: [...new Set(names)], request, previousSnapshot, growth }
  const summary = await summarizeGroup(asked, summarize!, options)
  if ('rejection' in summary) {
    const { rejection: reason, ...rest } = summary
    progress.failures.push({ step: 'summarize', index: first.index, reason, ...rest })
    return 'summary-failed'
  }
  try {
    const { snapshot, item } = await storeGroup(
      group,
      summary.snapshot,
      progress.snapshot,
      plan.start,
      drafts,
      format,
      options,
    )
    progress.snapshot = snapshot
    progress.stored.push({ name: item.name, kind: item.kind, size: item.size, index: first.index })
    return undefined
  } catch (error) {
    // Whatever it was: the messages stay, and the outcome carries the error.
    progress.failures.push({ step: 'store', index: first.index, error })
    return 'store-failed'
  }
}

/** Say how much larger the system message gets with a snapshot, and the name of one more group, than it is now. */
function snapshotGrowth(text: string, before: LiveSnapshot, { archive, countTokens }: ResolvedHistoryOptions): number {
  // A model may answer with a text of any length.
  const count = (snapshot: HistorySnapshot): number => estimateLargeTokens(archive.writeSnapshot(snapshot), countTokens)
  const now = before.groups.length === 0 ? 0 : count(asSnapshot(before))
  const { groups, tokens } = asSnapshot(before)
  return count({ text, groups: [...groups, TYPICAL_GROUP], tokens }) - now
}

/** Take out what the snapshot has, and put it into the system message. */
function applySnapshot(
  drafts: readonly Draft[],
  { start }: CompressionPlan,
  snapshot: LiveSnapshot,
  { archive, countTokens }: ResolvedHistoryOptions,
): readonly Draft[] {
  const { removed } = snapshot
  if (removed.size === 0) return drafts
  for (const index of removed) drafts[index]!.reason = 'compressed'
  const left = drafts.filter((_, index) => index >= start && !removed.has(index))
  const systems = drafts.slice(0, start)
  const messages = withSnapshot(
    systems.map(({ message }) => message),
    asSnapshot(snapshot),
    archive,
  )
  const made = messages.map((message, position): Draft => {
    const draft = systems[position]
    if (draft === undefined) return { index: -1, message, tokens: countMessage(message, countTokens), reason: 'system' }
    if (draft.message !== message) redraft(draft, message, 'system', countTokens)
    return draft
  })
  return [...made, ...left]
}
