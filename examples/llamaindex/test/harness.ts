/** Runs the cases of the adapter suite with LlamaIndex: in a workflow with one agent, and in a loop of `llm.exec`. */
import type { BaseTool, BaseToolWithCall, ToolCall, ToolCallLLM } from '@llamaindex/core/llms'
import { createMemory } from '@llamaindex/core/memory'
import { agentToolCallResultEvent, FunctionAgent, multiAgent, stopAgentEvent } from '@llamaindex/workflow'
import type {
  AdapterHarness,
  Conversation,
  ConversationResult,
  SeenPrompt,
  SeenResult,
} from '@spillway-internal/adapter-suite'
import type { ContextOffloader } from '@spillway/core'
import { OffloadAgent } from '../offload-agent.ts'
import { offloadTools } from '../offload-tools.ts'
import { ScriptedLlm, textOf, type Message } from '../scripted-llm.ts'
import { toolOf } from './case-tools.ts'
import { AGENT_GAPS, TOOLS_GAPS } from './gaps.ts'

/** The inputs of a loop. */
interface Setup {
  readonly llm: ToolCallLLM
  readonly session: ContextOffloader | undefined
  readonly tools: BaseToolWithCall[]
  readonly past: Message[]
  readonly userMessage: string
  readonly outputs: { readonly toolCallId: string; readonly output: unknown }[]
}

/** Runs a conversation until its end. Returns all its messages. */
type Loop = (setup: Setup) => Promise<unknown>

/** Ways of using Spillway, by name. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  [
    harness('OffloadAgent in a workflow', runWorkflow, AGENT_GAPS),
    harness('offloadTools with llm.exec', runExec, TOOLS_GAPS),
  ].map((one) => [one.name, one]),
)

function harness(name: string, loop: Loop, gaps: AdapterHarness['gaps'] & object): AdapterHarness {
  return {
    name,
    gaps,
    moduleUrl: import.meta.url,
    async run(conversation: Conversation): Promise<ConversationResult> {
      const { offloader, session, tools, history = [], userMessage = 'Go.' } = conversation
      const prompts: SeenPrompt[] = []
      const outputs: Setup['outputs'] = []
      let text: string | undefined
      const llm = new ScriptedLlm((messages, params) => {
        const prompt = readPrompt(messages, params.tools ?? [])
        prompts.push(prompt)
        const turn = conversation.model(prompt, prompts.length - 1)
        if ('text' in turn) return (text = turn.text)
        return turn.toolCalls.map(({ id, name: tool, input }) => ({
          id,
          name: tool,
          input: input as ToolCall['input'],
        }))
      })
      const scoped = offloader?.forScope(session)
      const past = history as Message[]
      let messages: unknown = past
      let error: unknown
      try {
        messages = await loop({ llm, session: scoped, tools: tools.map(toolOf), past, userMessage, outputs })
      } catch (thrown) {
        error = thrown ?? new Error('The run rejected with nothing.')
        text = undefined
      }
      return {
        prompts,
        text,
        error,
        outputs,
        approvalsAsked: [],
        history: JSON.parse(JSON.stringify(messages)) as unknown,
      }
    },
  }
}

async function runWorkflow({ llm, session, tools, past, userMessage, outputs }: Setup): Promise<unknown> {
  const agent = session === undefined ? new FunctionAgent({ llm, tools }) : new OffloadAgent(session, { llm, tools })
  const failure = Promise.withResolvers<never>()
  // If a step fails, a workflow of LlamaIndex neither continues nor ends.
  const takeStep = agent.takeStep.bind(agent)
  agent.takeStep = async (...step) => {
    try {
      return await takeStep(...step)
    } catch (error) {
      failure.reject(error)
      return await new Promise<never>(() => {})
    }
  }
  const memory = createMemory(past)
  const workflow = multiAgent({ agents: [agent], rootAgent: agent, memory })
  const finished = (async () => {
    for await (const event of workflow.runStream(userMessage)) {
      if (agentToolCallResultEvent.include(event))
        outputs.push({ toolCallId: event.data.toolId, output: event.data.raw })
      if (stopAgentEvent.include(event)) return
    }
  })()
  await Promise.race([finished, failure.promise])
  return await memory.get()
}

async function runExec({ llm, session, tools, past, userMessage, outputs }: Setup): Promise<unknown> {
  const messages: Message[] = [...past, { role: 'user', content: userMessage }]
  const used = session === undefined ? tools : offloadTools(tools, session)
  for (;;) {
    const { newMessages, toolCalls } = await llm.exec({ messages, tools: used })
    await session?.endTurn()
    for (const message of newMessages) {
      if (message.options === undefined || !('toolResult' in message.options)) continue
      const { id: toolCallId, result } = message.options.toolResult
      outputs.push({ toolCallId, output: result })
      // The text is written unchanged, even without an offloader: LlamaIndex would write it as JSON without quotes.
      if (typeof result === 'string') message.content = result
    }
    messages.push(...newMessages)
    if (toolCalls.length === 0) return messages
  }
}

function readPrompt(messages: readonly Message[], tools: readonly BaseTool[]): SeenPrompt {
  return {
    messages: JSON.stringify(messages),
    toolNames: tools.map(({ metadata }) => metadata.name),
    toolSchemas: Object.fromEntries(tools.map(({ metadata }) => [metadata.name, metadata.parameters])),
    results: messages.flatMap(({ content, options = {} }): SeenResult[] => {
      if (!('toolResult' in options)) return []
      const { id: toolCallId, isError } = options.toolResult
      return [{ toolCallId, toolName: '', isError, content: [{ type: 'text', text: textOf(content) }] }]
    }),
  }
}
