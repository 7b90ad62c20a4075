import type { ContentBlock, ContextOffloader } from '@spillway/core'
import { HistoryCompactor } from '@spillway/history'
import type {
  AdapterHarness,
  CaseCompaction,
  CaseTool,
  Conversation,
  ConversationResult,
  SeenPrompt,
  ToolBehaviour,
} from '../src/index.ts'
import { tinyAdapter, toBlock, toPart, type TinyAdapter } from './tiny-adapter.ts'
import { tinyFormat } from './tiny-format.ts'
import {
  runTinyAgent,
  type TinyMessage,
  type TinyOutput,
  type TinyPrompt,
  TinyResult,
  type TinyTool,
} from './tiny-framework.ts'

/** Creates an adapter for one run. Faulty adapters are created by other functions. */
export type MakeAdapter = (
  root: ContextOffloader,
  session: string,
  tools: readonly TinyTool[],
  compaction: CaseCompaction | undefined,
) => TinyAdapter

/** The correct adapter, which uses the session as the scope. */
export const makeTinyAdapter: MakeAdapter = (root, session, tools, compaction) => {
  const offloader = root.forScope(session)
  const options = compaction && { ...compaction, offloader, format: tinyFormat() }
  return tinyAdapter(offloader, tools, options && new HistoryCompactor(options))
}

/** Create the harness of the tiny framework, with the correct or a faulty adapter. */
export function tinyHarness(
  name: string,
  moduleUrl: string,
  makeAdapter: MakeAdapter = makeTinyAdapter,
): AdapterHarness {
  return {
    name,
    moduleUrl,
    compactsHistory: true,
    run: async (conversation) => runConversation(conversation, makeAdapter),
  }
}

async function runConversation(conversation: Conversation, makeAdapter: MakeAdapter): Promise<ConversationResult> {
  const { offloader, session, history, userMessage = 'Go.', signal, approve, compaction, systemPrompt } = conversation
  const prompts: SeenPrompt[] = []
  const outputs: { toolCallId: string; output: unknown }[] = []
  const preliminaryOutputs: { toolCallId: string; output: unknown }[] = []
  const approvalsAsked: string[] = []
  const ownTools = conversation.tools.map(toTinyTool)
  const adapter = offloader === undefined ? { tools: ownTools } : makeAdapter(offloader, session, ownTools, compaction)
  // The history is the `history` that an earlier run returned.
  const messages: TinyMessage[] = [...((history ?? []) as readonly TinyMessage[]), { role: 'user', text: userMessage }]
  const agent = {
    ...adapter,
    ...(systemPrompt !== undefined && { system: systemPrompt }),
    model: (seen: TinyPrompt, tools: readonly TinyTool[]): TinyMessage => {
      const prompt = seenPrompt(seen, tools)
      prompts.push(prompt)
      const turn = conversation.model(prompt, prompts.length - 1)
      if ('text' in turn) return { role: 'assistant', text: turn.text }
      const results = turn.toolCalls.flatMap(({ id, providerResult }) =>
        providerResult === undefined ? [] : [[id, providerResult] as const],
      )
      const toolCalls = turn.toolCalls.map(({ id, name, input }) => ({ id, name, input }))
      return { role: 'assistant', toolCalls, providerResults: Object.fromEntries(results) }
    },
    approve: (name: string) => {
      approvalsAsked.push(name)
      return approve?.(name) ?? false
    },
    onOutput: (toolCallId: string, output: unknown, preliminary: boolean) =>
      void (preliminary ? preliminaryOutputs : outputs).push({ toolCallId, output }),
  }
  const seen = { prompts, outputs, preliminaryOutputs, approvalsAsked }
  try {
    await runTinyAgent(agent, messages, signal)
    const last = messages.at(-1)
    return {
      ...seen,
      text: last !== undefined && 'text' in last ? last.text : undefined,
      error: undefined,
      history: messages,
    }
  } catch (error) {
    // The case checks the error, so any error is returned.
    return { ...seen, text: undefined, error, history: messages }
  }
}

function toTinyTool({ name, call, inputSchema = {}, ...rest }: CaseTool): TinyTool {
  return {
    name,
    inputSchema,
    ...rest,
    async execute(input, context) {
      const behaviour = await call(input, context)
      return behaviour.type === 'yields' ? yieldAll(behaviour.texts) : resultOf(behaviour)
    },
  }
}

async function* yieldAll(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}

function resultOf(behaviour: Exclude<ToolBehaviour, { readonly type: 'yields' }>): unknown {
  if (behaviour.type === 'throws') throw behaviour.thrown
  if (behaviour.type === 'returns-error') return new TinyResult({ type: 'error', value: behaviour.text })
  const { content, asParts = false } = behaviour
  const [block] = content
  if (content.length < 2 && !asParts) {
    if (block === undefined) return undefined
    if (block.type === 'text') return block.text
    if (block.type === 'json') return block.value
  }
  return new TinyResult({ type: 'parts', value: content.map(toPart) })
}

function seenPrompt({ system, messages }: TinyPrompt, tools: readonly TinyTool[]): SeenPrompt {
  return {
    system,
    messages: JSON.stringify(messages),
    toolNames: tools.map(({ name }) => name),
    toolSchemas: Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema])),
    results: messages.flatMap((message) => {
      if (message.role !== 'tool') return []
      const { toolCallId, toolName, output } = message
      return [{ toolCallId, toolName, isError: output.type === 'error', content: seenContent(output) }]
    }),
  }
}

function seenContent(output: TinyOutput): readonly ContentBlock[] {
  if (output.type === 'parts') return output.value.map(toBlock)
  return [output.type === 'json' ? { type: 'json', value: output.value } : { type: 'text', text: output.value }]
}
