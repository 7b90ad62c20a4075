/** Runs the cases of the suite through the loops of the AI SDK. */
import type {
  AdapterHarness,
  Conversation,
  ConversationResult,
  ModelTurn,
  SeenPrompt,
} from '@spillway-internal/adapter-suite'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import {
  convertToModelMessages,
  generateText,
  streamText,
  ToolLoopAgent,
  wrapLanguageModel,
  type ModelMessage,
  type ToolSet,
  type UIMessage,
} from 'ai'
import {
  historyPrepareStep,
  type HistoryStep,
  type HistoryStepOptions,
  type HistoryStepResult,
} from '../src/history/index.ts'
import { offloadMiddleware, offloadPrepareStep, offloadTools, retrievalTool } from '../src/index.ts'
import { toolSetOf } from './case-tool-set.ts'
import { fakeModel, type FakeModel } from './fake-model.ts'
import { isVersion7 } from './version.ts'

const MAX_ROUNDS = 100

const GAPS_OF_GENERATE_TEXT_6 = {
  'calls/hostile-id-prototype':
    'generateText of version 6 does not run a tool whose call has the id `constructor` or its like',
}

const NOT_CALLED = 'A middleware of the model does not see tools being called, and refuses the option.'

const GAPS_OF_MIDDLEWARE = {
  'references/resolved': NOT_CALLED,
  'references/refused': NOT_CALLED,
  'references/schema': NOT_CALLED,
  'references/not-opted-in': NOT_CALLED,
  'references/allowed': NOT_CALLED,
  'references/approval': NOT_CALLED,
}

const GAPS_OF_TOOLS = { 'limits/turn': 'A tool is told neither the other calls of its message nor their number' }

/** Ways to use the adapter, by name. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  [
    harness('offloadTools with generateText', generateRound, toolsSetup),
    harness('offloadTools with streamText', streamRound, toolsSetup),
    harness('offloadTools with ToolLoopAgent and saved UI messages', uiRound, toolsSetup),
    harness('offloadMiddleware with generateText', generateRound, middlewareSetup),
  ].map((one) => [one.name, one]),
)

/** Settings of a loop. */
interface Setup {
  readonly model: FakeModel
  readonly tools: ToolSet
  readonly prepareStep: PrepareStep | undefined
}

/** A `prepareStep` that the loops of both versions accept. */
type PrepareStep = (step: HistoryStep) => PromiseLike<HistoryStepResult | undefined>

/** State of the loop between rounds. A round is one call of `generateText` or a similar function. */
interface State {
  readonly conversation: Conversation
  readonly setup: Setup
  readonly outputs: { readonly toolCallId: string; readonly output: unknown }[]
  readonly preliminaryOutputs: { readonly toolCallId: string; readonly output: unknown }[]
  readonly approvalsAsked: string[]
  /** Model messages or UI messages, as JSON. */
  history: unknown[]
}

/** Run one round. Return whether the model must be called again, after an approval or a result of the provider. */
type Round = (state: State) => Promise<boolean>

interface Approval {
  readonly approvalId: string
  readonly toolName: string
}

function harness(
  name: string,
  round: Round,
  setUp: (
    model: FakeModel,
    tools: ToolSet,
    session: ContextOffloader,
    history: HistoryStepOptions | undefined,
  ) => Setup,
): AdapterHarness {
  return {
    name,
    gaps: {
      ...(isVersion7 || round !== generateRound ? {} : GAPS_OF_GENERATE_TEXT_6),
      ...(setUp === toolsSetup ? GAPS_OF_TOOLS : GAPS_OF_MIDDLEWARE),
    },
    moduleUrl: import.meta.url,
    compactsHistory: true,
    async run(conversation) {
      const { offloader, session, history = [], userMessage = 'Go.', compaction, signal } = conversation
      const prompts: SeenPrompt[] = []
      let answer: ModelTurn | undefined
      const model = fakeModel((prompt) => {
        prompts.push(prompt)
        answer = conversation.model(prompt, prompts.length - 1)
        return answer
      })
      const tools = toolSetOf(conversation.tools, history)
      const state: State = {
        conversation,
        setup:
          offloader === undefined
            ? { model, tools, prepareStep: undefined }
            : setUp(model, tools, offloader.forScope(session), compaction && { ...compaction, abortSignal: signal }),
        outputs: [],
        preliminaryOutputs: [],
        approvalsAsked: [],
        history: [...(history as unknown[]), round === uiRound ? userUIMessage(userMessage) : user(userMessage)],
      }
      let error: unknown
      try {
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
      return round === generateRound ? result : { ...result, preliminaryOutputs }
    },
  }
}

function toolsSetup(
  model: FakeModel,
  tools: ToolSet,
  session: ContextOffloader,
  history: HistoryStepOptions | undefined,
): Setup {
  const prepareStep =
    history === undefined
      ? offloadPrepareStep(session)
      : offloadPrepareStep(session, historyPrepareStep(session, history))
  return { model, tools: offloadTools(tools, session), prepareStep }
}

function middlewareSetup(
  model: FakeModel,
  tools: ToolSet,
  session: ContextOffloader,
  history: HistoryStepOptions | undefined,
): Setup {
  return {
    model: wrapLanguageModel({ model, middleware: offloadMiddleware(session) }),
    tools: session.options.includeRetrievalTool ? { ...tools, [RETRIEVAL_TOOL_NAME]: retrievalTool(session) } : tools,
    prepareStep: history && historyPrepareStep(session, history),
  }
}

async function generateRound(state: State): Promise<boolean> {
  const result = await generateText({ ...settingsOf(state), messages: state.history as ModelMessage[] })
  for (const step of result.steps) recordOutputs(state, step.toolResults)
  // Version 7 keeps the messages of all steps here.
  const all = (result as { responseMessages?: ModelMessage[] }).responseMessages ?? result.response.messages
  return goOn(state, all, result.text)
}

async function streamRound(state: State): Promise<boolean> {
  let failure: unknown
  const result = streamText({
    ...settingsOf(state),
    messages: state.history as ModelMessage[],
    onError: () => undefined,
  })
  for await (const part of result.fullStream) {
    if (part.type === 'error') failure ??= part.error ?? new Error('The stream failed with nothing.')
    if (part.type === 'abort') failure ??= state.conversation.signal?.reason
    if (part.type === 'tool-result' && part.preliminary === true) recordOutputs(state, [part], state.preliminaryOutputs)
  }
  if (failure !== undefined) throw failure
  for (const step of await result.steps) recordOutputs(state, step.toolResults)
  const all = (await (result as { responseMessages?: PromiseLike<ModelMessage[]> }).responseMessages) ?? undefined
  return goOn(state, all ?? (await result.response).messages, await result.text)
}

/** One round of a chat, which saves UI messages, and converts them again after each user message or approval. */
async function uiRound(state: State): Promise<boolean> {
  const { setup, conversation } = state
  const { messages: _messages, ...settings } = { ...settingsOf(state), messages: undefined }
  const agent = new ToolLoopAgent(settings)
  const originalMessages = state.history as UIMessage[]
  const messages = await convertToModelMessages(originalMessages, { tools: setup.tools })
  const { signal } = conversation
  const result = await agent.stream({ messages, ...(signal !== undefined && { abortSignal: signal }) })
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
      return error instanceof Error ? error.message : typeof error === 'string' ? error : JSON.stringify(error)
    },
    onFinish: ({ messages }) => {
      state.history = JSON.parse(JSON.stringify(messages)) as unknown[]
      for (const { toolCallId, output } of toolPartsOf(messages).filter(hasOutput)) {
        if (!known.has(toolCallId)) state.outputs.push({ toolCallId, output })
      }
    },
  })
  for await (const chunk of stream) {
    if (chunk.type === 'tool-output-available' && chunk.preliminary === true) {
      recordOutputs(state, [chunk], state.preliminaryOutputs)
    }
    if (chunk.type === 'error') throw failure
    if (chunk.type === 'abort') throw signal?.reason
  }
  const asked = toolPartsOf(state.history as UIMessage[]).filter((part) => part.state === 'approval-requested')
  for (const part of asked) {
    const { approval } = part
    part.state = 'approval-responded'
    part.approval = { id: approval?.id ?? '', approved: approve(state, part.type.slice('tool-'.length)) }
  }
  return asked.length > 0 || (await result.text) === ''
}

function settingsOf({ setup, conversation }: State): {
  model: FakeModel
  tools: ToolSet
  maxRetries: number
  stopWhen: (options: { steps: readonly unknown[] }) => boolean
  prepareStep?: PrepareStep
  system?: string
  instructions?: string
  abortSignal?: AbortSignal
} {
  const { model, tools, prepareStep } = setup
  const { signal, systemPrompt } = conversation
  return {
    model,
    tools,
    // Agents of both versions have instructions. Other loops of version 6 have a system prompt.
    ...(systemPrompt !== undefined && { system: systemPrompt, instructions: systemPrompt }),
    maxRetries: 0,
    stopWhen: ({ steps }) => steps.length > MAX_ROUNDS,
    ...(prepareStep !== undefined && { prepareStep }),
    ...(signal !== undefined && { abortSignal: signal }),
  }
}

/** Save the messages, and answer requests for approval. */
function goOn(state: State, responses: readonly ModelMessage[], text: string): boolean {
  state.history = JSON.parse(JSON.stringify([...state.history, ...responses])) as unknown[]
  const asked = approvalsIn(responses)
  if (asked.length > 0) {
    const answers = asked.map(({ approvalId, toolName }) => {
      return { type: 'tool-approval-response', approvalId, approved: approve(state, toolName) }
    })
    state.history.push({ role: 'tool', content: answers })
  }
  return asked.length > 0 || text === ''
}

function approve({ conversation, approvalsAsked }: State, toolName: string): boolean {
  approvalsAsked.push(toolName)
  return conversation.approve?.(toolName) ?? false
}

function approvalsIn(messages: readonly ModelMessage[]): Approval[] {
  const parts = messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  )
  return parts.flatMap((part) => {
    if (part.type !== 'tool-approval-request') return []
    const call = parts.find((one) => one.type === 'tool-call' && one.toolCallId === part.toolCallId)
    return call?.type === 'tool-call' ? [{ approvalId: part.approvalId, toolName: call.toolName }] : []
  })
}

function recordOutputs(
  { outputs }: State,
  results: readonly { readonly toolCallId: string; readonly output: unknown }[],
  into: State['outputs'] = outputs,
): void {
  for (const { toolCallId, output } of results) into.push({ toolCallId, output })
}

interface ToolPart {
  readonly type: string
  readonly toolCallId: string
  readonly output?: unknown
  state: string
  approval?: { id: string; approved?: boolean }
}

function toolPartsOf(messages: readonly UIMessage[]): ToolPart[] {
  // The union has a member for each state, and an approval changes the state of a part.
  return messages.flatMap(({ parts }) => parts.filter(({ type }) => type.startsWith('tool-'))) as unknown as ToolPart[]
}

function hasOutput({ state }: ToolPart): boolean {
  return state === 'output-available'
}

function user(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] }
}

function userUIMessage(text: string): UIMessage {
  return { id: 'user', role: 'user', parts: [{ type: 'text', text }] }
}
