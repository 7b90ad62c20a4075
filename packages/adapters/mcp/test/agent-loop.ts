import type {
  CaseOutput,
  CaseTool,
  Conversation,
  ConversationResult,
  ModelTurn,
  SeenPrompt,
  ToolCall,
} from '@spillway-internal/adapter-suite'
import { blockOf } from './case-tools.ts'

/** A tool as a client of any version lists it. */
export interface ListedTool {
  readonly name: string
  readonly inputSchema: unknown
  readonly annotations?: { readonly destructiveHint?: boolean | undefined } | undefined
}

/** A client of any version that is connected to the tools of a case. */
export interface ToolClient {
  readonly listTools: () => Promise<readonly ListedTool[]>
  readonly callTool: (
    call: ToolCall,
    options: { readonly signal: AbortSignal | undefined; readonly onProgress: (text: string) => void },
  ) => Promise<Pick<CaseOutput, 'stored'> & { readonly content: readonly unknown[]; readonly isError: boolean }>
  readonly close: () => Promise<void>
}

/** A message in the history of a conversation. */
type HistoryMessage =
  | { readonly role: 'user' | 'assistant'; readonly text: string }
  | { readonly role: 'assistant'; readonly toolCalls: readonly ToolCall[] }
  | {
      readonly role: 'tool'
      readonly toolCallId: string
      readonly toolName: string
      readonly isError: boolean
      readonly content: readonly unknown[]
    }

/** Settings of an agent loop. */
export interface LoopSetup {
  readonly conversation: Conversation
  readonly connect: () => Promise<ToolClient>
  /** Called before each call of the model. */
  readonly endTurn: () => Promise<unknown>
}

/** Run a small agent: call the model, then the tools that it requests, until the model answers with text. */
export async function runAgent({ conversation, connect, endTurn }: LoopSetup): Promise<ConversationResult> {
  const { tools, model, approve, signal, userMessage = 'Go.' } = conversation
  const prompts: SeenPrompt[] = []
  const outputs: CaseOutput[] = []
  const preliminaryOutputs: { toolCallId: string; output: unknown }[] = []
  const approvalsAsked: string[] = []
  const messages: HistoryMessage[] = [
    ...((conversation.history ?? []) as HistoryMessage[]),
    { role: 'user', text: userMessage },
  ]
  let text: string | undefined
  let error: unknown
  let client: ToolClient | undefined
  try {
    client = await connect()
    const listed = await client.listTools()
    const run = async (call: ToolCall): Promise<HistoryMessage> => {
      const answer = (content: readonly unknown[], isError: boolean): HistoryMessage => ({
        role: 'tool',
        toolCallId: call.id,
        toolName: call.name,
        isError,
        content,
      })
      if (listed.find(({ name }) => name === call.name)?.annotations?.destructiveHint === true) {
        approvalsAsked.push(call.name)
        if (approve?.(call.name) !== true) return answer([{ type: 'text', text: 'The user has denied it.' }], true)
      }
      const onProgress = (output: string): void => void preliminaryOutputs.push({ toolCallId: call.id, output })
      try {
        const { content, isError, stored } = await (client as ToolClient).callTool(call, { signal, onProgress })
        outputs.push({ toolCallId: call.id, output: content, ...(stored && { stored }) })
        return answer(content, isError)
      } catch (thrown) {
        signal?.throwIfAborted()
        // The model is told about an error of the protocol.
        return answer([{ type: 'text', text: String(thrown) }], true)
      }
    }
    for (;;) {
      signal?.throwIfAborted()
      await endTurn()
      prompts.push(promptOf(messages, listed, tools))
      const turn: ModelTurn = model(prompts.at(-1) as SeenPrompt, prompts.length - 1)
      if ('text' in turn) {
        text = turn.text
        messages.push({ role: 'assistant', text })
        break
      }
      messages.push({ role: 'assistant', toolCalls: turn.toolCalls })
      const own = turn.toolCalls.filter(({ name }) => !isProviders(tools, name))
      messages.push(...(await Promise.all(own.map(run))))
    }
  } catch (thrown) {
    error = thrown ?? new Error('The run rejected with nothing.')
  } finally {
    await client?.close()
  }
  const history = JSON.parse(JSON.stringify(messages)) as unknown
  return {
    prompts,
    text: error === undefined ? text : undefined,
    error,
    outputs,
    preliminaryOutputs,
    approvalsAsked,
    history,
  }
}

const isProviders = (tools: readonly CaseTool[], name: string): boolean =>
  tools.some((tool) => tool.name === name && tool.providerExecuted === true)

function promptOf(
  messages: readonly HistoryMessage[],
  listed: readonly ListedTool[],
  tools: readonly CaseTool[],
): SeenPrompt {
  const ofProvider = tools.filter(({ providerExecuted }) => providerExecuted === true)
  return {
    results: messages
      .filter((message) => message.role === 'tool')
      .map(({ toolCallId, toolName, isError, content }) => ({
        toolCallId,
        toolName,
        isError,
        content: content.map(blockOf),
      })),
    toolNames: [...ofProvider, ...listed].map(({ name }) => name),
    toolSchemas: Object.fromEntries(listed.map(({ name, inputSchema }) => [name, inputSchema])),
    messages: JSON.stringify(messages),
  }
}
