import { compactPass, outcomeOf, tokensWritten } from '../compact-history.ts'
import { findNames } from '../compact/argument-texts.ts'
import { hasLargeParts } from '../compact/choose-parts.ts'
import { compactMessages, isOutage } from '../compact/compact-messages.ts'
import { neutralMessages } from '../formats/neutral-messages.ts'
import type { HistoryFormat } from '../history-format.ts'
import { isSameList, type HistoryMessage } from '../history-message.ts'
import { resolveHistoryOptions, type HistoryOptions, type ResolvedHistoryOptions } from '../history-options.ts'
import {
  draftsOf,
  totalTokens,
  type ArchivedByHistory,
  type Draft,
  type HistoryFailure,
  type HistoryOutcome,
} from '../history-outcome.ts'
import { recentStart } from '../measure/recent-start.ts'
import {
  goOn,
  matchRemembered,
  partSystems,
  rememberedOf,
  type BegunHistory,
  type KnownHistory,
  type PartedHistory,
  type RememberedHistory,
} from './remembered-history.ts'

/** Conversations of one session that take turns, as those of its sub-agents, are each remembered. */
const MAX_REMEMBERED = 8
/** After so many calls, what the history names is used once, so that storage does not take it for forgotten. */
const CALLS_BETWEEN_USES = 5

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
    const begun =
      known === undefined ? await replayPasses(read, format, options) : goOn(known, systems, came, format, options)
    const pass = await compactPass(begun.messages, format, options)
    const isSame = isSameList(pass.messages, read)
    const messages = isSame ? conversation : format.write(pass.messages)
    const written = isSame ? read : format.read(messages)
    this.#remember(rememberedOf({ came, begun, pass, written, isSame, known }, options), known?.remembered)
    this.#calls += 1
    if (this.#calls % CALLS_BETWEEN_USES === 0) await useNames(pass.messages, options)
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
  #find(parted: PartedHistory): KnownHistory | undefined {
    let longest: KnownHistory | undefined
    for (const remembered of this.#remembered.flatMap((last) => (last.before ? [last, last.before] : [last]))) {
      const known = matchRemembered(remembered, parted)
      if (known.matched > (longest?.matched ?? 0)) longest = known
    }
    return longest
  }

  /** Remember a conversation in the place of what was known of it; that stays where it has become no other. */
  #remember(made: RememberedHistory, known: RememberedHistory | undefined): void {
    const index = known === undefined ? -1 : this.#remembered.indexOf(known)
    if (index >= 0) this.#remembered.splice(index, 1)
    const last = made.came.length > 0 ? made : known
    if (last !== undefined) this.#remembered.unshift(last)
    this.#remembered.splice(MAX_REMEMBERED)
  }
}

/** Compact a history that nothing is remembered of at the calls of the model at which it was over its limit. */
async function replayPasses(
  messages: readonly HistoryMessage[],
  format: HistoryFormat<unknown>,
  options: ResolvedHistoryOptions,
): Promise<BegunHistory> {
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

const CONCURRENT_USES = 8

/** Use what a history names. What is gone, or out of reach, shows when it is read. */
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
