import type { ContextOffloader } from '@spillway/core'
import type { LanguageModelMiddleware } from 'ai'
import { assertOffloader } from './assert-offloader.ts'
import { offloadOutput } from './offload-output.ts'

type TransformParams = NonNullable<LanguageModelMiddleware['transformParams']>
type Prompt = Parameters<TransformParams>[0]['params']['prompt']
type ToolMessage = Extract<Prompt[number], { role: 'tool' }>
type ToolResult = Extract<ToolMessage['content'][number], { type: 'tool-result' }>

/**
 * Make a middleware for `wrapLanguageModel` that replaces large tool results, error messages among them, in the prompt.
 *
 * It works for any tools, but they must include `retrieve_offloaded_content: retrievalTool(offloader)`. Results that the
 * provider made are left alone. Each call of the model ends a turn, so do not combine it with `offloadPrepareStep`. What
 * was replaced once is not worked through again as long as the SDK passes on the same object.
 *
 * @example
 * ```ts
 * import { offloadMiddleware, retrievalTool } from '@spillway/ai-sdk'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { generateText, wrapLanguageModel, type LanguageModelMiddleware } from 'ai'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const middleware: LanguageModelMiddleware = offloadMiddleware(offloader)
 * const ask = (model: Parameters<typeof wrapLanguageModel>[0]['model'], prompt: string) =>
 *   generateText({
 *     model: wrapLanguageModel({ model, middleware }),
 *     tools: { retrieve_offloaded_content: retrievalTool(offloader) },
 *     prompt,
 *   })
 * console.assert(typeof ask === 'function')
 * ```
 */
export function offloadMiddleware(offloader: ContextOffloader): LanguageModelMiddleware {
  assertOffloader(offloader, 'offloadMiddleware(new ContextOffloader({ storage }))')
  // What became of each output. The SDK may use one for several calls, whose references differ.
  const known = new WeakMap<ToolResult['output'], ToolResult>()

  async function replace(result: ToolResult, prompt: Prompt, signal: AbortSignal | undefined): Promise<ToolResult> {
    const { toolName, toolCallId, output } = result
    const before = known.get(output)
    if (before?.toolCallId === toolCallId && before.toolName === toolName) return { ...result, output: before.output }
    let failed = false
    const watched: Pick<ContextOffloader, 'offload'> = {
      async offload(request) {
        const outcome = await offloader.offload(request)
        failed = outcome.status === 'inline' && outcome.reason === 'failed'
        return outcome
      },
    }
    const call = { toolName, toolCallId, input: inputOf(prompt, toolCallId), signal }
    const replaced = { ...result, output: await offloadOutput(watched, call, output) }
    // What could not be stored is tried again in the next call.
    if (!failed) known.set(output, replaced)
    return replaced
  }

  return {
    // Version 6 asks for just this; version 7 takes it too.
    specificationVersion: 'v3',
    async transformParams({ params }) {
      await offloader.endTurn()
      const { prompt, abortSignal } = params
      const messages = prompt.map(async (message) => {
        if (message.role !== 'tool') return message
        const parts = message.content.map(async (part) =>
          part.type === 'tool-result' ? replace(part, prompt, abortSignal) : part,
        )
        return { ...message, content: await Promise.all(parts) }
      })
      return { ...params, prompt: await Promise.all(messages) }
    },
  }
}

function inputOf(prompt: Prompt, toolCallId: string): unknown {
  for (const message of prompt.toReversed()) {
    if (message.role !== 'assistant') continue
    const call = message.content.find((part) => part.type === 'tool-call' && part.toolCallId === toolCallId)
    if (call?.type === 'tool-call') return call.input
  }
  return undefined
}
