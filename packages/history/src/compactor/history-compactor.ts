import type { HistoryArchive, ParsedSnapshot } from '../archive/history-archive.ts'
import { compactPass, outcomeOf, tokensWritten, type HistoryPass } from '../compact-history.ts'
import { findNames } from '../compact/argument-texts.ts'
import { hasLargeParts } from '../compact/choose-parts.ts'
import { compactMessages, isOutage, type Compaction } from '../compact/compact-messages.ts'
import { findSystemSnapshot, systemEnd, withSnapshot } from '../compress/system-snapshot.ts'
import { neutralMessages } from '../formats/neutral-messages.ts'
import type { HistoryFormat } from '../history-format.ts'
import {
  isEqualValue,
  isSameList,
  type HistoryContent,
  type HistoryMessage,
  type HistoryPart,
} from '../history-message.ts'
import { resolveHistoryOptions, type HistoryOptions, type ResolvedHistoryOptions } from '../history-options.ts'
import {
  workingMessagesOf,
  totalTokens,
  type ArchivedByHistory,
  type WorkingMessage,
  type HistoryFailure,
  type HistoryOutcome,
} from '../history-outcome.ts'
import { recentStart } from '../measure/recent-start.ts'

/** Number of remembered conversations. Each sub-agent of a session has its own conversation, and they take turns. */
const MAX_REMEMBERED = 8
const CALLS_BETWEEN_USES = 5

/**
 * Compacts a session's history before each model call. For loops that pass the whole history each time.
 *
 * Compacted parts do not change by a single byte. Between two passes, the prompt only grows, so that the provider's
 * cache stays valid. Another process compacts before the same model calls and gets the same bytes, except for
 * summaries.
 *
 * At intervals, the compactor records a use of all references in the history, so that their entries are not evicted.
 * Parallel calls of `compact` run one after another.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { HistoryCompactor, openAIChat } from '@spillway/history'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * interface Message {
 *   role: string
 *   content: string
 * }
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() }).forScope('session-1')
 * const compactor = new HistoryCompactor({ offloader, format: openAIChat<Message>(), maxTotalTokens: 100_000 })
 * const history: Message[] = [{ role: 'user', content: 'Hello' }]
 * const { messages } = await compactor.compact(history) // before each call of the model
 * console.assert(messages === history)
 * ```
 */
export class HistoryCompactor<Conversation = readonly HistoryMessage[]> {
  readonly #options: ResolvedHistoryOptions
  readonly #format: HistoryFormat<Conversation>
  readonly #remembered: RememberedHistory[] = []
  #calls = 0
  #last: Promise<unknown> = Promise.resolve()

  /** @throws TypeError if an option is invalid. */
  constructor(options: Omit<HistoryOptions<Conversation>, 'signal'>) {
    this.#options = resolveHistoryOptions(options)
    this.#format = (options.format ?? neutralMessages()) as HistoryFormat<Conversation>
  }

  /** Reduce a history from the result of earlier calls. `statistics` and `unchanged` compare with that result. */
  async compact(
    conversation: Conversation,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<HistoryOutcome<Conversation>> {
    const turn = this.#last.then(() => this.#compact(conversation, options.signal))
    this.#last = Promise.allSettled([turn])
    return await turn
  }

  async #compact(conversation: Conversation, signal: AbortSignal | undefined): Promise<HistoryOutcome<Conversation>> {
    const options: ResolvedHistoryOptions = { ...this.#options, signal }
    const format = this.#format
    options.counter.startPass()
    const read = format.read(conversation)
    const parted = partSystems(read, options.archive)
    const match = this.#find(parted)
    const { systems, rest: original } = match?.parted ?? parted
    const begun =
      match === undefined ? await replayPasses(read, format, options) : goOn(match, systems, original, format, options)
    const pass = await compactPass(begun.messages, format, options)
    const isSame = isSameList(pass.messages, read)
    const messages = isSame ? conversation : format.write(pass.messages)
    const written = isSame ? read : format.read(messages)
    this.#remember(rememberedOf({ original, begun, pass, written, isSame, match }, options), match?.remembered)
    this.#calls += 1
    if (this.#calls % CALLS_BETWEEN_USES === 0) await useNames(pass.messages, options)
    const { stored, failures, ...outcome } = outcomeOf(
      begun.messages,
      await tokensWritten(written, pass, options),
      pass,
      options,
    )
    const isOriginal = begun.messages === read
    const tokens = isOriginal ? outcome.tokens.before : totalTokens(await workingMessagesOf(read, options))
    return {
      ...outcome,
      messages,
      tokens: { ...outcome.tokens, before: tokens },
      stored: [...begun.stored, ...stored],
      failures: [...begun.failures, ...failures],
    }
  }

  /** Find the remembered result that matches the longest start of a conversation. */
  #find(parted: PartedHistory): MatchedHistory | undefined {
    let longest: MatchedHistory | undefined
    for (const remembered of this.#remembered.flatMap((last) => (last.before ? [last, last.before] : [last]))) {
      const match = matchRemembered(remembered, parted)
      if (match.matched > (longest?.matched ?? 0)) longest = match
    }
    return longest
  }

  #remember(made: RememberedHistory, match: RememberedHistory | undefined): void {
    const index = match === undefined ? -1 : this.#remembered.indexOf(match)
    if (index >= 0) this.#remembered.splice(index, 1)
    const last = made.original.length > 0 ? made : match
    if (last !== undefined) this.#remembered.unshift(last)
    this.#remembered.splice(MAX_REMEMBERED)
  }
}

/** Repeat the passes that another process made for this history: before each model call that was over the limit. */
async function replayPasses(
  messages: readonly HistoryMessage[],
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): Promise<BegunHistory> {
  const all = await workingMessagesOf(messages, options)
  const stored: ArchivedByHistory[] = []
  const failures: HistoryFailure[] = []
  if (options.mode === 'compress' || totalTokens(all) <= options.maxTotalTokens) return { messages, stored, failures }
  const begun: WorkingMessage[] = []
  let total = 0
  // Number of messages that later passes skip, because a pass has already checked them.
  let done = 0
  // A pass is useless if there are no large parts, or during an outage.
  let lastLarge = -1
  let isDown = false
  for (const [index, workingMessage] of all.entries()) {
    const isAnswer = workingMessage.message.role === 'assistant' && messages[index - 1]?.role !== 'assistant'
    if (isAnswer && total > options.maxTotalTokens && lastLarge >= done && !isDown) {
      const rest = begun.slice(done)
      const before = totalTokens(rest)
      const compacted = await compactMessages(rest, format, options)
      stored.push(...compacted.stored)
      failures.push(...compacted.failures)
      isDown = compacted.failures.some(isOutage)
      total += totalTokens(rest) - before
      done += recentStart(
        rest.map(({ message }) => message),
        options.keepRecentForCompact,
      )
    }
    if (hasLargeParts(workingMessage.message, options)) lastLarge = begun.length
    begun.push(workingMessage)
    total += workingMessage.tokens
  }
  return { messages: begun.map(({ message }) => message), stored, failures }
}

const CONCURRENT_USES = 8

async function useNames(
  messages: readonly HistoryMessage[],
  { archive, signal }: Pick<ResolvedHistoryOptions, 'archive' | 'signal'>,
): Promise<void> {
  const names = [...new Set(messages.flatMap((message) => findNames(message, archive).map(({ name }) => name)))]
  for (let start = 0; start < names.length; start += CONCURRENT_USES) {
    const uses = names.slice(start, start + CONCURRENT_USES).map(async (name) => archive.use?.(name, { signal }))
    await Promise.allSettled(uses)
  }
}

/** The start of a conversation before and after compaction, up to the last changed message. */
interface RememberedHistory {
  readonly original: readonly HistoryMessage[]
  readonly compacted: readonly HistoryMessage[]
  /** For each message of `compacted`, its position in `original`. */
  readonly origins: readonly number[]
  /** The complete result, which a framework may pass to the next call. */
  readonly all: readonly HistoryMessage[]
  readonly snapshot: ParsedSnapshot | undefined
  /** The state before the last pass. Other conversations may have only this start in common. */
  readonly before: RememberedHistory | undefined
}

/** A remembered conversation that matches the start of a new one. */
interface MatchedHistory {
  readonly remembered: RememberedHistory
  readonly matched: number
  readonly replaced: number
  /** For each replaced message, its original position. */
  readonly origins: readonly number[]
  readonly parted: PartedHistory
}

/** Match a remembered conversation with the start of a new one. If they differ, `matched` is 0. */
function matchRemembered(remembered: RememberedHistory, parted: PartedHistory): MatchedHistory {
  const { original, compacted, all } = remembered
  if (isBeginning(original, parted.rest)) {
    const { origins } = remembered
    return { remembered, matched: original.length, replaced: original.length, origins, parted }
  }
  const asCompacted = { remembered, replaced: compacted.length, origins: [...compacted.keys()] }
  if (isBeginning(all, parted.rest)) return { ...asCompacted, matched: all.length, parted }
  // If the history has no snapshot, system messages after the leading ones also look like leading system messages.
  const spoken = all.findIndex(({ role }) => role !== 'system')
  const between = Math.min(spoken < 0 ? all.length : spoken, parted.systems.length)
  const at = parted.systems.length - between
  const moved = { systems: parted.systems.slice(0, at), rest: [...parted.systems.slice(at), ...parted.rest] }
  const matched = between > 0 && isBeginning(all, moved.rest) ? all.length : 0
  return { ...asCompacted, matched, parted: matched > 0 ? moved : parted }
}

interface FinishedPass {
  readonly original: readonly HistoryMessage[]
  readonly begun: BegunHistory
  readonly pass: HistoryPass
  readonly written: readonly HistoryMessage[]
  readonly isSame: boolean
  readonly match: MatchedHistory | undefined
}

function rememberedOf(
  { original, begun, pass, written, isSame, match }: FinishedPass,
  { archive, maxTotalTokens }: ResolvedHistoryOptions,
): RememberedHistory {
  const all = partSystems(written, archive).rest
  const isStuck = isSame && totalTokens(pass.working) > maxTotalTokens
  const tail = isStuck ? 0 : sameAtEnd(original, partSystems(pass.messages, archive).rest)
  const compacted = all.slice(0, all.length - tail)
  const working = pass.working.slice(pass.working.length - all.length).slice(0, compacted.length)
  const before = pass.applied.length > 0 ? match?.remembered : match?.remembered.before
  return {
    original: original.slice(0, original.length - tail),
    compacted,
    origins: originsOf(working, begun.messages.length - original.length, match),
    all,
    snapshot: findSystemSnapshot(pass.messages, archive)?.parsed,
    before: before && { ...before, before: undefined },
  }
}

function sameAtEnd(a: readonly unknown[], b: readonly unknown[]): number {
  let count = 0
  while (count < Math.min(a.length, b.length) && a.at(-1 - count) === b.at(-1 - count)) count += 1
  return count
}

/** @param more - Number of messages before this conversation. Positions in the result do not count these messages. */
function originsOf(working: readonly WorkingMessage[], more: number, match: MatchedHistory | undefined): number[] {
  const { origins = [], replaced = 0 } = match ?? {}
  const start = more + replaced - origins.length
  return working.map(({ index }) => origins[index - start] ?? index - more)
}

/** Replace the start of a conversation by its compacted form. */
function goOn(
  { remembered, replaced, origins }: MatchedHistory,
  systems: readonly HistoryMessage[],
  original: readonly HistoryMessage[],
  format: HistoryFormat<unknown>,
  { archive }: ResolvedHistoryOptions,
): BegunHistory {
  const { snapshot } = remembered
  const written = (message: HistoryMessage): unknown => format.write([message])
  const compacted = remembered.compacted.map((message, index) => {
    const now = original[origins[index]!]
    if (now === undefined) return message
    // Programs move cache marks between calls. A changed message gets the current marks.
    const rebased = rebaseMessage(message, now)
    return rebased !== now && isEqualValue(written(rebased), written(message)) ? message : rebased
  })
  const isNew = snapshot !== undefined && findSystemSnapshot(systems, archive) === undefined
  const first = isNew ? withSnapshot(systems, snapshot, archive) : systems
  return { messages: [...first, ...compacted, ...original.slice(replaced)], stored: [], failures: [] }
}

const isBeginning = (beginning: readonly HistoryMessage[], messages: readonly HistoryMessage[]): boolean =>
  beginning.length > 0 &&
  beginning.length <= messages.length &&
  beginning.every((message, index) => isSameContent(message, messages[index]!))

/** Return whether two messages have the same content. Fields such as cache marks are ignored. */
export const isSameContent = (a: HistoryMessage, b: HistoryMessage): boolean =>
  a === b || (a.role === b.role && hasSamePieces(a.parts, b.parts))

type Piece = HistoryPart | HistoryContent

const hasSamePieces = (a: readonly Piece[], b: readonly Piece[]): boolean =>
  a.length === b.length && a.every((piece, index) => isSamePiece(piece, b[index]!))

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
        hasSamePieces(a.content, b.content)
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

/** Put the content of a changed message into its current version. If the number of parts differs, do nothing. */
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

/** A history, split into its leading system messages and the rest. */
interface PartedHistory {
  readonly systems: readonly HistoryMessage[]
  readonly rest: readonly HistoryMessage[]
}

function partSystems(messages: readonly HistoryMessage[], archive: HistoryArchive): PartedHistory {
  const start = systemEnd(messages, archive)
  return { systems: messages.slice(0, start), rest: messages.slice(start) }
}

/** The history at the start of a pass, with the results of repeated passes. */
interface BegunHistory extends Compaction {
  readonly messages: readonly HistoryMessage[]
}
