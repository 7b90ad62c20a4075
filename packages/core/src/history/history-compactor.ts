import type { KnownSnapshot } from './archive/history-archive.ts'
import { compactMessages } from './compact/compact-messages.ts'
import { findSystemSnapshot, withSnapshot } from './compress/system-snapshot.ts'
import { draftsOf, totalTokens, type Draft } from './draft.ts'
import { findNames } from './find-names.ts'
import { neutralMessages } from './formats/neutral-messages.ts'
import type { HistoryFormat } from './history-format.ts'
import type { HistoryMessage } from './history-message.ts'
import { resolveHistoryOptions, type HistoryOptions, type ResolvedHistoryOptions } from './history-options.ts'
import type { ArchivedByHistory, HistoryFailure, HistoryOutcome } from './history-outcome.ts'
import { compactPass, outcomeOf, tokensWritten } from './history-pass.ts'
import { isSameMessage } from './is-same-message.ts'
import { recentStart } from './measure/recent-start.ts'

/** Conversations of one session that take turns, as those of its sub-agents, are each remembered. */
const MAX_REMEMBERED = 8
/** After so many calls, what the history names is used once, so that storage does not take it for forgotten. */
const CALLS_BETWEEN_USES = 5
const CONCURRENT_USES = 8

/** A conversation as it came in last, and what became of it; both without the system messages that they begin with. */
interface Remembered {
  readonly came: readonly HistoryMessage[]
  readonly went: readonly HistoryMessage[]
  readonly snapshot: KnownSnapshot | undefined
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
    const { systems, rest: came } = partSystems(read)
    const known = this.#take(came)
    const begun = known === undefined ? await replay(read, format, options) : goOn(known, systems, came, options)
    const pass = await compactPass(begun.messages, format, options)
    const isSame = isEqualList(pass.messages, read)
    const messages = isSame ? conversation : format.write(pass.messages)
    const written = isSame ? read : format.read(messages)
    const went = partSystems(written).rest
    const snapshot = findSystemSnapshot(pass.messages, options.archive)?.known
    this.#remembered.unshift({ came, went, snapshot })
    if (this.#remembered.length > MAX_REMEMBERED) this.#remembered.pop()
    this.#calls += 1
    if (this.#calls % CALLS_BETWEEN_USES === 0) await useAll(pass.messages, options)
    const { stored, failures, ...outcome } = outcomeOf(
      begun.messages,
      tokensWritten(written, pass, options),
      pass,
      options,
    )
    const isAsItCame = begun.messages === read
    const before = isAsItCame ? outcome.tokens.before : totalTokens(draftsOf(read, options.countTokens))
    return {
      ...outcome,
      messages,
      tokens: { ...outcome.tokens, before },
      stored: [...begun.stored, ...stored],
      failures: [...begun.failures, ...failures],
    }
  }

  /** Find, and forget, what is remembered of the longest beginning of a conversation. */
  #take(came: readonly HistoryMessage[]): Known | undefined {
    let longest: Known | undefined
    for (const remembered of this.#remembered) {
      const matched = [remembered.came, remembered.went].find((beginning) => isBeginning(beginning, came))
      if (matched !== undefined && matched.length > (longest?.matched.length ?? 0)) longest = { remembered, matched }
    }
    if (longest !== undefined) this.#remembered.splice(this.#remembered.indexOf(longest.remembered), 1)
    return longest
  }
}

/** What is remembered, and how a conversation begins with it: as it came, or as it went. */
interface Known {
  readonly remembered: Remembered
  readonly matched: readonly HistoryMessage[]
}

/** The history that a pass begins with. */
interface Begun {
  readonly messages: readonly HistoryMessage[]
  readonly stored: readonly ArchivedByHistory[]
  readonly failures: readonly HistoryFailure[]
}

/** Put what became of the beginning of a conversation in its place. */
function goOn(
  { remembered: { went, snapshot }, matched }: Known,
  systems: readonly HistoryMessage[],
  came: readonly HistoryMessage[],
  { archive }: ResolvedHistoryOptions,
): Begun {
  const isNew = snapshot !== undefined && findSystemSnapshot(systems, archive) === undefined
  const first = isNew ? withSnapshot(systems, snapshot, archive) : systems
  return { messages: [...first, ...went, ...came.slice(matched.length)], stored: [], failures: [] }
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
  for (const [index, draft] of all.entries()) {
    const isAnswer = draft.message.role === 'assistant' && messages[index - 1]?.role !== 'assistant'
    if (isAnswer && total > options.maxTotalTokens) {
      const rest = begun.slice(done)
      const before = totalTokens(rest)
      const compacted = await compactMessages(rest, format, options)
      stored.push(...compacted.stored)
      failures.push(...compacted.failures)
      total += totalTokens(rest) - before
      done += recentStart(
        rest.map(({ message }) => message),
        options.keepRecentForCompact,
      )
    }
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

function partSystems(messages: readonly HistoryMessage[]): {
  readonly systems: readonly HistoryMessage[]
  readonly rest: readonly HistoryMessage[]
} {
  const first = messages.findIndex(({ role }) => role !== 'system')
  const start = first < 0 ? messages.length : first
  return { systems: messages.slice(0, start), rest: messages.slice(start) }
}

/** Whether a conversation begins with these messages; with none, nothing is known of it. */
const isBeginning = (beginning: readonly HistoryMessage[], messages: readonly HistoryMessage[]): boolean =>
  beginning.length > 0 &&
  beginning.length <= messages.length &&
  beginning.every((message, index) => isSameMessage(message, messages[index]!))

const isEqualList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index])
