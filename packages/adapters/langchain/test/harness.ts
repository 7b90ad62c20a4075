/** Runs the cases of the suite through the loops of LangChain and LangGraph. */
import type {
  AdapterHarness,
  Conversation,
  ConversationResult,
  ModelTurn,
  SeenPrompt,
} from '@spillway-internal/adapter-suite'
import type { BaseCallbackHandlerInput } from '@langchain/core/callbacks/base'
import {
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  ToolMessage,
  type BaseMessage,
  type StoredMessage,
} from '@langchain/core/messages'
import { Runnable } from '@langchain/core/runnables'
import { Command, END, interrupt, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { OFFLOADED_KEY } from '@spillway/core/adapter'
import { createAgent, humanInTheLoopMiddleware, type AgentMiddleware } from 'langchain'
import { historyMiddleware, type HistoryMiddlewareOptions } from '../src/history/index.ts'
import { offloadMiddleware, offloadTools } from '../src/index.ts'
import { isServerTool, ownTools, serverToolOf } from './case-tools.ts'
import { FakeChatModel } from './fake-chat-model.ts'
import { INVOKE_GAPS, STREAM_GAPS, TOOL_NODE_GAPS } from './gaps.ts'
import { toolErrors } from './tool-errors.ts'
import { isVersion10 } from './version.ts'

/** A case may need many model calls. */
const RECURSION_LIMIT = 500

/** The messages of a run, and the interrupts that it waits for. */
interface State {
  readonly messages?: readonly BaseMessage[]
  readonly __interrupt__?: readonly { readonly value?: unknown }[]
}

interface Config {
  readonly configurable: { readonly thread_id: string }
  readonly recursionLimit: number
  readonly signal?: AbortSignal
  readonly callbacks?: readonly unknown[]
}

/** A compiled graph, or an agent. */
export interface Graph {
  invoke(input: unknown, config: unknown): Promise<unknown>
  stream(input: unknown, config: unknown): Promise<AsyncIterable<unknown>>
}

type Output = ConversationResult['outputs'][number]

/** Ways to use the adapter, by name. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  [
    harness('offloadMiddleware with createAgent and invoke', invoke, agentOf(), INVOKE_GAPS),
    harness('offloadMiddleware with createAgent and stream', stream, agentOf({ errors: 'outside' }), STREAM_GAPS),
    // A custom graph has no hook before the model.
    { ...harness('offloadTools with a ToolNode', invoke, graphOf, TOOL_NODE_GAPS), compactsHistory: false },
  ].map((one) => [one.name, one]),
)

export function harness(
  name: string,
  step: (graph: Graph, input: unknown, config: Config, seen: Seen) => Promise<State>,
  build: (conversation: Conversation, model: FakeChatModel) => Graph,
  gaps: Readonly<Record<string, string>>,
): AdapterHarness {
  return {
    name,
    gaps,
    moduleUrl: import.meta.url,
    compactsHistory: true,
    async run(conversation) {
      const { session, signal, approve = () => true, userMessage = 'Go.' } = conversation
      const seen: Seen = { prompts: [], outputs: [], preliminaryOutputs: [], approvalsAsked: [] }
      let answer: ModelTurn | undefined
      const model = new FakeChatModel((prompt) => {
        seen.prompts.push(prompt)
        answer = conversation.model(prompt, seen.prompts.length - 1)
        return answer
      })
      const config: Config = {
        configurable: { thread_id: session },
        recursionLimit: RECURSION_LIMIT,
        ...(signal === undefined ? {} : { signal }),
      }
      const earlier = mapStoredMessagesToChatMessages((conversation.history ?? []) as StoredMessage[])
      let state: State = { messages: [...earlier, new HumanMessage(userMessage)] }
      let error: unknown
      try {
        const graph = build(conversation, model)
        let input: unknown = { messages: state.messages }
        while (input !== undefined) {
          state = await step(graph, input, config, seen)
          input = resumption(state, (toolName) => {
            seen.approvalsAsked.push(toolName)
            return approve(toolName)
          })
        }
      } catch (thrown) {
        error = thrown ?? new Error('The run rejected with nothing.')
      }
      const messages = state.messages ?? []
      const hasOutputs = step === stream
      return {
        prompts: seen.prompts,
        text: error === undefined && answer !== undefined && 'text' in answer ? answer.text : undefined,
        error,
        outputs: hasOutputs ? seen.outputs : messages.slice(earlier.length).flatMap(outputOf),
        ...(hasOutputs ? { preliminaryOutputs: seen.preliminaryOutputs } : {}),
        approvalsAsked: seen.approvalsAsked,
        history: JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages([...messages]))) as unknown,
      }
    },
  }
}

interface Seen {
  readonly prompts: SeenPrompt[]
  readonly outputs: Output[]
  readonly preliminaryOutputs: Output[]
  readonly approvalsAsked: string[]
}

export async function invoke(graph: Graph, input: unknown, config: Config): Promise<State> {
  return (await graph.invoke(input, config)) as State
}

export async function stream(graph: Graph, input: unknown, config: Config, seen: Seen): Promise<State> {
  let state: State = {}
  const chunks = await graph.stream(input, {
    ...config,
    callbacks: [recorder(seen)],
    streamMode: ['values', 'updates', 'messages'],
  })
  for await (const chunk of chunks) {
    const [mode, data] = chunk as [string, State]
    if (mode === 'values') state = { ...data }
    if (mode === 'updates' && data.__interrupt__ !== undefined) state = { ...state, __interrupt__: data.__interrupt__ }
  }
  return state
}

/** Records the results of tools, and their earlier outputs if tools of this version can yield. */
function recorder({ outputs, preliminaryOutputs }: Seen): object {
  const callOf = new Map<string, string>()
  return {
    awaitHandlers: true,
    handleToolStart: (...parameters: readonly unknown[]) => {
      callOf.set(String(parameters[2]), String(parameters[7]))
    },
    handleToolEvent: (output: unknown, runId: string) => {
      preliminaryOutputs.push({ toolCallId: callOf.get(runId) ?? '', output })
    },
    handleToolEnd: (output: unknown) => void outputs.push(...outputOf(output)),
  } satisfies BaseCallbackHandlerInput & Record<string, unknown>
}

function outputOf(message: unknown): Output[] {
  if (!ToolMessage.isInstance(message)) return []
  const { stored } = Object(Object(message.artifact)[OFFLOADED_KEY]) as Pick<Output, 'stored'>
  return [{ toolCallId: message.tool_call_id, output: message.content, ...(stored && { stored }) }]
}

/** Settings of an agent. */
export interface AgentSettings {
  /** Whether a middleware outside of the offloader's handles the errors of tools. */
  readonly errors?: 'outside'
  readonly replaceIn?: HistoryMiddlewareOptions['replaceIn']
}

/** Make an agent that gives errors of tools to the model. */
export function agentOf({ errors, replaceIn }: AgentSettings = {}): (
  conversation: Conversation,
  model: FakeChatModel,
) => Graph {
  return (conversation, model) => {
    const { offloader, tools, systemPrompt } = conversation
    const asking = tools.filter(({ needsApproval }) => needsApproval === true)
    // The parameter's type depends on a version of zod that the compiler cannot find from here.
    const review = humanInTheLoopMiddleware as unknown as (options: object) => AgentMiddleware
    const interruptOn = Object.fromEntries(asking.map(({ name }) => [name, true]))
    const approval = asking.length === 0 ? [] : [review({ interruptOn })]
    const toolErrorsOption = errors === undefined ? {} : ({ toolErrors: 'throw' } as const)
    const own = offloader === undefined ? [] : [offloadMiddleware(offloader, toolErrorsOption)]
    const outside = errors === undefined ? [] : [toolErrors()]
    const middleware: AgentMiddleware[] = [...approval, ...outside, ...own, ...historyOf(conversation, replaceIn)]
    const all = [...tools.filter(isServerTool).map(serverToolOf), ...ownTools(tools)]
    const prompt = systemPrompt === undefined ? {} : { systemPrompt }
    return createAgent({ model, tools: all, middleware, ...prompt, ...checkpointing(conversation) })
  }
}

/** Make the middleware that a conversation's history needs, if any. */
export function historyOf(
  { offloader, compaction }: Conversation,
  replaceIn?: HistoryMiddlewareOptions['replaceIn'],
): AgentMiddleware[] {
  return offloader === undefined || compaction === undefined
    ? []
    : [historyMiddleware(offloader, { ...compaction, replaceIn })]
}

/** Make the basic graph of LangGraph's guide: a node for the model, and a node for tools. */
function graphOf(conversation: Conversation, model: FakeChatModel): Graph {
  const { offloader, session, tools } = conversation
  const ask = (toolName: string): boolean => interrupt<unknown, { approved: boolean }>({ toolName }).approved
  const plain = [...tools.filter(isServerTool).map(serverToolOf), ...ownTools(tools, ask)]
  const used = offloader === undefined ? plain : offloadTools(plain, offloader)
  const bound = model.bindTools(used)
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }, config) => {
      const response = await bound.invoke(messages, config)
      await offloader?.forScope(session).endTurn()
      return { messages: [response] }
    })
    .addNode('tools', new ToolNode(used.filter((tool) => Runnable.isRunnable(tool)) as StructuredToolInterface[]))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition, ['tools', END])
    .addEdge('tools', 'model')
    .compile(checkpointing(conversation))
}

/**
 * Checkpoints serialize all messages after each step, so only a run that waits for an approval has them. LangChain 1.0
 * always needs them. The memory saver does not accept thread ids that are names of inherited object properties.
 */
export function checkpointing({ session, tools }: Conversation): { readonly checkpointer?: MemorySaver } {
  const isNeeded = isVersion10 ? !(session in {}) : tools.some(({ needsApproval }) => needsApproval === true)
  return isNeeded ? { checkpointer: new MemorySaver() } : {}
}

/** Answer the requests of a waiting run, or return `undefined` if the run has ended. */
function resumption(
  { __interrupt__: [waiting] = [] }: State,
  approve: (toolName: string) => boolean,
): Command | undefined {
  if (waiting === undefined) return undefined
  const { toolName, actionRequests = [] } = waiting.value as {
    readonly toolName?: string
    readonly actionRequests?: readonly { readonly name: string }[]
  }
  if (toolName !== undefined) return new Command({ resume: { approved: approve(toolName) } })
  const decisions = actionRequests.map(({ name }) =>
    approve(name) ? { type: 'approve' } : { type: 'reject', message: 'The user has denied it.' },
  )
  return new Command({ resume: { decisions } })
}
