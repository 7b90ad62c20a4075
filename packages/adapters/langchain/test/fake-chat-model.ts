import type { ModelTurn, SeenPrompt, ToolCall } from '@spillway-internal/adapter-suite'
import { BaseChatModel, type BindToolsInput } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import { Runnable } from '@langchain/core/runnables'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { readPrompt, type ToolDefinition } from './read-prompt.ts'

/** Answers a prompt. */
export type Answer = (prompt: SeenPrompt) => ModelTurn

/**
 * A chat model that answers with the result of a function. LangChain's fakes do not record their tools, and the oldest
 * version has no fake that answers by its prompt.
 */
export class FakeChatModel extends BaseChatModel {
  readonly #answer: Answer
  readonly #tools: readonly BindToolsInput[]

  constructor(answer: Answer, tools: readonly BindToolsInput[] = []) {
    super({})
    this.#answer = answer
    this.#tools = tools
  }

  override _llmType(): string {
    return 'fake'
  }

  override bindTools(tools: BindToolsInput[]): FakeChatModel {
    return new FakeChatModel(this.#answer, tools)
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { content, calls } = this.#respond(messages)
    // Models write only objects as arguments.
    const tool_calls = calls.map(({ id, name, input }) => ({
      id,
      name,
      args: input as Record<string, unknown>,
      type: 'tool_call' as const,
    }))
    return { generations: [{ text: '', message: new AIMessage({ content, tool_calls }) }] }
  }

  override async *_streamResponseChunks(messages: BaseMessage[]): AsyncGenerator<ChatGenerationChunk> {
    const { content, calls } = this.#respond(messages)
    const tool_call_chunks = calls.map(({ id, name, input }, index) => ({
      id,
      name,
      args: JSON.stringify(input),
      index,
      type: 'tool_call_chunk' as const,
    }))
    yield new ChatGenerationChunk({ text: '', message: new AIMessageChunk({ content, tool_call_chunks }) })
  }

  /** Calls that the provider runs are in the content, with their results. */
  #respond(messages: BaseMessage[]): { readonly content: string | ServerBlock[]; readonly calls: readonly ToolCall[] } {
    const turn = this.#answer(readPrompt(messages, this.#tools.map(definitionOf)))
    if ('text' in turn) return { content: turn.text, calls: [] }
    const ran = turn.toolCalls.filter(({ providerResult }) => providerResult !== undefined)
    const calls = turn.toolCalls.filter((call) => !ran.includes(call))
    return { content: ran.length === 0 ? '' : ran.flatMap(serverBlocks), calls }
  }
}

type ServerBlock = { readonly type: string } & Readonly<Record<string, unknown>>

function serverBlocks({ id, name, input, providerResult }: ToolCall): ServerBlock[] {
  return [
    { type: 'server_tool_call', id, name, args: input },
    { type: 'server_tool_call_result', toolCallId: id, status: 'success', output: providerResult },
  ]
}

/** A provider's tool has the provider's definition, and reaches the model unchanged. */
function definitionOf(tool: BindToolsInput): ToolDefinition {
  const given: object = tool
  return Runnable.isRunnable(given)
    ? convertToOpenAITool(given as object as StructuredToolInterface)
    : (given as ToolDefinition)
}
