import type { ProcessLLMRequestArgs } from '@mastra/core/processors'
import type { OffloadRun } from './offload-run.ts'

type Prompt = ProcessLLMRequestArgs['prompt']
type ToolMessage = Extract<Prompt[number], { role: 'tool' }>
type ToolResult = ToolMessage['content'][number]
type AssistantMessage = Extract<Prompt[number], { role: 'assistant' }>
type ToolCall = Extract<AssistantMessage['content'][number], { type: 'tool-call' }>

/** Replace large tool results in a prompt, and nothing else of it. Returns the very prompt where all of it stays. */
export async function offloadPrompt(prompt: Prompt, run: OffloadRun): Promise<Prompt> {
  const inputs = new Map<string, unknown>()
  const replacing = new Map<number, Promise<ToolMessage>>()
  // A long history is mostly of messages that are known to stay: nothing is allocated for them.
  for (let index = 0; index < prompt.length; index += 1) {
    const message = prompt[index]
    if (message?.role === 'tool' && !message.content.every(isSettled)) replacing.set(index, replaceMessage(message))
  }
  if (replacing.size === 0) return prompt
  return Promise.all(prompt.map(async (message, index) => replacing.get(index) ?? message))

  // Newer models have parts of other types, too.
  function isSettled(part: ToolResult): boolean {
    return part.type !== 'tool-result' || run.isSettled(part, part.output)
  }

  async function replaceMessage(message: ToolMessage): Promise<ToolMessage> {
    return { ...message, content: await Promise.all(message.content.map(replaceResult)) }
  }

  async function replaceResult(result: ToolResult): Promise<ToolResult> {
    if (isSettled(result)) return result
    if (inputs.size === 0) for (const call of callsIn(prompt)) inputs.set(call.toolCallId, call.input)
    const { toolName, toolCallId } = result
    const output = await run.show({ toolName, toolCallId, input: inputs.get(toolCallId) }, result.output)
    // Its type is that of the original, or one of those that every model takes.
    return { ...result, output: output as ToolResult['output'] }
  }
}

/** Of calls with equal ids, the newest comes last. */
function* callsIn(prompt: Prompt): Generator<ToolCall> {
  for (const { role, content } of prompt) {
    if (role === 'assistant') for (const part of content) if (part.type === 'tool-call') yield part
  }
}
