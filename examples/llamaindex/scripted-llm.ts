import {
  ToolCallLLM,
  type ChatMessage,
  type ChatResponse,
  type ChatResponseChunk,
  type LLMChatParamsNonStreaming,
  type LLMChatParamsStreaming,
  type LLMMetadata,
  type ToolCall,
  type ToolCallLLMMessageOptions,
} from '@llamaindex/core/llms'

type Params = LLMChatParamsStreaming | LLMChatParamsNonStreaming

/** A message of a prompt. The options of a message with a tool result contain the result. */
export type Message = ChatMessage<ToolCallLLMMessageOptions>

/** A model that follows a script. The script gets each prompt, and returns tool calls or the final answer. */
export class ScriptedLlm extends ToolCallLLM {
  readonly supportToolCall = true
  readonly metadata: LLMMetadata = {
    model: 'scripted',
    temperature: 0,
    topP: 1,
    contextWindow: 1_000_000,
    tokenizer: undefined,
    structuredOutput: false,
  }
  readonly #script: (messages: readonly Message[], params: Params) => readonly ToolCall[] | string

  constructor(script: (messages: readonly Message[], params: Params) => readonly ToolCall[] | string) {
    super()
    this.#script = script
  }

  chat(params: LLMChatParamsStreaming): Promise<AsyncIterable<ChatResponseChunk>>
  chat(params: LLMChatParamsNonStreaming): Promise<ChatResponse<ToolCallLLMMessageOptions>>
  async chat(params: Params): Promise<AsyncIterable<ChatResponseChunk> | ChatResponse<ToolCallLLMMessageOptions>> {
    const answer = this.#script(params.messages, params)
    const text = typeof answer === 'string' ? answer : ''
    const options = typeof answer === 'string' ? undefined : { toolCall: [...answer] }
    if (params.stream !== true) return { message: { role: 'assistant', content: text, options }, raw: null }
    return (async function* () {
      yield { delta: text, options, raw: null }
    })()
  }
}

/** Return the tool results in a prompt, as the model gets them. */
export function resultsIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ content, options = {} }) => ('toolResult' in options ? [textOf(content)] : []))
}

/** Return the content of a message as text. */
export function textOf(content: Message['content']): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}
