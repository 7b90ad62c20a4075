import type { HistoryMessage } from '../history-message.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'
import type { Draft } from '../history-outcome.ts'
import { conversationUnits, recentStart } from '../measure/recent-start.ts'
import { findSystemSnapshot, systemEnd, type SystemSnapshot } from './system-snapshot.ts'

interface DividedHistory {
  readonly start: number
  readonly recent: number
  /** System messages and the last request, which stay. */
  readonly kept: ReadonlySet<number>
  readonly request: number | undefined
  readonly units: readonly (readonly number[])[]
}

/** A conversation must begin with the user. If the recent messages do not, the last request stays. */
function divideHistory(drafts: readonly Draft[], options: ResolvedHistoryOptions): DividedHistory {
  const messages = drafts.map(({ message }) => message)
  const start = systemEnd(messages, options.archive)
  const recent = Math.max(start, recentStart(messages, options.keepRecentForCompress))
  const isOpening = messages.slice(recent).find(({ role }) => role !== 'system')?.role === 'user'
  const request = isOpening ? undefined : lastRequest(drafts, start, recent)
  const kept = new Set<number>()
  if (request !== undefined) kept.add(request)
  for (let index = start; index < recent; index++) if (messages[index]?.role === 'system') kept.add(index)
  const units: number[][] = []
  for (const unit of conversationUnits(messages)) {
    if (unit.end <= start || unit.start >= recent) continue
    const positions = Array.from({ length: unit.end - unit.start }, (_, index) => unit.start + index)
    const left = positions.filter((index) => !kept.has(index))
    if (left.length > 0) units.push(left)
  }
  return { start, recent, kept, request, units: mergeUnits(units, messages, start, request) }
}

/** Joins units if removing the first alone would leave a conversation that does not begin with the user. */
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
    // Spreading a long list into arguments would exceed the stack.
    for (const index of unit) merged.at(-1)!.push(index)
    const next = units[position + 1]?.[0]
    isOpen = next !== undefined && messages[Math.min(request, next)]?.role !== 'user'
  }
  return merged
}

function lastRequest(drafts: readonly Draft[], start: number, end: number): number | undefined {
  for (let index = end - 1; index >= start; index--) {
    const { role, parts } = drafts[index]!.message
    if (role === 'user' && !parts.some(({ type }) => type === 'tool-result')) return index
  }
  return undefined
}

/** Group units by `groupTokens`, in order; a larger unit is its own group, and 0 means one group. */
export function groupUnits(
  units: readonly (readonly number[])[],
  drafts: readonly Draft[],
  groupTokens: number,
): readonly (readonly number[])[] {
  if (units.length === 0) return []
  if (groupTokens === 0) return [units.flat()]
  const groups: number[][] = []
  let current: number[] = []
  let tokens = 0
  for (const unit of units) {
    const needed = unit.reduce((sum, index) => sum + drafts[index]!.tokens, 0)
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

/** Less than this share of the limit is not worth a model call. */
const MIN_SHARE = 0.05

export interface CompressionPlan extends DividedHistory {
  readonly before: SystemSnapshot | undefined
  /** The reason why nothing is compressed, if so. */
  readonly reason: 'no-summarize' | 'too-little' | undefined
}

export function planCompression(drafts: readonly Draft[], options: ResolvedHistoryOptions): CompressionPlan {
  const divided = divideHistory(drafts, options)
  const systems = drafts.slice(0, divided.start).map(({ message }) => message)
  const found = findSystemSnapshot(systems, options.archive)
  const tokens = divided.units.flat().reduce((sum, index) => sum + drafts[index]!.tokens, 0)
  const isLittle = tokens < options.maxTotalTokens * MIN_SHARE
  const reason = isLittle ? 'too-little' : options.summarize === undefined ? 'no-summarize' : undefined
  return { ...divided, before: found, reason }
}

/** Note the reasons of all messages that are known before a model is asked. */
export function noteReasons(
  drafts: readonly Draft[],
  { start, recent, request, units, reason }: CompressionPlan,
): void {
  for (const [index, draft] of drafts.entries()) {
    if (draft.message.role === 'system') draft.reason = 'system'
    else if (index >= recent || index < start) draft.reason = 'recent'
  }
  if (reason !== undefined) for (const index of units.flat()) drafts[index]!.reason = reason
  if (request !== undefined) drafts[request]!.reason = 'request'
}
