import {
  type ArchivedItem,
  type ArchivedMessages,
  type HistorySnapshot,
  type ParsedSnapshot,
  storeItems,
} from '../archive/history-archive.ts'
import { textContent } from '../compact/archived-content.ts'
import { findNames } from '../compact/argument-texts.ts'
import { compactionContext, compactRequest, type Compaction } from '../compact/compact-messages.ts'
import { encodeConversation, type HistoryFormat } from '../history-format.ts'
import type { HistoryMessage } from '../history-message.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'
import {
  type ArchivedByHistory,
  type WorkingMessage,
  type HistoryFailure,
  type HistoryReason,
  replaceMessage,
  totalTokens,
} from '../history-outcome.ts'
import { countMessage } from '../measure/count-message.ts'
import { conversationUnits, recentStart } from '../measure/recent-start.ts'
import { type Finding, findRetained, readableJson, retrieveGroup } from './find-retained.ts'
import { summarizeGroup } from './summarize-group.ts'
import { findSystemSnapshot, systemEnd, type SystemSnapshot, withSnapshot } from './system-snapshot.ts'

const TYPICAL_GROUP: ArchivedMessages = {
  name: 'history_messages_k3jx52mvn4q7ah6zr2ya',
  kind: 'messages',
  contentType: 'application/json',
  size: 1_000_000,
  count: 1_000,
  retained: [1, 100],
}

interface Compression extends Compaction {
  readonly working: readonly WorkingMessage[]
}

interface Progress {
  snapshot: LiveSnapshot
  readonly stored: ArchivedByHistory[]
  readonly failures: HistoryFailure[]
}

/** Replace older messages by summaries, group by group. If a group fails, this group and later groups do not change. */
export async function compressMessages(
  working: readonly WorkingMessage[],
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): Promise<Compression> {
  const plan = planCompression(working, options)
  noteReasons(working, plan)
  const progress: Progress = { snapshot: liveSnapshot(plan.before?.parsed, []), stored: [], failures: [] }
  if (plan.reason === undefined && (await begin(plan, working, progress, format, options))) {
    const groups = groupUnits(plan.units, working, options.groupTokens)
    for (const [number, group] of groups.entries()) {
      const failed = await compressGroup(group, plan, working, progress, format, options)
      if (failed === undefined) continue
      for (const index of groups.slice(number).flat()) working[index]!.reason = failed
      break
    }
  }
  const left = applySnapshot(working, plan, progress.snapshot, options)
  const { request } = plan
  const isLarge = totalTokens(left) > options.maxTotalTokens
  if (request === undefined || !isLarge) return { working: left, stored: progress.stored, failures: progress.failures }
  const compacted = await compactRequest(working[request]!, compactionContext(left, format, options))
  return {
    working: left,
    stored: [...progress.stored, ...compacted.stored],
    failures: [...progress.failures, ...compacted.failures],
  }
}

async function begin(
  { before, units }: CompressionPlan,
  working: readonly WorkingMessage[],
  progress: Progress,
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): Promise<boolean> {
  if (before === undefined) return true
  const { archive, signal, offloader } = options
  const retrieve: Finding['retrieve'] = (name) => archive.retrieve(name, { signal })
  const finding: Finding = { format, archive, retrieve, redact: offloader.options.redact }
  try {
    const retained: (HistoryMessage | undefined)[] = []
    for (const group of before.parsed.groups) {
      if (group.retained.length === 0) continue
      const stored = await retrieveGroup(group, finding)
      for (const position of group.retained) retained.push(stored?.[position - 1])
    }
    const messages = working.map(({ message }) => message)
    const retainedAt = await findRetained(messages, before.message + 1, retained, finding)
    progress.snapshot = liveSnapshot(before.parsed, retainedAt)
    return true
  } catch (error) {
    // After any error, the messages do not change, and the outcome reports the error.
    const all = units.flat()
    for (const index of all) working[index]!.reason = 'store-failed'
    progress.failures.push({ step: 'store', index: working[all[0] ?? 0]?.index ?? 0, error })
    return false
  }
}

async function compressGroup(
  group: readonly number[],
  plan: CompressionPlan,
  working: readonly WorkingMessage[],
  progress: Progress,
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): Promise<HistoryReason | undefined> {
  const { summarize, archive } = options
  const first = working[group[0]!]!
  const messages = group.map((index) => working[index]!.message)
  const tokens = group.reduce((sum, index) => sum + working[index]!.tokens, 0)
  const names = messages.flatMap((message) => findNames(message, archive).map(({ name }) => name))
  const request = plan.request === undefined ? undefined : working[plan.request]!.message
  const previousSnapshot = progress.snapshot.text === '' ? undefined : progress.snapshot.text
  const growth = (text: string): number => snapshotGrowth(text, progress.snapshot, options)
  const summaryGroup = { messages, tokens, references: [...new Set(names)], request, previousSnapshot, growth }
  const summary = await summarizeGroup(summaryGroup, summarize!, options)
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
      working,
      format,
      options,
    )
    progress.snapshot = snapshot
    progress.stored.push({ name: item.name, kind: item.kind, size: item.size, index: first.index })
    return undefined
  } catch (error) {
    // After any error, the messages do not change, and the outcome reports the error.
    progress.failures.push({ step: 'store', index: first.index, error })
    return 'store-failed'
  }
}

function snapshotGrowth(text: string, before: LiveSnapshot, { archive, countTokens }: ResolvedHistoryOptions): number {
  const count = (snapshot: HistorySnapshot): number => countTokens(archive.writeSnapshot(snapshot))
  const now = before.groups.length === 0 ? 0 : count(asSnapshot(before))
  const { groups, tokens } = asSnapshot(before)
  return count({ text, groups: [...groups, TYPICAL_GROUP], tokens }) - now
}

function applySnapshot(
  working: readonly WorkingMessage[],
  { start }: CompressionPlan,
  snapshot: LiveSnapshot,
  { archive, countTokens }: ResolvedHistoryOptions,
): readonly WorkingMessage[] {
  const { removed } = snapshot
  if (removed.size === 0) return working
  for (const index of removed) working[index]!.reason = 'compressed'
  const left = working.filter((_, index) => index >= start && !removed.has(index))
  const systems = working.slice(0, start)
  const messages = withSnapshot(
    systems.map(({ message }) => message),
    asSnapshot(snapshot),
    archive,
  )
  const made = messages.map((message, position): WorkingMessage => {
    const workingMessage = systems[position]
    if (workingMessage === undefined)
      return { index: -1, message, tokens: countMessage(message, countTokens), reason: 'system' }
    if (workingMessage.message !== message) replaceMessage(workingMessage, message, 'system', countTokens)
    return workingMessage
  })
  return [...made, ...left]
}

/** Largest number of groups. The next snapshot then replaces all groups, so that the list stays short. */
const MAX_GROUPS = 8

/** A stored group, with the current positions of its messages that are still in the history. */
interface LiveGroup {
  readonly group: ArchivedMessages
  readonly retainedAt: readonly number[]
}

interface LiveSnapshot {
  readonly text: string
  readonly groups: readonly LiveGroup[]
  readonly tokens: number
  /** Positions of messages that this pass removed. */
  readonly removed: ReadonlySet<number>
}

function liveSnapshot(before: ParsedSnapshot | undefined, retainedAt: readonly (number | undefined)[]): LiveSnapshot {
  let next = 0
  const groups = (before?.groups ?? []).map((group): LiveGroup => {
    const places = group.retained.map((position, index) => ({ position, at: retainedAt[next + index] }))
    next += group.retained.length
    const found = places.filter((place): place is { position: number; at: number } => place.at !== undefined)
    return {
      group: { ...group, retained: found.map(({ position }) => position) },
      retainedAt: found.map(({ at }) => at),
    }
  })
  return { text: before?.text ?? '', groups, tokens: before?.tokens ?? 0, removed: new Set() }
}

const asSnapshot = ({ text, groups, tokens }: LiveSnapshot): HistorySnapshot => ({
  text,
  groups: groups.map(({ group }) => group),
  tokens,
})

/** Store a group. Messages that stay in the history between its messages are stored too, so that the order is kept. */
async function storeGroup(
  group: readonly number[],
  text: string,
  before: LiveSnapshot,
  start: number,
  working: readonly WorkingMessage[],
  format: HistoryFormat<unknown>,
  { archive, offloader, signal }: ResolvedHistoryOptions,
): Promise<{ readonly snapshot: LiveSnapshot; readonly item: ArchivedItem }> {
  const taken = new Set(group)
  const groups = before.groups.map((live) => withoutTaken(live, taken))
  const retainedBefore = groups.flatMap(({ retainedAt }) => retainedAt)
  const messages: HistoryMessage[] = []
  const retained: number[] = []
  const retainedAt: number[] = []
  const add = (index: number, isRetained: boolean): void => {
    messages.push(working[index]!.message)
    if (!isRetained) return
    retained.push(messages.length)
    retainedAt.push(index)
  }
  const isFolded = groups.length >= MAX_GROUPS
  if (isFolded) {
    // The new group replaces the older groups. It starts with their snapshot and their retained messages.
    messages.push(...withSnapshot([], asSnapshot({ ...before, groups }), archive))
    for (const index of retainedBefore) add(index, true)
  }
  let first = start
  for (const index of before.removed) first = Math.max(first, index + 1)
  const earlier = new Set(before.groups.flatMap((live) => live.retainedAt))
  for (let index = first; index <= group.at(-1)!; index++) if (!earlier.has(index)) add(index, !taken.has(index))
  const json = encodeConversation(format, messages)
  const { bytes, contentType, kind } = textContent(
    'messages',
    readableJson(format, json, offloader.options.redact),
    undefined,
  )
  const item = { kind, callId: 'history', part: 'messages', toolName: '', content: bytes, contentType }
  const { items } = await storeItems(archive, [item], { signal })
  const named: LiveGroup = { group: { ...items[0]!, count: messages.length, retained }, retainedAt }
  const tokens = group.reduce((sum, index) => sum + working[index]!.tokens, before.tokens)
  const removed = new Set([...before.removed, ...taken])
  return { snapshot: { text, groups: [...(isFolded ? [] : groups), named], tokens, removed }, item: items[0]! }
}

function withoutTaken({ group, retainedAt }: LiveGroup, taken: ReadonlySet<number>): LiveGroup {
  const retained = group.retained.filter((_, position) => !taken.has(retainedAt[position]!))
  return { group: { ...group, retained }, retainedAt: retainedAt.filter((index) => !taken.has(index)) }
}

interface DividedHistory {
  readonly start: number
  readonly recent: number
  /** Positions of messages that are not removed: system messages and the last request. */
  readonly retained: ReadonlySet<number>
  readonly request: number | undefined
  readonly units: readonly (readonly number[])[]
}

/** Divide the history. Conversations must begin with a user message, so the last request may have to stay. */
function divideHistory(working: readonly WorkingMessage[], options: ResolvedHistoryOptions): DividedHistory {
  const messages = working.map(({ message }) => message)
  const start = systemEnd(messages, options.archive)
  const recent = Math.max(start, recentStart(messages, options.keepRecentForCompress))
  const isOpening = messages.slice(recent).find(({ role }) => role !== 'system')?.role === 'user'
  const request = isOpening ? undefined : lastRequest(working, start, recent)
  const retained = new Set<number>()
  if (request !== undefined) retained.add(request)
  for (let index = start; index < recent; index++) if (messages[index]?.role === 'system') retained.add(index)
  const units: number[][] = []
  for (const unit of conversationUnits(messages)) {
    if (unit.end <= start || unit.start >= recent) continue
    const positions = Array.from({ length: unit.end - unit.start }, (_, index) => unit.start + index)
    const left = positions.filter((index) => !retained.has(index))
    if (left.length > 0) units.push(left)
  }
  return { start, recent, retained, request, units: mergeUnits(units, messages, start, request) }
}

/** Join two units if removing only the first would leave a conversation that does not begin with a user message. */
function mergeUnits(
  units: readonly (readonly number[])[],
  messages: readonly HistoryMessage[],
  start: number,
  request: number = Infinity,
): readonly (readonly number[])[] {
  if (messages.slice(start).find(({ role }) => role !== 'system')?.role !== 'user') return units
  const merged: number[][] = []
  let isOpen = false
  for (const [position, unit] of units.entries()) {
    if (!isOpen) merged.push([])
    // The loop pushes single values, because spreading a long list into arguments would overflow the stack.
    for (const index of unit) merged.at(-1)!.push(index)
    const next = units[position + 1]?.[0]
    isOpen = next !== undefined && messages[Math.min(request, next)]?.role !== 'user'
  }
  return merged
}

function lastRequest(working: readonly WorkingMessage[], start: number, end: number): number | undefined {
  for (let index = end - 1; index >= start; index--) {
    const { role, parts } = working[index]!.message
    if (role === 'user' && !parts.some(({ type }) => type === 'tool-result')) return index
  }
  return undefined
}

/** Group units in order, up to `groupTokens` each. A larger unit becomes a separate group. 0 gives one group. */
function groupUnits(
  units: readonly (readonly number[])[],
  working: readonly WorkingMessage[],
  groupTokens: number,
): readonly (readonly number[])[] {
  if (units.length === 0) return []
  if (groupTokens === 0) return [units.flat()]
  const groups: number[][] = []
  let current: number[] = []
  let tokens = 0
  for (const unit of units) {
    const needed = unit.reduce((sum, index) => sum + working[index]!.tokens, 0)
    if (current.length > 0 && tokens + needed > groupTokens) {
      groups.push(current)
      current = []
      tokens = 0
    }
    for (const index of unit) current.push(index)
    tokens += needed
  }
  return [...groups, current]
}

/** Smallest share of the limit that the summarized messages must have. A model call for less is not worthwhile. */
const MIN_SHARE = 0.05

interface CompressionPlan extends DividedHistory {
  readonly before: SystemSnapshot | undefined
  /** The reason why nothing is compressed, if any. */
  readonly reason: 'no-summarize' | 'too-little' | undefined
}

function planCompression(working: readonly WorkingMessage[], options: ResolvedHistoryOptions): CompressionPlan {
  const divided = divideHistory(working, options)
  const systems = working.slice(0, divided.start).map(({ message }) => message)
  const found = findSystemSnapshot(systems, options.archive)
  const tokens = divided.units.flat().reduce((sum, index) => sum + working[index]!.tokens, 0)
  const isLittle = tokens < options.maxTotalTokens * MIN_SHARE
  const reason = isLittle ? 'too-little' : options.summarize === undefined ? 'no-summarize' : undefined
  return { ...divided, before: found, reason }
}

/** Set the reason of each message that is known before a model is called. */
function noteReasons(
  working: readonly WorkingMessage[],
  { start, recent, request, units, reason }: CompressionPlan,
): void {
  for (const [index, workingMessage] of working.entries()) {
    if (workingMessage.message.role === 'system') workingMessage.reason = 'system'
    else if (index >= recent || index < start) workingMessage.reason = 'recent'
  }
  if (reason !== undefined) for (const index of units.flat()) working[index]!.reason = reason
  if (request !== undefined) working[request]!.reason = 'request'
}
