/** Runs the cases of the suite through the loop of a Mastra agent. */
import type {
  AdapterHarness,
  Conversation,
  ConversationResult,
  ModelTurn,
  SeenPrompt,
} from '@spillway-internal/adapter-suite'
import { Agent, type AgentExecutionOptionsBase, type MastraDBMessage } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { MockMemory } from '@mastra/core/memory'
import { InMemoryStore } from '@mastra/core/storage'
import { historyProcessor } from '../src/history/index.ts'
import { offloadProcessor } from '../src/index.ts'
import { toolsOf, type PartsForm } from './case-tools.ts'
import { fakeModel, type Specification } from './fake-model.ts'
import { BOTH_GAPS, GENERATE_GAPS, STREAM_GAPS } from './gaps.ts'

const MAX_STEPS = 500
const RESOURCE = 'user-1'

/** A way to use the adapter and to run an agent. */
interface Way {
  readonly name: string
  readonly gaps: Readonly<Record<string, string>>
  readonly streams: boolean
  /** Whether a memory keeps the messages. Without a memory, the program passes all messages to each run. */
  readonly hasMemory: boolean
  /** Whether the processor is in `outputProcessors`, too. */
  readonly isOutputProcessor: boolean
  readonly parts: PartsForm
  readonly model: Specification
}

/** Ways to use the adapter, by name. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  (
    [
      {
        name: 'inputProcessors with generate',
        gaps: GENERATE_GAPS,
        streams: false,
        hasMemory: false,
        isOutputProcessor: false,
        parts: 'toModelOutput',
        model: 'v2',
      },
      {
        name: 'inputProcessors with stream and memory',
        gaps: STREAM_GAPS,
        streams: true,
        hasMemory: true,
        isOutputProcessor: false,
        parts: 'toModelOutput',
        model: 'v3',
      },
      {
        name: 'inputProcessors and outputProcessors with stream',
        gaps: BOTH_GAPS,
        streams: true,
        hasMemory: false,
        isOutputProcessor: true,
        parts: 'mcp',
        model: 'v2',
      },
    ] satisfies Way[]
  ).map((way) => [way.name, harness(way)]),
)

/** Recorded outputs of a run, and the approvals that it waits for. */
interface Seen {
  readonly outputs: { readonly toolCallId: string; readonly output: unknown }[]
  readonly preliminaryOutputs: { readonly toolCallId: string; readonly output: unknown }[]
  readonly approvalsAsked: string[]
}

/** The result of one call of the agent. */
interface Round {
  readonly runId: string
  readonly messages: readonly MastraDBMessage[]
  readonly approval: Approval | undefined
}

interface Approval {
  readonly toolCallId: string
  readonly toolName: string
}

type Options = AgentExecutionOptionsBase<unknown>

function harness(way: Way): AdapterHarness {
  return {
    name: way.name,
    gaps: way.gaps,
    moduleUrl: import.meta.url,
    compactsHistory: true,
    async run(conversation) {
      const { session, signal, history = [], userMessage = 'Go.', approve = () => false } = conversation
      const prompts: SeenPrompt[] = []
      let answer: ModelTurn | undefined
      const model = fakeModel((prompt) => {
        prompts.push(prompt)
        answer = conversation.model(prompt, prompts.length - 1)
        return answer
      }, way.model)
      const seen: Seen = { outputs: [], preliminaryOutputs: [], approvalsAsked: [] }
      const earlier = (history as readonly MastraDBMessage[]).map(revived)
      let messages: readonly MastraDBMessage[] = earlier
      let error: unknown
      try {
        const memory = way.hasMemory ? await memoryWith(session, earlier) : undefined
        const agent = agentOf(conversation, way, model, memory)
        const options: Options = {
          memory: { thread: session, resource: RESOURCE },
          maxSteps: MAX_STEPS,
          ...(signal !== undefined && { abortSignal: signal }),
        }
        const input = way.hasMemory ? userMessage : [...earlier, userMessage]
        const round = way.streams ? streamRound : generateRound
        let result = await round(agent, seen, { input, options })
        while (result.approval !== undefined) {
          const { toolCallId, toolName } = result.approval
          seen.approvalsAsked.push(toolName)
          const resumed = { runId: result.runId, toolCallId, approved: approve(toolName) }
          result = await round(agent, seen, { resumed, options })
        }
        messages = memory === undefined ? result.messages : await messagesIn(memory, session)
      } catch (thrown) {
        error = thrown ?? new Error('The run rejected with nothing.')
      }
      return {
        prompts,
        text: error === undefined && answer !== undefined && 'text' in answer ? answer.text : undefined,
        error,
        outputs: seen.outputs,
        ...(way.streams && { preliminaryOutputs: seen.preliminaryOutputs }),
        approvalsAsked: seen.approvalsAsked,
        history: JSON.parse(JSON.stringify(messages)) as unknown,
      } satisfies ConversationResult
    },
  }
}

function agentOf(
  { offloader, tools, compaction, systemPrompt = '' }: Conversation,
  { parts, isOutputProcessor }: Way,
  model: ReturnType<typeof fakeModel>,
  memory: MockMemory | undefined,
): Agent {
  const processor = offloader === undefined ? [] : [offloadProcessor(offloader)]
  const history = offloader === undefined || compaction === undefined ? [] : [historyProcessor(offloader, compaction)]
  const agent = new Agent({
    id: 'agent',
    name: 'agent',
    instructions: systemPrompt,
    model,
    tools: toolsOf(tools, parts),
    ...(memory !== undefined && { memory }),
    inputProcessors: [...processor, ...history],
    ...(isOutputProcessor && { outputProcessors: processor }),
  })
  // Mastra stores runs that wait for an approval.
  return new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false }).getAgent('agent')
}

/** The start of a run: a new run with an input, or a run that continues after an approval. */
interface Start {
  readonly options: Options
  readonly input?: string | readonly (MastraDBMessage | string)[]
  readonly resumed?: { readonly runId: string; readonly toolCallId: string; readonly approved: boolean }
}

async function generateRound(agent: Agent, seen: Seen, { input, resumed, options }: Start): Promise<Round> {
  const resume = { ...options, ...resumed, runId: resumed?.runId ?? '' }
  const result =
    input !== undefined
      ? await agent.generate(input as string, options)
      : resumed?.approved === true
        ? await agent.approveToolCallGenerate(resume)
        : await agent.declineToolCallGenerate(resume)
  if (result.error !== undefined) throw result.error
  for (const step of result.steps)
    for (const { payload } of step.toolResults)
      seen.outputs.push({ toolCallId: payload.toolCallId, output: payload.result })
  const { runId = '', messages } = result
  const approval = result.finishReason === 'suspended' ? (result.suspendPayload as Approval) : undefined
  return { runId, messages, approval }
}

async function streamRound(agent: Agent, seen: Seen, { input, resumed, options }: Start): Promise<Round> {
  const resume = { ...options, ...resumed, runId: resumed?.runId ?? '' }
  const stream =
    input !== undefined
      ? await agent.stream(input as string, options)
      : resumed?.approved === true
        ? await agent.approveToolCall(resume)
        : await agent.declineToolCall(resume)
  let approval: Approval | undefined
  let failure: unknown
  for await (const chunk of stream.fullStream) {
    switch (chunk.type) {
      case 'tool-result':
        seen.outputs.push({ toolCallId: chunk.payload.toolCallId, output: chunk.payload.result })
        break
      case 'tool-output':
        seen.preliminaryOutputs.push({ toolCallId: chunk.payload.toolCallId ?? '', output: chunk.payload.output })
        break
      case 'tool-call-approval':
        approval = chunk.payload
        break
      case 'error':
        failure ??= chunk.payload.error ?? new Error('The stream failed with nothing.')
    }
  }
  if (failure !== undefined) throw failure
  return { runId: stream.runId, messages: stream.messageList.get.all.db(), approval }
}

async function memoryWith(thread: string, messages: readonly MastraDBMessage[]): Promise<MockMemory> {
  const memory = new MockMemory({ options: { lastMessages: 1_000 } })
  if (messages.length > 0) {
    const now = new Date()
    await memory.saveThread({ thread: { id: thread, resourceId: RESOURCE, createdAt: now, updatedAt: now } })
    await memory.saveMessages({ messages: [...messages] })
  }
  return memory
}

async function messagesIn(memory: MockMemory, thread: string): Promise<readonly MastraDBMessage[]> {
  return (await memory.recall({ threadId: thread, perPage: false })).messages
}

/** Restore the date of a message that was parsed from JSON. */
function revived(message: MastraDBMessage): MastraDBMessage {
  return { ...message, createdAt: new Date(message.createdAt) }
}
