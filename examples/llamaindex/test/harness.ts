/** How the cases of the adapters' suite run through LlamaIndex: in agents, in a workflow of its own, and by `llm.exec`. */
import { Buffer } from 'node:buffer'
import type { JSONValue } from '@llamaindex/core/global'
import {
  ToolCallLLM,
  type BaseTool,
  type BaseToolWithCall,
  type ChatMessage,
  type ChatResponse,
  type ChatResponseChunk,
  type ToolCallLLMMessageOptions,
} from '@llamaindex/core/llms'
import { createMemory } from '@llamaindex/core/memory'
import { agent, agentOutputEvent, agentToolCallResultEvent, multiAgent, type AgentWorkflow } from '@llamaindex/workflow'
import type {
  AdapterHarness,
  CaseTool,
  Conversation,
  ConversationResult,
  ModelTurn,
  SeenPrompt,
  SeenResult,
  ToolBehaviour,
} from '@spillway-internal/adapter-testing'
import type { ContentBlock, ContextOffloader } from '@spillway/core'
import { OffloadAgent } from '../offload-agent.ts'
import { offloadTools } from '../offload-tools.ts'

type Outputs = { toolCallId: string; output: unknown }[]
type Session = ContextOffloader | undefined
type Loop = (
  llm: CaseLlm,
  tools: BaseToolWithCall[],
  session: Session,
  messages: ChatMessage[],
  user: string,
) => Promise<{ outputs: Outputs; history: unknown }>

export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  [
    harness('OffloadAgent', (llm, tools, session, past, user) =>
      runWorkflow(
        session === undefined
          ? agent({ llm, tools, memory: createMemory(past) })
          : ofOne(new OffloadAgent(session, { llm, tools }), past),
        user,
        undefined,
      ),
    ),
    harness('offloadTools with agent', (llm, tools, session, past, user) =>
      runWorkflow(
        agent({ llm, tools: session === undefined ? tools : offloadTools(tools, session), memory: createMemory(past) }),
        user,
        session,
      ),
    ),
    harness('offloadTools with llm.exec', execLoop),
  ].map((one) => [one.name, one]),
)

function ofOne(one: OffloadAgent, past: ChatMessage[]) {
  return multiAgent({ agents: [one], rootAgent: one, memory: createMemory(past) })
}

async function runWorkflow(workflow: AgentWorkflow, user: string, session: Session) {
  const outputs: Outputs = []
  let memory: { get(): Promise<unknown> } | undefined
  for await (const event of workflow.runStream(user)) {
    if (agentOutputEvent.include(event)) await session?.endTurn()
    if (agentToolCallResultEvent.include(event)) outputs.push({ toolCallId: event.data.toolId, output: event.data.raw })
    const { state } = Object(event.data) as { state?: { memory: { get(): Promise<unknown> } } }
    memory = state?.memory ?? memory
  }
  return { outputs, history: await memory?.get() }
}

async function execLoop(llm: CaseLlm, tools: BaseToolWithCall[], session: Session, past: ChatMessage[], user: string) {
  const messages: ChatMessage<ToolCallLLMMessageOptions>[] = [...past, { role: 'user', content: user }]
  const used = session === undefined ? tools : offloadTools(tools, session)
  const outputs: Outputs = []
  for (;;) {
    const { newMessages, toolCalls } = await llm.exec({ messages, tools: used })
    await session?.endTurn()
    for (const message of newMessages) {
      const { options } = message as any
      if (session !== undefined && typeof options?.toolResult?.result === 'string')
        message.content = options.toolResult.result
      if (options?.toolResult) outputs.push({ toolCallId: options.toolResult.id, output: options.toolResult.result })
    }
    messages.push(...newMessages)
    if (toolCalls.length === 0) return { outputs, history: messages }
  }
}

class CaseLlm extends ToolCallLLM {
  readonly supportToolCall = true
  readonly metadata = {
    model: 'fake',
    temperature: 0,
    topP: 1,
    contextWindow: 1e9,
    tokenizer: undefined,
    structuredOutput: false,
  }
  readonly prompts: SeenPrompt[] = []
  text: string | undefined
  readonly #model: Conversation['model']
  constructor(model: Conversation['model']) {
    super()
    this.#model = model
  }
  override async chat({ messages, tools = [], stream }: any): Promise<any> {
    this.prompts.push(readPrompt(messages, tools))
    const turn: ModelTurn = this.#model(this.prompts.at(-1)!, this.prompts.length - 1)
    const text = 'text' in turn ? turn.text : ''
    if ('text' in turn) this.text = turn.text
    const options =
      'text' in turn ? undefined : { toolCall: turn.toolCalls.map(({ id, name, input }) => ({ id, name, input })) }
    if (stream !== true)
      return { message: { role: 'assistant', content: text, ...(options && { options }) }, raw: null }
    return (async function* () {
      yield { delta: text, raw: null, ...(options && { options }) }
    })()
  }
}

function readPrompt(messages: ChatMessage<any>[], tools: BaseTool[]): SeenPrompt {
  return {
    messages: JSON.stringify(messages),
    toolNames: tools.map(({ metadata }) => metadata.name),
    toolSchemas: Object.fromEntries(tools.map(({ metadata }) => [metadata.name, metadata.parameters])),
    results: messages.flatMap(({ content, options }): SeenResult[] =>
      options?.toolResult === undefined
        ? []
        : [
            {
              toolCallId: options.toolResult.id,
              toolName: '',
              isError: options.toolResult.isError,
              content: [{ type: 'text', text: content as string }],
            },
          ],
    ),
  }
}

function harness(name: string, loop: Loop): AdapterHarness {
  return {
    name,
    moduleUrl: import.meta.url,
    async run({
      offloader,
      session,
      tools,
      model,
      history,
      userMessage = 'Go.',
    }: Conversation): Promise<ConversationResult> {
      const llm = new CaseLlm(model)
      let error: unknown, done: any
      try {
        done = await loop(
          llm,
          tools.map(toolOf(llm)),
          offloader?.forScope(session),
          (history ?? []) as ChatMessage[],
          userMessage,
        )
      } catch (thrown) {
        error = thrown ?? new Error('nothing')
      }
      return {
        prompts: llm.prompts,
        text: llm.text,
        error,
        outputs: done?.outputs ?? [],
        approvalsAsked: [],
        history: JSON.parse(JSON.stringify(done?.history ?? null)),
      }
    },
  }
}

const toolOf =
  (llm: CaseLlm) =>
  ({ name, inputSchema = { type: 'object' }, call }: CaseTool): BaseToolWithCall => ({
    metadata: { name, description: `The tool ${name}.`, parameters: { ...inputSchema } },
    async call(input: unknown): Promise<JSONValue> {
      return outputOf(await call(input, { toolCallId: '' }))
    },
  })

function outputOf(behaviour: ToolBehaviour): JSONValue {
  if (behaviour.type === 'throws') throw behaviour.thrown
  if (behaviour.type === 'returns-error') throw new Error(behaviour.text)
  if (behaviour.type === 'yields') return behaviour.texts.at(-1) ?? ''
  const [first, ...more] = behaviour.content
  if (first === undefined) return undefined as unknown as JSONValue
  if (more.length === 0 && behaviour.asParts !== true) {
    if (first.type === 'text') return first.text
    if (first.type === 'json') return first.value as JSONValue
  }
  return { content: behaviour.content.map(mcpPart) as JSONValue }
}
function mcpPart(block: ContentBlock): unknown {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if (block.type === 'json' || block.type === 'unknown') return block.value
  if (block.type === 'link') return { type: 'resource_link', uri: block.url, name: block.name ?? '' }
  if (block.data === undefined) return { type: 'resource_link', uri: block.url, name: '', mimeType: block.mediaType }
  const data = Buffer.from(block.data).toString('base64')
  if (block.type === 'image' || block.type === 'audio') return { type: block.type, data, mimeType: block.mediaType }
  return { type: 'resource', resource: { uri: 'file:///a', mimeType: block.mediaType, blob: data } }
}
