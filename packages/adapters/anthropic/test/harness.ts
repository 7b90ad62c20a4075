/** Runs the cases of the suite through the SDK's client, with its tool runner and by hand. */
import Anthropic from '@anthropic-ai/sdk'
import type {
  AdapterHarness,
  Conversation,
  ConversationResult,
  ModelTurn,
  SeenPrompt,
} from '@spillway-internal/adapter-suite'
import type { ContextOffloader } from '@spillway/core'
import { historyParams, historyRunner, type SessionHistoryOptions } from '../src/history/index.ts'
import { answerToolCalls, endTurns, offloadTools, retrievalTool, type ResultPart } from '../src/index.ts'
import { runnableIn, toolsOf, type RunnerTool } from './case-tools.ts'
import { fakeApi } from './fake-api.ts'
import { LOOP_GAPS, RUNNER_GAPS } from './gaps.ts'
import { readPrompt, resultsIn } from './read-prompt.ts'
import { hasThreads } from './version.ts'

type Message = Anthropic.Beta.BetaMessageParam

/** Settings of a loop. */
interface Setup {
  readonly client: Anthropic
  readonly session: ContextOffloader | undefined
  readonly tools: readonly RunnerTool[]
  readonly messages: Message[]
  readonly system: Anthropic.MessageCreateParams['system']
  readonly history: SessionHistoryOptions | undefined
  readonly options: { readonly signal?: AbortSignal }
  readonly outputs: { readonly toolCallId: string; readonly output: unknown }[]
}

/** Run a conversation to its end, adding to its messages. */
type Loop = (setup: Setup) => Promise<void>

const BASE = { model: 'claude-opus-5', max_tokens: 1_024 }

/** Ways to use the adapter, by name. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  [
    harness('offloadTools with a tool runner', runnerLoop({}), RUNNER_GAPS),
    harness(
      'offloadTools with a streaming tool runner',
      runnerLoop({ stream: true, ...(hasThreads && { runToolsEagerly: true }) }),
      RUNNER_GAPS,
    ),
    // In versions without threads, no runner has a thread.
    ...(hasThreads
      ? [harness('offloadTools with a tool runner without a thread', runnerLoop({ thread: false }), RUNNER_GAPS)]
      : []),
    harness('answerToolCalls with messages.create', loopByHand(createMessage), LOOP_GAPS),
    harness('answerToolCalls with messages.stream', loopByHand(streamMessage), LOOP_GAPS),
  ].map((one) => [one.name, one]),
)

function harness(name: string, loop: Loop, gaps: AdapterHarness['gaps'] & object): AdapterHarness {
  return {
    name,
    gaps,
    moduleUrl: import.meta.url,
    compactsHistory: true,
    provider: 'anthropic',
    async run(conversation: Conversation): Promise<ConversationResult> {
      const { offloader, session, approve, signal, userMessage = 'Go.', systemPrompt } = conversation
      const prompts: SeenPrompt[] = []
      let answer: ModelTurn | undefined
      const fetch = fakeApi((request) => {
        prompts.push(readPrompt(request))
        answer = conversation.model(readPrompt(request), prompts.length - 1)
        return answer
      })
      const approvalsAsked: string[] = []
      const tools = toolsOf(conversation.tools, (toolName) => {
        approvalsAsked.push(toolName)
        return approve?.(toolName) ?? false
      })
      const messages = [...((conversation.history ?? []) as Message[])]
      messages.push({ role: 'user', content: userMessage })
      const setup: Setup = {
        client: new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 }),
        session: offloader?.forScope(session),
        tools,
        messages,
        system: systemPrompt,
        history: conversation.compaction,
        options: signal === undefined ? {} : { signal },
        outputs: [],
      }
      let error: unknown
      try {
        await loop(setup)
      } catch (thrown) {
        error = thrown ?? new Error('The run rejected with nothing.')
      }
      return {
        prompts,
        text: error === undefined && answer !== undefined && 'text' in answer ? answer.text : undefined,
        error,
        outputs: setup.outputs,
        approvalsAsked,
        history: JSON.parse(JSON.stringify(messages)) as unknown,
      }
    },
  }
}

function runnerLoop(how: {
  readonly stream?: boolean
  readonly runToolsEagerly?: boolean
  readonly thread?: false
}): Loop {
  return async ({ client, session, tools, messages, system, history, options, outputs }) => {
    const used = session === undefined ? [...tools] : offloadTools([...tools], session)
    const params = { ...BASE, ...how, ...(system !== undefined && { system }), messages, tools: used }
    const plain = client.beta.messages.toolRunner(params, options)
    const runner = session === undefined ? plain : endTurns(plain, session)
    await (session === undefined || history === undefined ? runner : historyRunner(runner, session, history))
    const added = resultsIn(runner.params.messages.slice(messages.length))
    for (const { tool_use_id: toolCallId, content } of added) outputs.push({ toolCallId, output: content })
    messages.splice(0, messages.length, ...runner.params.messages)
  }
}

type Ask = (
  client: Anthropic,
  params: Anthropic.MessageCreateParamsNonStreaming,
  options: Setup['options'],
) => Promise<Anthropic.Message>

async function createMessage(...[client, params, options]: Parameters<Ask>): Promise<Anthropic.Message> {
  return client.messages.create(params, options)
}

async function streamMessage(...[client, params, options]: Parameters<Ask>): Promise<Anthropic.Message> {
  return client.messages.stream(params, options).finalMessage()
}

/** The loop of a program that does not use the tool runner. */
function loopByHand(ask: Ask): Loop {
  return async ({ client, session, tools, messages, system, history, options, outputs }) => {
    const keepSmall = history && session && historyParams(session, history)
    const runnable = new Map(runnableIn(tools).map((tool) => [tool.name, tool]))
    const definitions = session?.options.includeRetrievalTool === true ? [...tools, retrievalTool(session)] : tools
    const run = async (toolUse: Anthropic.Beta.BetaToolUseBlock): Promise<string | ResultPart[]> => {
      const tool = runnable.get(toolUse.name)
      if (tool === undefined) throw new Error(`Tool '${toolUse.name}' not found`)
      const context = { toolUse, toolUseBlock: toolUse, ...options }
      const output = await tool.run(tool.parse(toolUse.input), context)
      outputs.push({ toolCallId: toolUse.id, output })
      return output
    }
    for (;;) {
      const whole = { ...BASE, ...(system !== undefined && { system }), messages, tools: definitions }
      const params = (await keepSmall?.(whole, options)) ?? whole
      const response = await ask(client, params as Anthropic.MessageCreateParamsNonStreaming, options)
      messages.push({ role: 'assistant', content: response.content })
      const results =
        session === undefined
          ? await answerPlainly(response, run)
          : await answerToolCalls(response, session, run, options)
      if (results === undefined) return
      messages.push(results)
    }
  }
}

/** The same without an offloader, like the tool runner. */
async function answerPlainly(
  { content, stop_reason }: Anthropic.Message,
  run: (toolUse: Anthropic.Beta.BetaToolUseBlock) => Promise<string | ResultPart[]>,
): Promise<Message | undefined> {
  if (stop_reason !== 'tool_use') return undefined
  const toolUses = content.filter((block) => block.type === 'tool_use')
  const results = toolUses.map(async (toolUse) => {
    const result = { type: 'tool_result', tool_use_id: toolUse.id } as const
    try {
      return { ...result, content: await run(toolUse) }
    } catch (error) {
      const isToolError = error instanceof Anthropic.Beta.Messages.ToolError
      const text = `Error: ${error instanceof Error ? error.message : String(error)}`
      return { ...result, content: isToolError ? error.content : text, is_error: true }
    }
  })
  return { role: 'user', content: await Promise.all(results) }
}
