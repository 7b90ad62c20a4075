import type Anthropic from '@anthropic-ai/sdk'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { assertOffloader, callResolved } from '@spillway/core/adapter'
import { contentOfThrown, offloadCall, type ToolUse } from './offload-call.ts'
import type { ResultPart } from './result-part.ts'
import { retrievalTool } from './retrieval-tool.ts'

/** A message with tool results, for both APIs. */
export interface ToolResults {
  role: 'user'
  content: (Anthropic.ToolResultBlockParam & Anthropic.Beta.BetaToolResultBlockParam)[]
}

/**
 * Answer the tool calls of a response in your own loop, and return the next message. Without tool calls, return
 * `undefined`.
 *
 * Offer `retrievalTool(offloader)` to the model: its calls are answered here, and all other calls by `run`. Each
 * response ends a turn, so pass every response exactly once.
 *
 * @throws TypeError for an invalid argument.
 *
 * @example
 * ```ts
 * import type Anthropic from '@anthropic-ai/sdk'
 * import { answerToolCalls } from '@spillway/anthropic'
 * import type { ContextOffloader } from '@spillway/core'
 *
 * type Messages = Anthropic.MessageParam[]
 *
 * export async function answer(response: Anthropic.Message, session: ContextOffloader, messages: Messages) {
 *   messages.push({ role: 'assistant', content: response.content })
 *   const results = await answerToolCalls(response, session, ({ name }) => `${name} ran`)
 *   if (results !== undefined) messages.push(results) // and ask the model again
 * }
 * ```
 */
export async function answerToolCalls(
  response: Anthropic.Message | Anthropic.Beta.BetaMessage,
  offloader: ContextOffloader,
  run: (toolUse: Anthropic.Beta.BetaToolUseBlock) => string | ResultPart[] | Promise<string | ResultPart[]>,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ToolResults | undefined> {
  assertOffloader(offloader, 'answerToolCalls(response, new ContextOffloader({ storage }), run)')
  if (!Array.isArray((Object(response) as Partial<Anthropic.Message>).content))
    throw new TypeError('response must be a message: await it, or for a stream `await stream.finalMessage()`.')
  if (typeof run !== 'function') throw new TypeError(`run must be a function that gets a tool call, got ${typeof run}.`)
  await offloader.endTurn()
  if (response.stop_reason !== 'tool_use') return undefined
  const retrieval = offloader.options.includeRetrievalTool ? retrievalTool(offloader) : undefined
  const purpose = response.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  const results = response.content.map((block) => async (turn: Pick<ContextOffloader, 'offload'>) => {
    if (block.type !== 'tool_use') return []
    const { id, name, input, toolset_name }: ToolUse = block
    const result = { type: 'tool_result', tool_use_id: id, ...(toolset_name != null && { toolset_name }) } as const
    try {
      const answer = (): ReturnType<typeof run> =>
        name === RETRIEVAL_TOOL_NAME && retrieval !== undefined
          ? retrieval.run(input, { signal })
          : callResolved(offloader, { toolName: name, toolCallId: id, input, signal }, (given) =>
              run(given === input ? block : { ...block, input: given }),
            )
      const content = await offloadCall(turn, block, signal, answer, purpose)
      return [{ ...result, content }]
    } catch (error) {
      return [{ ...result, content: contentOfThrown(error), is_error: true }]
    }
  })
  return { role: 'user', content: (await offloader.inTurn(results)).flat() as ToolResults['content'] }
}
