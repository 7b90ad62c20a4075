/** Runs the cases of the suite through the loop of Strands. */
import type { AdapterHarness, Conversation, ConversationResult, ModelTurn } from '@spillway-internal/adapter-suite'
import {
  AfterToolCallEvent,
  Agent,
  BeforeToolCallEvent,
  NullConversationManager,
  type AgentResult,
  type InvokeArgs,
  type InvokeOptions,
  type MessageData,
  type Plugin,
  type ToolResultBlock,
} from '@strands-agents/sdk'
import { offloadPlugin } from '../src/index.ts'
import { toolOf } from './case-tools.ts'
import { FakeModel } from './fake-model.ts'
import { INVOKE_GAPS, STREAM_GAPS } from './gaps.ts'
import { readContent } from './read-prompt.ts'

type Output = ConversationResult['outputs'][number]

interface Seen {
  readonly prompts: ConversationResult['prompts'][number][]
  readonly outputs: Output[]
  readonly preliminaryOutputs: Output[]
  readonly approvalsAsked: string[]
}

type Step = (agent: Agent, input: InvokeArgs, options: InvokeOptions, seen: Seen) => Promise<AgentResult>

/** Ways to use the adapter, by name. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = Object.fromEntries(
  [
    harness('offloadPlugin with invoke', invoke, INVOKE_GAPS),
    harness('offloadPlugin with stream', stream, STREAM_GAPS),
  ].map((one) => [one.name, one]),
)

function harness(name: string, step: Step, gaps: Readonly<Record<string, string>>): AdapterHarness {
  return {
    name,
    gaps,
    moduleUrl: import.meta.url,
    async run(conversation) {
      const { session, signal, userMessage = 'Go.', history = [] } = conversation
      const seen: Seen = { prompts: [], outputs: [], preliminaryOutputs: [], approvalsAsked: [] }
      let turn: ModelTurn | undefined
      const model = new FakeModel((prompt) => {
        seen.prompts.push(prompt)
        turn = conversation.model(prompt, seen.prompts.length - 1)
        return turn
      })
      const ask = (toolName: string): boolean => {
        seen.approvalsAsked.push(toolName)
        return conversation.approve?.(toolName) ?? true
      }
      const agent = agentOf(conversation, model, ask, step === stream ? seen.outputs : [])
      const options = { invocationState: { session }, ...(signal && { cancelSignal: signal }) }
      let result: AgentResult | undefined
      let error: unknown
      try {
        result = await step(agent, userMessage, options, seen)
        while (result.stopReason === 'interrupt') result = await step(agent, responsesTo(result, ask), options, seen)
      } catch (thrown) {
        error = thrown ?? new Error('The run rejected with nothing.')
      }
      const messages = agent.messages.slice((history as readonly unknown[]).length)
      const results = messages.flatMap(({ content }) => content.filter((block) => block.type === 'toolResultBlock'))
      return {
        prompts: seen.prompts,
        text: result?.stopReason === 'endTurn' && turn !== undefined && 'text' in turn ? turn.text : undefined,
        error,
        outputs: step === stream ? seen.outputs : results.map(outputOf),
        ...(step === stream ? { preliminaryOutputs: seen.preliminaryOutputs } : {}),
        approvalsAsked: seen.approvalsAsked,
        history: JSON.parse(JSON.stringify(agent.messages)) as unknown,
      }
    },
  }
}

async function invoke(agent: Agent, input: InvokeArgs, options: InvokeOptions): Promise<AgentResult> {
  return await agent.invoke(input, options)
}

async function stream(agent: Agent, input: InvokeArgs, options: InvokeOptions, seen: Seen): Promise<AgentResult> {
  const events = agent.stream(input, options)
  for (;;) {
    const { done, value } = await events.next()
    if (done === true) return value
    if ('type' in value && value.type === 'toolStreamUpdateEvent') {
      const { event } = value as { readonly event?: { readonly data?: unknown } }
      seen.preliminaryOutputs.push({ toolCallId: '', output: event?.data })
    }
  }
}

function agentOf(
  { offloader, tools, history }: Conversation,
  model: FakeModel,
  ask: (toolName: string) => boolean,
  outputs: Output[],
): Agent {
  const scope = ({ invocationState }: { readonly invocationState: Readonly<Record<string, unknown>> }): string[] => [
    String(invocationState['session']),
  ]
  const asking = new Set(tools.filter(({ needsApproval }) => needsApproval === true).map(({ name }) => name))
  // This plugin is after ours in the list, so its hooks after a call run before ours in every version.
  const program: Plugin = {
    name: 'program',
    initAgent(agent) {
      agent.addHook(BeforeToolCallEvent, (event) => {
        if (asking.has(event.toolUse.name) && !isApproved(event, ask)) event.cancel = 'The user has denied it.'
      })
      agent.addHook(AfterToolCallEvent, ({ result }) => void outputs.push(outputOf(result)))
    },
  }
  return new Agent({
    model,
    tools: tools.filter(({ providerExecuted }) => providerExecuted !== true).map(toolOf),
    plugins: [...(offloader === undefined ? [] : [offloadPlugin(offloader, { scope })]), program],
    messages: (history ?? []) as MessageData[],
    conversationManager: new NullConversationManager(),
    printer: false,
  })
}

/** Ask by an interrupt, which ends the run until there is an answer. Versions without interrupts ask at once. */
function isApproved(event: BeforeToolCallEvent, ask: (toolName: string) => boolean): boolean {
  const { name } = event.toolUse
  return 'interrupt' in event ? (event as Interruptible).interrupt({ name: 'approval', reason: name }) : ask(name)
}

interface Interruptible {
  interrupt(parameters: { readonly name: string; readonly reason: string }): boolean
}

/** Answer every interrupt of a run. */
function responsesTo(result: AgentResult, ask: (toolName: string) => boolean): InvokeArgs {
  const { interrupts = [] } = result as {
    readonly interrupts?: readonly { readonly id: string; readonly reason?: unknown }[]
  }
  return interrupts.map(({ id, reason }) => ({
    interruptResponse: { interruptId: id, response: ask(String(reason)) },
  }))
}

function outputOf({ toolUseId, content }: ToolResultBlock): Output {
  return { toolCallId: toolUseId, output: content.map(readContent) }
}
