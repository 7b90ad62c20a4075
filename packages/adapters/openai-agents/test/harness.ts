/** Runs the cases of the suite through the runner of the SDK. */
import type {
  AdapterHarness,
  Conversation,
  ConversationResult,
  ModelTurn,
  SeenPrompt,
} from '@spillway-internal/adapter-suite'
import {
  Agent,
  MemorySession,
  Runner,
  setTracingDisabled,
  type AgentInputItem,
  type RunState,
  type Tool,
} from '@openai/agents'
import type { ContextOffloader } from '@spillway/core'
import { OFFLOADED_KEY, type OffloadedMetadata } from '@spillway/core/adapter'
import { historyInputFilter } from '../src/history/index.ts'
import { offloadRunner, offloadTools, retrievalTool } from '../src/index.ts'
import { toolsOf } from './case-tools.ts'
import { FakeModel } from './fake-model.ts'
import { RUNNER_GAPS, TOOLS_GAPS } from './gaps.ts'

setTracingDisabled(true)

/** A case may need many model calls. */
const MAX_TURNS = 500

type State = RunState<unknown, Agent>
type Input = string | State
type Outcome = {
  readonly state: State
  readonly newItems: readonly { readonly type: string; readonly rawItem?: unknown }[]
  readonly toolOutputGuardrailResults?: readonly { readonly output: { readonly outputInfo?: unknown } }[]
}
type Options = { readonly session: MemorySession; readonly maxTurns: number; readonly signal?: AbortSignal }

/** Runs an agent until it ends or asks for an approval. */
type Round = (runner: Pick<Runner, 'run'>, agent: Agent, input: Input, options: Options) => Promise<Outcome>

const once: Round = async (runner, agent, input, options) => runner.run(agent, input, options) as Promise<Outcome>

const streamed: Round = async (runner, agent, input, options) => {
  const result = await runner.run(agent, input, { ...options, stream: true })
  for await (const _event of result) continue
  await result.completed
  if (result.error != null) throw result.error
  return result
}

/** Gives an agent its tools and the tools of the offloader. */
type Wrap = (tools: readonly Tool[], offloader: ContextOffloader) => Tool[]

const wrapped: Wrap = (tools, offloader) => offloadTools(tools, offloader)
const asTheyAre: Wrap = (tools, offloader) => [
  ...tools,
  ...(offloader.options.includeRetrievalTool ? [retrievalTool(offloader)] : []),
]

/** Ways to use the adapter, by name. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  [
    harness('offloadTools with offloadRunner', once, wrapped, TOOLS_GAPS),
    harness('offloadTools with offloadRunner, streamed', streamed, wrapped, TOOLS_GAPS),
    harness('offloadRunner alone', once, asTheyAre, RUNNER_GAPS),
    harness('offloadRunner alone, streamed', streamed, asTheyAre, RUNNER_GAPS),
  ].map((one) => [one.name, one]),
)

function harness(name: string, round: Round, wrap: Wrap, gaps: Readonly<Record<string, string>>): AdapterHarness {
  const run = (conversation: Conversation): Promise<ConversationResult> => runThrough(conversation, round, wrap)
  return { name, gaps, moduleUrl: import.meta.url, compactsHistory: true, provider: 'openai', run }
}

async function runThrough(
  {
    offloader,
    session: sessionId,
    tools,
    model,
    userMessage = 'Go.',
    history = [],
    approve = () => true,
    signal,
    systemPrompt,
    compaction,
  }: Conversation,
  round: Round,
  wrap: Wrap,
): Promise<ConversationResult> {
  const prompts: SeenPrompt[] = []
  const approvalsAsked: string[] = []
  let answer: ModelTurn | undefined
  const fakeModel = new FakeModel((prompt) => {
    prompts.push(prompt)
    answer = model(prompt, prompts.length - 1)
    return answer
  })
  const session = new MemorySession({ sessionId, initialItems: history as AgentInputItem[] })
  const options: Options = { session, maxTurns: MAX_TURNS, ...(signal === undefined ? {} : { signal }) }
  let outputs: ConversationResult['outputs'] = []
  let error: unknown
  try {
    const own = toolsOf(tools)
    const agent = new Agent({
      name: 'Agent',
      model: fakeModel,
      tools: offloader === undefined ? own : wrap(own, offloader),
      ...(systemPrompt !== undefined && { instructions: systemPrompt }),
    })
    const config =
      offloader === undefined || compaction === undefined
        ? {}
        : { callModelInputFilter: historyInputFilter(offloader, compaction) }
    const runner = offloader === undefined ? new Runner() : offloadRunner(new Runner(config), offloader)
    let input: Input | undefined = userMessage
    while (input !== undefined) {
      const {
        state,
        newItems,
        toolOutputGuardrailResults: guarded = [],
      }: Outcome = await round(runner, agent, input, options)
      const told = guarded.map(({ output }) => Object(output.outputInfo) as Told)
      outputs = newItems.flatMap((item) => outputOf(item, told))
      const asked = state.getInterruptions()
      for (const interruption of asked) {
        const toolName = interruption.name ?? ''
        approvalsAsked.push(toolName)
        if (approve(toolName)) state.approve(interruption)
        else state.reject(interruption)
      }
      input = asked.length === 0 ? undefined : state
    }
  } catch (thrown) {
    error = thrown ?? new Error('The run rejected with nothing.')
  }
  return {
    prompts,
    text: error === undefined && answer !== undefined && 'text' in answer ? answer.text : undefined,
    error,
    outputs,
    approvalsAsked,
    history: JSON.parse(JSON.stringify(await session.getItems())) as unknown,
  }
}

/** Information of the guardrail about a result that it replaced. */
type Told = Partial<OffloadedMetadata> & { readonly toolCallId?: string }

function outputOf(item: Outcome['newItems'][number], told: readonly Told[]): ConversationResult['outputs'] {
  if (item.type !== 'tool_call_output_item') return []
  const { rawItem, output } = item as { readonly rawItem: { readonly callId: string }; readonly output?: unknown }
  const { callId: toolCallId } = rawItem
  return [{ toolCallId, output, ...told.find((one) => one.toolCallId === toolCallId)?.[OFFLOADED_KEY] }]
}
