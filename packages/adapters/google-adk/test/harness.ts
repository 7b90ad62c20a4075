/** Runs the cases of the suite through the loop of ADK. */
import {
  createEvent,
  getFunctionCalls,
  getFunctionResponses,
  InMemorySessionService,
  LlmAgent,
  LogLevel,
  REQUEST_CONFIRMATION_FUNCTION_CALL_NAME,
  Runner,
  setLogLevel,
  StreamingMode,
  type BasePlugin,
  type Event,
  type RunConfig,
} from '@google/adk'
import type { AdapterHarness, Conversation, ConversationResult, SeenPrompt } from '@spillway-internal/adapter-suite'
import type { ContextOffloader } from '@spillway/core'
import { OFFLOADED_KEY } from '@spillway/core/adapter'
import { historyPlugin, type HistoryPluginOptions } from '../src/history/index.ts'
import { offloadPlugin } from '../src/index.ts'
import { toolOf } from './case-tools.ts'
import { FakeLlm } from './fake-llm.ts'
import { GAPS } from './gaps.ts'

// ADK logs each call of a plugin and a tool, and warns about its own deprecated features.
setLogLevel(LogLevel.ERROR)

const APP = { appName: 'app', userId: 'user-1' }

type Output = ConversationResult['outputs'][number]
type Message = NonNullable<Parameters<Runner['runAsync']>[0]['newMessage']>

/** Ways to use the adapter, by name. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  [
    harness('offloadPlugin with runAsync', { streamingMode: StreamingMode.NONE }),
    harness('offloadPlugin with runAsync and SSE', { streamingMode: StreamingMode.SSE }),
  ].map((one) => [one.name, one]),
)

function harness(name: string, runConfig: RunConfig): AdapterHarness {
  return {
    name,
    gaps: GAPS,
    moduleUrl: import.meta.url,
    compactsHistory: true,
    provider: 'gemini',
    run: async (conversation) => converse(conversation, runConfig),
  }
}

/** One plugin for each offloader, which all of its runs share, as in a program. */
const plugins = new WeakMap<ContextOffloader, BasePlugin>()
/** The same for plugins of histories. */
const histories = new WeakMap<ContextOffloader, BasePlugin>()

/** The suite looks for stored content only in the scope of the session. */
const scope: HistoryPluginOptions['scope'] = ({ sessionId }) => [sessionId]

function pluginsOf({ offloader, compaction }: Conversation): BasePlugin[] {
  if (offloader === undefined) return []
  const plugin = plugins.get(offloader) ?? offloadPlugin(offloader, { scope })
  plugins.set(offloader, plugin)
  if (compaction === undefined) return [plugin]
  const history = histories.get(offloader) ?? historyPlugin(offloader, { ...compaction, scope })
  histories.set(offloader, history)
  return [history, plugin]
}

interface Seen {
  readonly prompts: SeenPrompt[]
  readonly outputs: Output[]
  readonly preliminaryOutputs: Output[]
  readonly approvalsAsked: string[]
}

async function converse(conversation: Conversation, runConfig: RunConfig): Promise<ConversationResult> {
  const { session: sessionId, history, signal, userMessage = 'Go.', systemPrompt: instruction = '' } = conversation
  const seen: Seen = { prompts: [], outputs: [], preliminaryOutputs: [], approvalsAsked: [] }
  const model = new FakeLlm((prompt) => {
    seen.prompts.push(prompt)
    return conversation.model(prompt, seen.prompts.length - 1)
  })
  const sessionService = new InMemorySessionService()
  const session = await sessionService.createSession({ ...APP, sessionId })
  for (const event of (history ?? []) as Event[])
    await sessionService.appendEvent({ session, event: createEvent(event) })
  const agent = new LlmAgent({ name: 'agent', model, instruction, tools: conversation.tools.map(toolOf) })
  const used = pluginsOf(conversation)
  const runner = new Runner({ appName: APP.appName, agent, sessionService, plugins: used })

  let error: unknown
  let text: string | undefined
  let newMessage: Message | undefined = { role: 'user', parts: [{ text: userMessage }] }
  try {
    while (newMessage !== undefined) {
      const events: Event[] = []
      const abortSignal = signal === undefined ? {} : { abortSignal: signal }
      for await (const event of runner.runAsync({
        userId: APP.userId,
        sessionId,
        newMessage,
        runConfig,
        ...abortSignal,
      }))
        events.push(event)
      // An error in a run comes as an event.
      const failed = events.find(({ errorCode }) => errorCode !== undefined)
      if (failed !== undefined) throw new Error(failed.errorMessage)
      for (const event of events) note(event, seen)
      text = events
        .at(-1)
        ?.content?.parts?.map((part) => part.text ?? '')
        .join('')
      newMessage = approvals(events, seen, conversation.approve ?? (() => true))
    }
  } catch (thrown) {
    // The case checks any error that ends a run.
    error = thrown
  }
  const saved = await sessionService.getSession({ ...APP, sessionId })
  const isDone = error === undefined && signal?.aborted !== true
  return { ...seen, text: isDone ? text : undefined, error, history: saved?.events }
}

function note(event: Event, { outputs, preliminaryOutputs }: Seen): void {
  const told = Object(event.customMetadata?.[OFFLOADED_KEY]) as Readonly<Record<string, Pick<Output, 'stored'>>>
  for (const { id = '', response: output } of getFunctionResponses(event))
    (event.partial === true ? preliminaryOutputs : outputs).push({ toolCallId: id, output, ...told[id] })
}

/** Answer the requests of a waiting run, or return `undefined` if the run has ended. */
function approvals(
  events: readonly Event[],
  { approvalsAsked }: Seen,
  approve: (toolName: string) => boolean,
): Message | undefined {
  const asked = events
    .flatMap((event) => getFunctionCalls(event))
    .filter(({ name }) => name === REQUEST_CONFIRMATION_FUNCTION_CALL_NAME)
  if (asked.length === 0) return undefined
  const parts = asked.map(({ id = '', name = '', args }) => {
    const { name: toolName = '' } = (args?.['originalFunctionCall'] ?? {}) as { readonly name?: string }
    approvalsAsked.push(toolName)
    return { functionResponse: { id, name, response: { confirmed: approve(toolName) } } }
  })
  return { role: 'user', parts }
}
