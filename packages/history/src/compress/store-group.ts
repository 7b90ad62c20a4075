import type { ArchivedItem, ArchivedMessages, HistorySnapshot, KnownSnapshot } from '../archive/history-archive.ts'
import { storeItems } from '../archive/store-items.ts'
import { textContent } from '../compact/archived-content.ts'
import type { Draft } from '../draft.ts'
import { encodeConversation } from '../encode-conversation.ts'
import type { HistoryFormat } from '../history-format.ts'
import type { HistoryMessage } from '../history-message.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'
import { readableJson } from './readable-json.ts'
import { withSnapshot } from './system-snapshot.ts'

/** A snapshot that names as many groups as this becomes the beginning of the next one, so that the list does not grow. */
const MAX_GROUPS = 8

/** A group that was stored, and where among the drafts the messages are that it keeps, in the order of `kept`. */
export interface LiveGroup {
  readonly group: ArchivedMessages
  readonly keptAt: readonly number[]
}

/** What is in a snapshot. */
export interface LiveSnapshot {
  /** Empty before the first. */
  readonly text: string
  readonly groups: readonly LiveGroup[]
  /** Tokens of all messages that it stands for. */
  readonly tokens: number
  /** Positions of drafts that are in it, of those that were there when this pass began. */
  readonly removed: ReadonlySet<number>
}

/**
 * Say what the snapshot has that a history came with.
 *
 * @param keptAt - Where the messages are that it says are kept, as `findKept` found them; one that is none of them any more
 *   is not kept.
 */
export function liveSnapshot(before: KnownSnapshot | undefined, keptAt: readonly (number | undefined)[]): LiveSnapshot {
  let next = 0
  const groups = (before?.groups ?? []).map((group): LiveGroup => {
    const places = group.kept.map((position, index) => ({ position, at: keptAt[next + index] }))
    next += group.kept.length
    const found = places.filter((place): place is { position: number; at: number } => place.at !== undefined)
    return { group: { ...group, kept: found.map(({ position }) => position) }, keptAt: found.map(({ at }) => at) }
  })
  return { text: before?.text ?? '', groups, tokens: before?.tokens ?? 0, removed: new Set() }
}

/** Say it as it stands in the system message. */
export const asSnapshot = ({ text, groups, tokens }: LiveSnapshot): HistorySnapshot => ({
  text,
  groups: groups.map(({ group }) => group),
  tokens,
})

/**
 * Store the messages of a group, in their order and with those between them that stay, so that all of them can be put back,
 * and return the snapshot that names them.
 *
 * @param text - Of the new snapshot.
 */
export async function storeGroup(
  group: readonly number[],
  text: string,
  before: LiveSnapshot,
  start: number,
  drafts: readonly Draft[],
  format: HistoryFormat<unknown>,
  { archive, offloader, signal }: ResolvedHistoryOptions,
): Promise<{ readonly snapshot: LiveSnapshot; readonly item: ArchivedItem }> {
  const taken = new Set(group)
  const groups = before.groups.map((live) => withoutTaken(live, taken))
  const keptBefore = groups.flatMap(({ keptAt }) => keptAt)
  const messages: HistoryMessage[] = []
  const kept: number[] = []
  const keptAt: number[] = []
  const add = (index: number, isKept: boolean): void => {
    messages.push(drafts[index]!.message)
    if (!isKept) return
    kept.push(messages.length)
    keptAt.push(index)
  }
  const isFolded = groups.length >= MAX_GROUPS
  if (isFolded) {
    // The older groups go with it: it begins with their snapshot, and with what that says is kept.
    messages.push(...withSnapshot([], asSnapshot({ ...before, groups }), archive))
    for (const index of keptBefore) add(index, true)
  }
  let first = start
  for (const index of before.removed) first = Math.max(first, index + 1)
  const known = new Set(before.groups.flatMap((live) => live.keptAt))
  for (let index = first; index <= group.at(-1)!; index++) if (!known.has(index)) add(index, !taken.has(index))
  const json = encodeConversation(format, messages)
  const { bytes, contentType, kind } = textContent(
    'messages',
    readableJson(format, json, offloader.options.redact),
    undefined,
  )
  const item = { kind, callId: 'history', part: 'messages', toolName: '', content: bytes, contentType }
  const { items } = await storeItems(archive, [item], { signal })
  const named: LiveGroup = { group: { ...items[0]!, count: messages.length, kept }, keptAt }
  const tokens = group.reduce((sum, index) => sum + drafts[index]!.tokens, before.tokens)
  const removed = new Set([...before.removed, ...taken])
  return { snapshot: { text, groups: [...(isFolded ? [] : groups), named], tokens, removed }, item: items[0]! }
}

/** Say of a group no more that it keeps what is taken out now. */
function withoutTaken({ group, keptAt }: LiveGroup, taken: ReadonlySet<number>): LiveGroup {
  const kept = group.kept.filter((_, position) => !taken.has(keptAt[position]!))
  return { group: { ...group, kept }, keptAt: keptAt.filter((index) => !taken.has(index)) }
}
