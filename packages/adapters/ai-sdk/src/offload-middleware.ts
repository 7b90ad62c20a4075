import type { ContextOffloader } from '@spillway/core'
import type { LanguageModelMiddleware } from 'ai'
import { assertOffloader } from './assert-offloader.ts'
import { offloadOutput, type OutputCall } from './offload-output.ts'

type Params = Parameters<NonNullable<LanguageModelMiddleware['transformParams']>>[0]['params']
type Prompt = Params['prompt']
type Message = Prompt[number]
type ToolMessage = Extract<Message, { role: 'tool' }>
type ToolResult = Extract<ToolMessage['content'][number], { type: 'tool-result' }>

/** What an output was replaced by, and for which call. */
interface Known {
  readonly toolName: string
  readonly toolCallId: string
  readonly output: ToolResult['output']
}

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
  const known = new WeakMap<object, Known>()

  async function offloadResult(
    prompt: Prompt,
    result: ToolResult,
    signal: AbortSignal | undefined,
  ): Promise<ToolResult> {
    const { toolName, toolCallId, output } = result
    const before = known.get(output)
    if (before?.toolCallId === toolCallId && before.toolName === toolName) {
      return before.output === output ? result : { ...result, output: before.output }
    }
    let failed = false
    const watching: Pick<ContextOffloader, 'offload'> = {
      async offload(request) {
        const outcome = await offloader.offload(request)
        failed = outcome.status === 'inline' && outcome.reason === 'failed'
        return outcome
      },
    }
    const call: OutputCall = { toolName, toolCallId, input: inputOf(prompt, toolCallId), signal }
    const replaced = await offloadOutput(watching, call, output)
    // What could not be stored is tried again in the next call.
    if (!failed) known.set(output, { toolName, toolCallId, output: replaced })
    return replaced === output ? result : { ...result, output: replaced }
  }

  async function offloadMessage(prompt: Prompt, message: Message, signal: AbortSignal | undefined): Promise<Message> {
    if (message.role !== 'tool') return message
    const parts: ToolMessage['content'] = []
    for (const part of message.content) {
      parts.push(part.type === 'tool-result' ? await offloadResult(prompt, part, signal) : part)
    }
    return parts.every((part, index) => part === message.content[index]) ? message : { ...message, content: parts }
  }

  return {
    // Version 6 asks for just this; version 7 takes it too.
    specificationVersion: 'v3',
    async transformParams({ params }) {
      await offloader.endTurn()
      const prompt: Message[] = []
      for (const message of params.prompt) {
        prompt.push(await offloadMessage(params.prompt, message, params.abortSignal))
      }
      return { ...params, prompt }
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
