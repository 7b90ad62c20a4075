import type Anthropic from '@anthropic-ai/sdk'
import { paramsOf, sessionCompactor, type HistorySession, type SessionHistoryOptions } from './history-params.ts'

type Message = Anthropic.Beta.BetaMessage
type MessageParam = Anthropic.Beta.BetaMessageParam
type Stream = { readonly finalMessage: () => Promise<Message> }
type Params = { messages: MessageParam[]; system?: string | Anthropic.Beta.BetaTextBlockParam[] }

/** The members that the runners of all SDK versions share. */
interface ToolRunner extends AsyncIterable<Message | Stream> {
  readonly params: Readonly<Params>
  generateToolResponse(): Promise<MessageParam | null>
  setMessagesParams(params: (before: Params) => Params): void
  setRequestOptions(options: (before: RequestOptions) => RequestOptions): void
}

type RequestOptions = { readonly signal?: AbortSignal | null | undefined }

const USAGE = 'historyRunner(runner, offloader, options)'

/**
 * Let a tool runner keep its history within a limit: older large results become references, and older messages a
 * summary if `summarize` is given.
 *
 * Changes and returns the runner. Call this function once for each runner. The summary is in `params.system`: save it
 * with `params.messages`. If storing or summarizing fails, the messages do not change.
 *
 * @throws TypeError for an invalid argument.
 */
export function historyRunner<Runner extends AsyncIterable<unknown>>(
  given: Runner,
  session: HistorySession,
  options: SessionHistoryOptions = {},
): Runner {
  const keepSmall = paramsOf(sessionCompactor(session, options, USAGE))
  if (!isToolRunner(given)) throw new TypeError(`runner must be a tool runner, got ${typeof given}: ${USAGE}.`)
  const runner: ToolRunner = given
  const calls = { [Symbol.asyncIterator]: runner[Symbol.asyncIterator].bind(runner) }
  const setMessagesParams = runner.setMessagesParams.bind(runner)
  let isTakenOver = false

  /** Changes to the system prompt that the next model call sends. */
  let unsent: Partial<Params> | undefined

  async function shorten(added: readonly MessageParam[]): Promise<void> {
    const { messages, system } = runner.params
    const before = { ...(system !== undefined && { system }), messages: [...messages, ...added] }
    const after = await keepSmall(before, { signal: signalOf(runner) })
    if (after === before) return
    if (after.system !== before.system) unsent = after
    setMessagesParams((params) => ({ ...params, ...after }))
  }

  async function* steps(): AsyncGenerator<Message | Stream> {
    for await (const call of calls) {
      unsent = undefined
      isTakenOver = false
      yield call
      if (isTakenOver) continue
      const added = await answered(runner, call)
      if (added !== undefined) await shorten(added)
    }
  }

  async function* iterate(): AsyncGenerator<Message | Stream> {
    await shorten([])
    for (;;) {
      try {
        return yield* steps()
      } catch (error) {
        if (unsent === undefined || !isRefusedByThread(error)) throw error
        // A thread keeps its first system prompt. After this error, the runner continues with a new thread.
        const fields = unsent
        unsent = undefined
        setMessagesParams((params) => ({ ...params, ...fields }))
      }
    }
  }

  const own = { writable: true, configurable: true }
  const takeOver = (params: (before: Params) => Params): void => {
    isTakenOver = true
    setMessagesParams(params)
  }
  Object.defineProperty(runner, 'setMessagesParams', { value: takeOver, ...own })
  return Object.defineProperty(given, Symbol.asyncIterator, { value: iterate, ...own })
}

function isRefusedByThread(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Cannot change `system` on a thread')
}

async function answered(runner: ToolRunner, call: Message | Stream): Promise<MessageParam[] | undefined> {
  const answer = async (): Promise<MessageParam[] | undefined> => {
    const { role, content, stop_reason: reason } = 'finalMessage' in call ? await call.finalMessage() : call
    const results = reason === 'tool_use' ? await runner.generateToolResponse() : null
    return results === null ? undefined : [{ role, content }, results]
  }
  const [settled] = await Promise.allSettled([answer()])
  // The runner gets the same error in its next step, and reports it.
  return settled.status === 'fulfilled' ? settled.value : undefined
}

/** Reads the signal in a setter function, because the runner passes its options only to such functions. */
function signalOf(runner: ToolRunner): AbortSignal | null | undefined {
  let signal: AbortSignal | null | undefined
  runner.setRequestOptions((options) => {
    signal = options.signal
    return options
  })
  return signal
}

function isToolRunner(value: unknown): value is ToolRunner {
  const { setMessagesParams, generateToolResponse } = Object(value) as Partial<ToolRunner>
  return typeof setMessagesParams === 'function' && typeof generateToolResponse === 'function'
}
