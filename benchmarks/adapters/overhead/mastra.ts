import { Agent, MessageList } from '@mastra/core/agent'
import type {
  InputProcessor,
  ProcessInputStepArgs,
  ProcessLLMRequestArgs,
  ProcessToolResultArgs,
} from '@mastra/core/processors'
import { createTool } from '@mastra/core/tools'
import { offloadProcessor } from '@spillway/mastra'
import * as models from '../mastra.ts'
import type { Subject } from '../subject.ts'
import { historyOf } from './ai-sdk.ts'
import { loop, newOffloader, one, script, STEPS, type OverheadCase } from './overhead-case.ts'

/** Cases that call the adapter directly like Mastra. Each call has a new state, so each result is new. */
export function directCases(output: string | object): readonly OverheadCase[] {
  const processor = offloadProcessor(newOffloader())
  const call = { toolCallId: 'call_1', toolName: 'read', args: {} }
  const toolInvocation = { ...call, state: 'result', result: output } as const
  const messageList = new MessageList({ threadId: 'thread-1' }).add('Read the file.', 'input').add(
    {
      id: 'message',
      role: 'assistant',
      createdAt: new Date(),
      threadId: 'thread-1',
      content: { format: 2, parts: [{ type: 'tool-invocation', toolInvocation }] },
    },
    'response',
  )
  const messages = messageList.get.all.db()
  const tools = processor.getLoadedToolsForRequestContext()
  const shown = typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output }
  const prompt = [{ role: 'tool', content: [{ ...call, type: 'tool-result', output: shown }] }]
  const idle = async (): Promise<void> => undefined
  return [
    {
      name: 'Mastra `processInputStep`, `processLLMRequest`',
      plain: one(idle),
      wrapped: one(async () => {
        const state = {}
        await processor.processInputStep({ state, messages, messageList, tools } as unknown as ProcessInputStepArgs)
        await processor.processLLMRequest({ state, prompt } as unknown as ProcessLLMRequestArgs)
      }),
    },
    {
      name: 'Mastra `processToolResult`',
      plain: one(idle),
      wrapped: one(() => {
        const args = { state: {}, messages, messageList, ...call, result: output }
        return processor.processToolResult(args as unknown as ProcessToolResultArgs)
      }),
    },
  ]
}

/** Cases of whole runs that begin with `history` messages. */
export function loopCases(history: number, output: string): readonly OverheadCase[] {
  const read = createTool({ id: 'read', description: 'Read.', execute: async () => output })
  const messages = historyOf(history, output)
  const agent = (inputProcessors: InputProcessor[]): Subject =>
    loop(() => {
      const model = models.scriptedModel(script, () => undefined)
      const config = { id: 'agent', name: 'agent', instructions: 'Read.', model, tools: { read } }
      return new Agent({ ...config, inputProcessors }).generate(messages, { maxSteps: STEPS + 1 })
    })
  const wrapped = agent([offloadProcessor(newOffloader())])
  const allocating = { plain: hooks(history, output, false), wrapped: hooks(history, output, true) }
  return [{ name: 'Mastra `offloadProcessor`', plain: agent([]), wrapped, allocating }]
}

/** Only the prompts of a run, with or without the hooks: they are a small part of all allocations of a Mastra run. */
function hooks(history: number, output: string, isWrapped: boolean): Subject {
  const processor = offloadProcessor(newOffloader())
  const tools = processor.getLoadedToolsForRequestContext()
  const past = historyOf(history, output)
  const messageList = new MessageList({ threadId: 'thread-1' }).add(past, 'input')
  const messages = messageList.get.all.db()
  return loop(async () => {
    const state = {}
    for (let step = 0; step < STEPS; step += 1) {
      const prompt = past.map(madeAnew)
      if (!isWrapped) continue
      await processor.processInputStep({ state, messages, messageList, tools } as unknown as ProcessInputStepArgs)
      await processor.processLLMRequest({ state, prompt } as unknown as ProcessLLMRequestArgs)
    }
  })
}

/** Create a prompt message again from the same texts, like Mastra does for each model call. */
function madeAnew(message: ReturnType<typeof historyOf>[number]): object {
  if (message.role !== 'tool') return message
  return {
    ...message,
    content: message.content.map((part) =>
      part.type === 'tool-result' ? { ...part, output: { ...part.output } } : part,
    ),
  }
}
