import type { HistoryArchive, KnownSnapshot } from './archive/history-archive.ts'
import { hasLargeParts } from './compact/choose-parts.ts'
import { compactMessages, isOutage } from './compact/compact-messages.ts'
import { findSystemSnapshot, systemEnd, withSnapshot } from './compress/system-snapshot.ts'
import { draftsOf, totalTokens, type Draft } from './draft.ts'
import { findNames } from './find-names.ts'
import { neutralMessages } from './formats/neutral-messages.ts'
import type { HistoryFormat } from './history-format.ts'
import type { HistoryMessage } from './history-message.ts'
import { resolveHistoryOptions, type HistoryOptions, type ResolvedHistoryOptions } from './history-options.ts'
import type { ArchivedByHistory, HistoryFailure, HistoryOutcome } from './history-outcome.ts'
import { compactPass, outcomeOf, tokensWritten } from './history-pass.ts'
import { isSameContent, isSameMessage } from './is-same-message.ts'
import { recentStart } from './measure/recent-start.ts'
import { rebaseMessage } from './rebase-message.ts'

/** Conversations of one session that take turns, as those of its sub-agents, are each remembered. */
const MAX_REMEMBERED = 8
/** After so many calls, what the history names is used once, so that storage does not take it for forgotten. */
const CALLS_BETWEEN_USES = 5
const CONCURRENT_USES = 8

/**
 * The beginning of a conversation as it came in, up to the last message that changed, and what became of that. What is
 * behind it may come otherwise the next time, such as a reminder at the end.
 */
interface Remembered {
  readonly came: readonly HistoryMessage[]
  readonly went: readonly HistoryMessage[]
  /** For each of `went` its position in `came`. */
  readonly origins: readonly number[]
  /** All that came of it, which the next conversation begins with where a framework keeps that. */
  readonly all: readonly HistoryMessage[]
  readonly snapshot: KnownSnapshot | undefined
  /** The same before the last pass: for others that begin in this way, and where what that pass has changed comes otherwise. */
  readonly before: Remembered | undefined
}

/**
 * Compacts the history of one session with each call of its model, for loops that hand over the whole history each time
 * and do not keep what was made of it.
 *
 * It does what replacing the history would do: what was compacted or compressed stays so, byte for byte, and between two
 * passes the prompt only grows, so that the provider's cache holds. A process that goes on with a conversation of another
 * one compacts it at the same calls as that did, and so gets the same bytes; a summary it has to ask for again.
 *
 * What the history names is used now and then, so that a storage that evicts after some turns keeps it. Calls are answered
 * one after another.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { HistoryCompactor, openAIChat } from '@spillway/core/history'
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
  readonly #remembered: Remembered[] = []
  #calls = 0
  #last: Promise<unknown> = Promise.resolve()

  /** @throws TypeError where an option is not usable. */
  constructor(options: Omit<HistoryOptions<Conversation>, 'signal'>) {
    this.#options = resolveHistoryOptions(options)
    this.#format = (options.format ?? neutralMessages()) as HistoryFormat<Conversation>
  }

  /**
   * Make a history smaller as {@link compactHistory} does, on top of what was done to it before. In the outcome, `statistics`
   * and `unchanged` are about the history as it was after the call before; `messages` is all of it.
   */
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
    const read = format.read(conversation)
    const parted = partSystems(read, options.archive)
    const known = this.#find(parted)
    const { systems, rest: came } = known?.parted ?? parted
    const begun = known === undefined ? await replay(read, format, options) : goOn(known, systems, came, options)
    const pass = await compactPass(begun.messages, format, options)
    const isSame = isEqualList(pass.messages, read)
    const messages = isSame ? conversation : format.write(pass.messages)
    const written = isSame ? read : format.read(messages)
    const all = partSystems(written, options.archive).rest
    const snapshot = findSystemSnapshot(pass.messages, options.archive)?.known
    const isStuck = isSame && totalTokens(pass.drafts) > options.maxTotalTokens
    const tail = isStuck ? 0 : sameAtEnd(came, partSystems(pass.messages, options.archive).rest)
    const before = pass.applied.length > 0 ? known?.remembered : known?.remembered.before
    const went = all.slice(0, all.length - tail)
    const kept = pass.drafts.slice(pass.drafts.length - all.length).slice(0, went.length)
    const origins = originsOf(kept, begun.messages.length - came.length, known)
    const made = { came: came.slice(0, came.length - tail), went, origins, all, snapshot }
    this.#remember({ ...made, before: before && { ...before, before: undefined } }, known?.remembered)
    this.#calls += 1
    if (this.#calls % CALLS_BETWEEN_USES === 0) await useAll(pass.messages, options)
    const { stored, failures, ...outcome } = outcomeOf(
      begun.messages,
      tokensWritten(written, pass, options),
      pass,
      options,
    )
    const isAsItCame = begun.messages === read
    const tokens = isAsItCame ? outcome.tokens.before : totalTokens(draftsOf(read, options.countTokens))
    return {
      ...outcome,
      messages,
      tokens: { ...outcome.tokens, before: tokens },
      stored: [...begun.stored, ...stored],
      failures: [...begun.failures, ...failures],
    }
  }

  /** Find what is remembered of the longest beginning of a conversation. */
  #find(parted: PartedHistory): Known | undefined {
    let longest: Known | undefined
    for (const remembered of this.#remembered.flatMap((last) => (last.before ? [last, last.before] : [last]))) {
      const known = matchOf(remembered, parted)
      if (known.matched > (longest?.matched ?? 0)) longest = known
    }
    return longest
  }

  /** Remember a conversation in the place of what was known of it; that stays where it has become no other. */
  #remember(made: Remembered, known: Remembered | undefined): void {
    const index = known === undefined ? -1 : this.#remembered.indexOf(known)
    if (index >= 0) this.#remembered.splice(index, 1)
    const last = made.came.length > 0 ? made : known
    if (last !== undefined) this.#remembered.unshift(last)
    this.#remembered.splice(MAX_REMEMBERED)
  }
}

/** What is remembered of a conversation, by how many messages it is known, and how many of them have become others. */
interface Known {
  readonly remembered: Remembered
  readonly matched: number
  readonly replaced: number
  /** For each of what became of these its position among them. */
  readonly origins: readonly number[]
  /** The conversation, as it is known. */
  readonly parted: PartedHistory
}

function matchOf(remembered: Remembered, parted: PartedHistory): Known {
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

/**
 * Say where messages of a pass stand in the conversation that came.
 *
 * @param more - By how many messages the pass had more before it.
 */
function originsOf(drafts: readonly Draft[], more: number, known: Known | undefined): number[] {
  const { origins = [], replaced = 0 } = known ?? {}
  const start = more + replaced - origins.length
  return drafts.map(({ index }) => origins[index - start] ?? index - more)
}

/** The history that a pass begins with. */
interface Begun {
  readonly messages: readonly HistoryMessage[]
  readonly stored: readonly ArchivedByHistory[]
  readonly failures: readonly HistoryFailure[]
}

/** Put what became of the beginning of a conversation in its place. */
function goOn(
  { remembered, replaced, origins }: Known,
  systems: readonly HistoryMessage[],
  came: readonly HistoryMessage[],
  { archive }: ResolvedHistoryOptions,
): Begun {
  const { snapshot } = remembered
  const went = remembered.went.map((message, index) => {
    const before = remembered.came[remembered.origins[index]!]
    const now = came[origins[index]!]
    // Programs move the marks for a cache from call to call: what changed has those that it came with now.
    return now === undefined || (before !== undefined && isSameMessage(before, now))
      ? message
      : rebaseMessage(message, now)
  })
  const isNew = snapshot !== undefined && findSystemSnapshot(systems, archive) === undefined
  const first = isNew ? withSnapshot(systems, snapshot, archive) : systems
  return { messages: [...first, ...went, ...came.slice(replaced)], stored: [], failures: [] }
}

/** Compact a history that nothing is remembered of at the calls of the model at which it was over its limit. */
async function replay(
  messages: readonly HistoryMessage[],
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): Promise<Begun> {
  const all = draftsOf(messages, options.countTokens)
  const stored: ArchivedByHistory[] = []
  const failures: HistoryFailure[] = []
  if (options.mode === 'compress' || totalTokens(all) <= options.maxTotalTokens) return { messages, stored, failures }
  const begun: Draft[] = []
  let total = 0
  // What is before the recent messages once is so at all later calls: it is looked at once.
  let done = 0
  // Where nothing is there to be made smaller, or storage is out of reach, looking is all for nothing.
  let lastLarge = -1
  let isDown = false
  for (const [index, draft] of all.entries()) {
    const isAnswer = draft.message.role === 'assistant' && messages[index - 1]?.role !== 'assistant'
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
    if (hasLargeParts(draft.message, options)) lastLarge = begun.length
    begun.push(draft)
    total += draft.tokens
  }
  return { messages: begun.map(({ message }) => message), stored, failures }
}

/** Use what a history names. What is gone, or out of reach, shows when it is read. */
async function useAll(messages: readonly HistoryMessage[], { archive, signal }: ResolvedHistoryOptions): Promise<void> {
  const names = [...new Set(messages.flatMap((message) => findNames(message, archive).map(({ name }) => name)))]
  for (let start = 0; start < names.length; start += CONCURRENT_USES) {
    const uses = names.slice(start, start + CONCURRENT_USES).map(async (name) => archive.use?.(name, { signal }))
    await Promise.allSettled(uses)
  }
}

/** A history, with the system messages apart that it begins with. */
interface PartedHistory {
  readonly systems: readonly HistoryMessage[]
  readonly rest: readonly HistoryMessage[]
}

function partSystems(messages: readonly HistoryMessage[], archive: HistoryArchive): PartedHistory {
  const start = systemEnd(messages, archive)
  return { systems: messages.slice(0, start), rest: messages.slice(start) }
}

/** Whether a conversation begins with what these messages say; with none, nothing is known of it. */
const isBeginning = (beginning: readonly HistoryMessage[], messages: readonly HistoryMessage[]): boolean =>
  beginning.length > 0 &&
  beginning.length <= messages.length &&
  beginning.every((message, index) => isSameContent(message, messages[index]!))

/** Count the messages at the end of both that are the same. */
function sameAtEnd(a: readonly unknown[], b: readonly unknown[]): number {
  let count = 0
  while (count < Math.min(a.length, b.length) && a.at(-1 - count) === b.at(-1 - count)) count += 1
  return count
}

const isEqualList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index])
