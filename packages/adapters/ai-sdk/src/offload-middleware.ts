import type { ContextOffloader } from '@spillway/core'
import { assertNoReferences, assertOffloader, offloadModelOutput, tellHiddenTool } from '@spillway/core/adapter'
import type { LanguageModelMiddleware } from 'ai'

type TransformParams = NonNullable<LanguageModelMiddleware['transformParams']>
type Params = Parameters<TransformParams>[0]['params']
type Prompt = Params['prompt']
type ToolMessage = Extract<Prompt[number], { role: 'tool' }>
type ToolResult = Extract<ToolMessage['content'][number], { type: 'tool-result' }>

/**
 * Make a middleware for `wrapLanguageModel` that replaces large tool results and errors in the prompt.
 *
 * The tools must include `retrieve_offloaded_content: retrievalTool(offloader)`. Each model call ends a turn, so do not
 * combine it with `offloadPrepareStep`.
 *
 * @example
 * ```ts
 * import { offloadMiddleware, retrievalTool } from '@spillway/ai-sdk'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { wrapLanguageModel, type LanguageModelMiddleware } from 'ai'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const middleware: LanguageModelMiddleware = offloadMiddleware(offloader)
 * const wrap = (model: Parameters<typeof wrapLanguageModel>[0]['model']) => wrapLanguageModel({ model, middleware })
 * const tools = { retrieve_offloaded_content: retrievalTool(offloader) } // generateText({ model: wrap(model), tools })
 * console.assert(typeof wrap === 'function' && tools !== undefined)
 * ```
 */
export function offloadMiddleware(offloader: ContextOffloader): LanguageModelMiddleware {
  assertOffloader(offloader, 'offloadMiddleware(new ContextOffloader({ storage }))')
  assertNoReferences(offloader, 'offloadMiddleware(offloader)')
  // The call is compared, too, because the SDK may use one output for several calls, whose references differ.
  const known = new WeakMap<ToolResult['output'], ToolResult>()

  function findKnown({ toolName, toolCallId, output }: ToolResult): ToolResult['output'] | undefined {
    const before = known.get(output)
    return before?.toolCallId === toolCallId && before.toolName === toolName ? before.output : undefined
  }

  async function replaceResult(
    turn: Pick<ContextOffloader, 'offload'>,
    result: ToolResult,
    { prompt, abortSignal: signal }: Params,
  ): Promise<ToolResult> {
    const before = findKnown(result)
    if (before !== undefined) return { ...result, output: before }
    const { toolName, toolCallId } = result
    const call = { toolName, toolCallId, ...calledWith(prompt, toolCallId), signal }
    const { output, reason } = await offloadModelOutput(turn, call, result.output)
    const replaced = { ...result, output }
    // A failed store is tried again in the next call.
    if (reason !== 'failed') known.set(result.output, replaced)
    return replaced
  }

  async function replaceMessage(message: ToolMessage, params: Params): Promise<ToolMessage> {
    const parts = message.content.map(
      (part) => async (turn: Pick<ContextOffloader, 'offload'>) =>
        part.type === 'tool-result' ? replaceResult(turn, part, params) : part,
    )
    return { ...message, content: await offloader.inTurn(parts) }
  }

  return {
    // Version 6 requires this field.
    specificationVersion: 'v3',
    async transformParams({ params }) {
      await offloader.endTurn()
      const prompt = [...params.prompt]
      const replacing: Promise<void>[] = []
      // Most messages of a long history do not change, so nothing is allocated for them.
      for (let index = 0; index < prompt.length; index += 1) {
        const message = prompt[index]
        if (message?.role === 'tool' && !message.content.every(isSettled))
          replacing.push(replaceMessage(message, params).then((replaced) => void (prompt[index] = replaced)))
      }
      await Promise.all(replacing)
      tellHiddenTool(offloader, params.tools ?? [])
      return { ...params, prompt }
    },
  }

  function isSettled(part: ToolMessage['content'][number]): boolean {
    return part.type !== 'tool-result' || findKnown(part) === part.output
  }
}

function calledWith(
  prompt: Prompt,
  toolCallId: string,
): { readonly input?: unknown; readonly purpose?: string | undefined } {
  for (let index = prompt.length - 1; index >= 0; index -= 1) {
    const message = prompt[index]
    if (message?.role !== 'assistant') continue
    for (const part of message.content) {
      if (part.type !== 'tool-call' || part.toolCallId !== toolCallId) continue
      const purpose = message.content.map((one) => (one.type === 'text' ? one.text : '')).join('\n')
      return { input: part.input, purpose }
    }
  }
  return {}
}
