import type { ContextOffloader } from '@spillway/core'
import { assertOffloader } from '@spillway/core/adapter'

/**
 * Let a tool runner end a turn with each model call, so that storage can evict unused content.
 *
 * Changes and returns the runner. Call `endTurns` once for each runner.
 *
 * @throws TypeError for an invalid runner or offloader.
 *
 * @example
 * ```ts
 * import type Anthropic from '@anthropic-ai/sdk'
 * import { endTurns, offloadTools } from '@spillway/anthropic'
 * import type { ContextOffloader } from '@spillway/core'
 *
 * export const ask = (client: Anthropic, session: ContextOffloader, messages: Anthropic.Beta.BetaMessageParam[]) => {
 *   const params = { model: 'claude-opus-5', max_tokens: 1_024, messages, tools: offloadTools([], session) }
 *   return endTurns(client.beta.messages.toolRunner(params), session)
 * }
 * ```
 */
export function endTurns<Runner extends AsyncIterable<unknown>>(runner: Runner, offloader: ContextOffloader): Runner {
  assertOffloader(offloader, 'endTurns(runner, new ContextOffloader({ storage }))')
  if (typeof (Object(runner) as Partial<Runner>)[Symbol.asyncIterator] !== 'function')
    throw new TypeError(`runner must be a tool runner, got ${typeof runner}: client.beta.messages.toolRunner(…).`)
  const modelCalls = { [Symbol.asyncIterator]: runner[Symbol.asyncIterator].bind(runner) }
  async function* iterate(): AsyncGenerator {
    for await (const modelCall of modelCalls) {
      await offloader.endTurn()
      yield modelCall
    }
  }
  // Awaiting a runner uses this iterator, too.
  return Object.defineProperty(runner, Symbol.asyncIterator, { value: iterate, writable: true, configurable: true })
}
