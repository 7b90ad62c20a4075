import type { ProcessLLMRequestArgs } from '@mastra/core/processors'
import type { ModelOutput } from './model-output.ts'
import type { OffloadRun } from './offload-run.ts'

type Prompt = ProcessLLMRequestArgs['prompt']
type ToolMessage = Extract<Prompt[number], { role: 'tool' }>
type ToolResult = ToolMessage['content'][number]

/** Replace large tool results in a prompt, and nothing else of it. Returns the very prompt where all of it stays. */
export async function offloadPrompt(prompt: Prompt, run: OffloadRun): Promise<Prompt> {
  const replaced = [...prompt]
  const replacing: Promise<void>[] = []
  // A long history is mostly of messages that are known to stay: nothing is allocated for them.
  for (let index = 0; index < prompt.length; index += 1) {
    const message = prompt[index]
    if (message?.role === 'tool' && !message.content.every(isSettled))
      replacing.push(replaceMessage(message).then((one) => void (replaced[index] = one)))
  }
  await Promise.all(replacing)
  return replacing.length === 0 ? prompt : replaced

  // Newer models have parts of other types, too.
  function isSettled(part: ToolResult): boolean {
    return part.type !== 'tool-result' || run.find(part, part.output) === (part.output as ModelOutput)
  }

  async function replaceMessage(message: ToolMessage): Promise<ToolMessage> {
    return { ...message, content: await Promise.all(message.content.map(replaceResult)) }
  }

  async function replaceResult(result: ToolResult): Promise<ToolResult> {
    if (result.type !== 'tool-result') return result
    const { toolName, toolCallId } = result
    const output = await run.show({ toolName, toolCallId, input: inputOf(prompt, toolCallId) }, result.output)
    // Its type is that of the original, or one of those that every model takes.
    return { ...result, output: output as ToolResult['output'] }
  }
}

function inputOf(prompt: Prompt, toolCallId: string): unknown {
  for (let index = prompt.length - 1; index >= 0; index -= 1) {
    const message = prompt[index]
    if (message?.role !== 'assistant') continue
    for (const part of message.content) {
      if (part.type === 'tool-call' && part.toolCallId === toolCallId) return part.input
    }
  }
  return undefined
}
