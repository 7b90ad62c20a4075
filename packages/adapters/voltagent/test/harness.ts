/** Runs the cases of the suite through the agents of VoltAgent. */
import type {
  AdapterHarness,
  Conversation,
  ConversationResult,
  ModelTurn,
  SeenPrompt,
} from '@spillway-internal/adapter-suite'
import type { ContextOffloader } from '@spillway/core'
import {
  Agent,
  AgentRegistry,
  createVoltAgentObservability,
  InMemoryStorageAdapter,
  Memory,
  type AgentOptions,
} from '@voltagent/core'
import type { UIMessage } from 'ai'
import { offloadHooks, offloadTools } from '../src/index.ts'
import { toolsOf } from './case-tools.ts'
import { fakeModel } from './fake-model.ts'
import { GENERATE_GAPS, STREAM_GAPS } from './gaps.ts'

// Otherwise, each agent would create its own, with timers.
AgentRegistry.getInstance().setGlobalObservability(createVoltAgentObservability())

const MAX_ROUNDS = 100
const USER = 'user-1'

/** Ways to use the adapter, by name. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  [
    harness('generateText with memory', generateRound, GENERATE_GAPS),
    harness('streamText with saved UI messages', streamRound, STREAM_GAPS),
  ].map((one) => [one.name, one]),
)

interface Output {
  readonly toolCallId: string
  readonly output: unknown
}

/** State of a run between rounds. A round is one call of `generateText` or `streamText`. */
interface State {
  readonly conversation: Conversation
  readonly agent: Agent
  readonly memory: Memory
  readonly outputs: Output[]
  readonly preliminaryOutputs: Output[]
  readonly approvalsAsked: string[]
  /** The input of the next round. */
  input: string | UIMessage[]
  /** UI messages, as JSON: of the memory, or of a chat. */
  history: UIMessage[]
}

/** Run one round. Return whether another round must follow, after an approval or a result of the provider. */
type Round = (state: State) => Promise<boolean>

function harness(name: string, round: Round, gaps: Readonly<Record<string, string>>): AdapterHarness {
  const isStream = round === streamRound
  return {
    name,
    gaps,
    moduleUrl: import.meta.url,
    async run(conversation) {
      const { session, history = [], userMessage = 'Go.' } = conversation
      const prompts: SeenPrompt[] = []
      let answer: ModelTurn | undefined
      const model = fakeModel((prompt) => {
        prompts.push(prompt)
        answer = conversation.model(prompt, prompts.length - 1)
        return answer
      })
      const memory = new Memory({ storage: new InMemoryStorageAdapter() })
      const past = history as UIMessage[]
      const state: State = {
        conversation,
        agent: new Agent({ model, memory: isStream ? false : memory, ...optionsOf(conversation, isStream) }),
        memory,
        outputs: [],
        preliminaryOutputs: [],
        approvalsAsked: [],
        input: isStream ? [...past, userUIMessage(userMessage)] : userMessage,
        history: past,
      }
      let error: unknown
      try {
        if (!isStream && past.length > 0) {
          await memory.createConversation({ id: session, userId: USER, resourceId: 'agent', title: '', metadata: {} })
          await memory.addMessages(past, USER, session)
        }
        let rounds = 0
        while (await round(state)) if ((rounds += 1) > MAX_ROUNDS) throw new Error('The run does not end.')
      } catch (thrown) {
        error = thrown ?? new Error('The run rejected with nothing.')
      }
      const { outputs, preliminaryOutputs, approvalsAsked } = state
      const result: ConversationResult = {
        prompts,
        text: error === undefined && answer !== undefined && 'text' in answer ? answer.text : undefined,
        error,
        outputs,
        approvalsAsked,
        history: state.history,
      }
      return isStream ? { ...result, preliminaryOutputs } : result
    },
  }
}

function optionsOf({ offloader, tools: caseTools }: Conversation, isStream: boolean): Omit<AgentOptions, 'model'> {
  const tools = toolsOf(caseTools, { canYield: isStream })
  const settings = { name: 'agent', instructions: 'Help.', maxSteps: MAX_ROUNDS, maxRetries: 0 }
  if (offloader === undefined) return { ...settings, tools }
  const used = isStream ? offloader : withoutUser(offloader)
  return { ...settings, tools: offloadTools(tools, used), hooks: offloadHooks(used) }
}

/** A memory needs a user, but the cases look for stored content only in the scope of the session. */
function withoutUser(offloader: ContextOffloader): ContextOffloader {
  const forScope = (...segments: string[]): ContextOffloader =>
    offloader.forScope(...segments.filter((segment) => segment !== USER))
  return Object.create(offloader, { forScope: { value: forScope } }) as ContextOffloader
}

async function generateRound(state: State): Promise<boolean> {
  const { agent, memory, conversation, input } = state
  const { session, signal } = conversation
  const result = await agent.generateText(input, {
    userId: USER,
    conversationId: session,
    ...(signal !== undefined && { abortSignal: signal }),
  })
  for (const { toolResults } of result.steps)
    for (const { toolCallId, output } of toolResults) state.outputs.push({ toolCallId, output })
  state.history = throughJson(await memory.getMessages(USER, session))
  const last = state.history.findLast(({ role }) => role === 'assistant')
  const isAsked = last !== undefined && answerApprovals(state, last)
  state.input = isAsked ? [last] : ''
  return isAsked
}

/** One round of a chat, which saves UI messages, and sends all of them after each user message or approval. */
async function streamRound(state: State): Promise<boolean> {
  const { agent, conversation } = state
  const { session, signal } = conversation
  const originalMessages = state.input as UIMessage[]
  const result = await agent.streamText(originalMessages, {
    conversationId: session,
    ...(signal !== undefined && { abortSignal: signal }),
  })
  // If a run fails, older versions also reject these promises, of which only one is awaited.
  void Promise.allSettled([result.text, result.usage, result.finishReason])
  let failure: unknown
  const known = new Set(
    toolPartsOf(originalMessages)
      .filter(hasOutput)
      .map(({ toolCallId }) => toolCallId),
  )
  const stream = result.toUIMessageStream({
    originalMessages,
    onError: (error) => {
      failure = error
      return String(error)
    },
    onFinish: ({ messages }) => {
      state.history = throughJson(messages)
      for (const { toolCallId, output } of toolPartsOf(messages).filter(hasOutput))
        if (!known.has(toolCallId)) state.outputs.push({ toolCallId, output })
    },
  })
  for await (const chunk of stream) {
    if (chunk.type === 'tool-output-available' && chunk.preliminary === true)
      state.preliminaryOutputs.push({ toolCallId: chunk.toolCallId, output: chunk.output })
    if (chunk.type === 'error') throw failure
    if (chunk.type === 'abort') throw signal?.reason
  }
  state.input = state.history
  const last = state.history.at(-1)
  return (last !== undefined && answerApprovals(state, last)) || (await result.text) === ''
}

interface ToolPart {
  readonly type: string
  readonly toolCallId: string
  readonly output?: unknown
  state: string
  approval?: { id: string; approved?: boolean }
}

/** Answer the approval requests in a message, and return whether there were any. */
function answerApprovals({ conversation, approvalsAsked }: State, message: UIMessage): boolean {
  const asked = toolPartsOf([message]).filter(({ state }) => state === 'approval-requested')
  for (const part of asked) {
    const toolName = part.type.slice('tool-'.length)
    approvalsAsked.push(toolName)
    part.state = 'approval-responded'
    part.approval = { id: part.approval?.id ?? '', approved: conversation.approve?.(toolName) ?? false }
  }
  return asked.length > 0
}

function toolPartsOf(messages: readonly UIMessage[]): ToolPart[] {
  // The union has a member for each state, and an approval changes the state of a part.
  return messages.flatMap(({ parts }) => parts.filter(({ type }) => type.startsWith('tool-'))) as unknown as ToolPart[]
}

function hasOutput({ state }: ToolPart): boolean {
  return state === 'output-available'
}

function userUIMessage(text: string): UIMessage {
  return { id: 'user', role: 'user', parts: [{ type: 'text', text }] }
}

function throughJson<VALUE>(value: VALUE): VALUE {
  return JSON.parse(JSON.stringify(value)) as VALUE
}
