import type { HistoryArchive, KnownSnapshot } from '../archive/history-archive.ts'
import type { HistoryPass } from '../compact-history.ts'
import { findSystemSnapshot, systemEnd, withSnapshot } from '../compress/system-snapshot.ts'
import type { HistoryFormat } from '../history-format.ts'
import { isEqualValue, type HistoryContent, type HistoryMessage, type HistoryPart } from '../history-message.ts'
import type { ResolvedHistoryOptions } from '../history-options.ts'
import { totalTokens, type ArchivedByHistory, type Draft, type HistoryFailure } from '../history-outcome.ts'

/**
 * The beginning of a conversation as it came in, up to the last message that changed, and what became of that. What is
 * behind it may come otherwise the next time, such as a reminder at the end.
 */
export interface RememberedHistory {
  readonly came: readonly HistoryMessage[]
  readonly went: readonly HistoryMessage[]
  /** For each of `went` its position in `came`. */
  readonly origins: readonly number[]
  /** All that came of it, which the next conversation begins with where a framework keeps that. */
  readonly all: readonly HistoryMessage[]
  readonly snapshot: KnownSnapshot | undefined
  /** The same before the last pass: for others that begin in this way, and where what that pass has changed comes otherwise. */
  readonly before: RememberedHistory | undefined
}

/** What is remembered of a conversation, by how many messages it is known, and how many of them have become others. */
export interface KnownHistory {
  readonly remembered: RememberedHistory
  readonly matched: number
  readonly replaced: number
  /** For each of what became of these its position among them. */
  readonly origins: readonly number[]
  /** The conversation, as it is known. */
  readonly parted: PartedHistory
}

/** Match what is remembered with the beginning of a conversation, by no messages where it is another one. */
export function matchRemembered(remembered: RememberedHistory, parted: PartedHistory): KnownHistory {
  const { came, went, all } = remembered
  if (isBeginning(came, parted.rest)) {
    const { origins } = remembered
    return { remembered, matched: came.length, replaced: came.length, origins, parted }
  }
  const asItWent = { remembered, replaced: went.length, origins: [...went.keys()] }
  if (isBeginning(all, parted.rest)) return { ...asItWent, matched: all.length, parted }
  // Without the snapshot, system messages that stood behind it cannot be told from those that a history begins with.
  const spoken = all.findIndex(({ role }) => role !== 'system')
  const between = Math.min(spoken < 0 ? all.length : spoken, parted.systems.length)
  const at = parted.systems.length - between
  const moved = { systems: parted.systems.slice(0, at), rest: [...parted.systems.slice(at), ...parted.rest] }
  const matched = between > 0 && isBeginning(all, moved.rest) ? all.length : 0
  return { ...asItWent, matched, parted: matched > 0 ? moved : parted }
}

/** A pass over a history, as it came and as it is written. */
interface LivedPass {
  readonly came: readonly HistoryMessage[]
  readonly begun: BegunHistory
  readonly pass: HistoryPass
  readonly written: readonly HistoryMessage[]
  /** Whether the very conversation that came goes to the model. */
  readonly isSame: boolean
  readonly known: KnownHistory | undefined
}

/** Say what the next call needs to know of a pass. */
export function rememberedOf(
  { came, begun, pass, written, isSame, known }: LivedPass,
  { archive, maxTotalTokens }: ResolvedHistoryOptions,
): RememberedHistory {
  const all = partSystems(written, archive).rest
  const isStuck = isSame && totalTokens(pass.drafts) > maxTotalTokens
  const tail = isStuck ? 0 : sameAtEnd(came, partSystems(pass.messages, archive).rest)
  const went = all.slice(0, all.length - tail)
  const drafts = pass.drafts.slice(pass.drafts.length - all.length).slice(0, went.length)
  const before = pass.applied.length > 0 ? known?.remembered : known?.remembered.before
  return {
    came: came.slice(0, came.length - tail),
    went,
    origins: originsOf(drafts, begun.messages.length - came.length, known),
    all,
    snapshot: findSystemSnapshot(pass.messages, archive)?.known,
    before: before && { ...before, before: undefined },
  }
}

/** Count the messages at the end of both that are the same. */
function sameAtEnd(a: readonly unknown[], b: readonly unknown[]): number {
  let count = 0
  while (count < Math.min(a.length, b.length) && a.at(-1 - count) === b.at(-1 - count)) count += 1
  return count
}

/**
 * Say where messages of a pass stand in the conversation that came.
 *
 * @param more - By how many messages the pass had more before it.
 */
function originsOf(drafts: readonly Draft[], more: number, known: KnownHistory | undefined): number[] {
  const { origins = [], replaced = 0 } = known ?? {}
  const start = more + replaced - origins.length
  return drafts.map(({ index }) => origins[index - start] ?? index - more)
}

/** Put what became of the beginning of a conversation in its place. */
export function goOn(
  { remembered, replaced, origins }: KnownHistory,
  systems: readonly HistoryMessage[],
  came: readonly HistoryMessage[],
  format: HistoryFormat<unknown>,
  { archive }: ResolvedHistoryOptions,
): BegunHistory {
  const { snapshot } = remembered
  const written = (message: HistoryMessage): unknown => format.write([message])
  const went = remembered.went.map((message, index) => {
    const now = came[origins[index]!]
    if (now === undefined) return message
    // Programs move the marks for a cache from call to call: what changed has those that it comes with now.
    const rebased = rebaseMessage(message, now)
    return rebased !== now && isEqualValue(written(rebased), written(message)) ? message : rebased
  })
  const isNew = snapshot !== undefined && findSystemSnapshot(systems, archive) === undefined
  const first = isNew ? withSnapshot(systems, snapshot, archive) : systems
  return { messages: [...first, ...went, ...came.slice(replaced)], stored: [], failures: [] }
}

/** Whether a conversation begins with what these messages say; with none, nothing is known of it. */
const isBeginning = (beginning: readonly HistoryMessage[], messages: readonly HistoryMessage[]): boolean =>
  beginning.length > 0 &&
  beginning.length <= messages.length &&
  beginning.every((message, index) => isSameContent(message, messages[index]!))

/**
 * Tell whether two messages say the same, whatever their format keeps beside that, such as marks for a cache.
 *
 * Frameworks hand over the same objects again, or copies of them, and programs change those that they handed over before:
 * what was read of them is compared, and not what they are now.
 */
export const isSameContent = (a: HistoryMessage, b: HistoryMessage): boolean =>
  a === b || (a.role === b.role && isSameList(a.parts, b.parts))

type Piece = HistoryPart | HistoryContent

const isSameList = (a: readonly Piece[], b: readonly Piece[]): boolean =>
  a.length === b.length && a.every((piece, index) => isSamePiece(piece, b[index]!))

/** Tell whether two parts say the same. Their natives are within those of their messages. */
function isSamePiece(a: Piece, b: Piece): boolean {
  switch (a.type) {
    case 'text':
    case 'reasoning':
      return b.type === a.type && a.text === b.text
    case 'json':
    case 'opaque':
      return b.type === a.type && isEqualValue(a.value, b.value)
    case 'tool-call':
      return b.type === a.type && a.id === b.id && a.name === b.name && isEqualValue(a.input, b.input)
    case 'tool-result':
      return (
        b.type === a.type &&
        a.callId === b.callId &&
        a.toolName === b.toolName &&
        a.isError === b.isError &&
        isSameList(a.content, b.content)
      )
    default:
      return (
        b.type === a.type &&
        a.mediaType === b.mediaType &&
        a.name === b.name &&
        a.url === b.url &&
        a.base64 === b.base64 &&
        isEqualValue(a.data, b.data)
      )
  }
}

/**
 * Put what became of a message into the same message as it has come now: with the marks and other fields that its format
 * keeps beside the content. Where the two have different parts, what became of it stays as it is.
 */
export function rebaseMessage(changed: HistoryMessage, now: HistoryMessage): HistoryMessage {
  if (isSameContent(changed, now)) return now
  if (changed.parts.length !== now.parts.length) return changed
  return { ...now, parts: now.parts.map((part, index) => rebasePart(changed.parts[index]!, part)) }
}

function rebasePart(changed: HistoryPart, now: HistoryPart): HistoryPart {
  if (isSamePiece(changed, now)) return now
  if (changed.type === 'text' && now.type === 'text') return { ...now, text: changed.text }
  if (changed.type === 'tool-result' && now.type === 'tool-result') return { ...now, content: changed.content }
  if (changed.type === 'tool-call' && now.type === 'tool-call')
    return { ...now, input: changed.input, inputIsText: changed.inputIsText }
  return changed
}

/** A history, with the system messages apart that it begins with. */
export interface PartedHistory {
  readonly systems: readonly HistoryMessage[]
  readonly rest: readonly HistoryMessage[]
}

/** Take the system messages apart that a history begins with. */
export function partSystems(messages: readonly HistoryMessage[], archive: HistoryArchive): PartedHistory {
  const start = systemEnd(messages, archive)
  return { systems: messages.slice(0, start), rest: messages.slice(start) }
}

/** The history that a pass begins with. */
export interface BegunHistory {
  readonly messages: readonly HistoryMessage[]
  readonly stored: readonly ArchivedByHistory[]
  readonly failures: readonly HistoryFailure[]
}
