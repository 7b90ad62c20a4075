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

/** A message of a prompt; the options of one that has a tool's result say so. */
export type Message = ChatMessage<ToolCallLLMMessageOptions>

/** A model that does what a script says: it gets each prompt, and answers with tool calls or with its last words. */
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

/** The results of tools in a prompt, as the model reads them. */
export function resultsIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ content, options = {} }) => ('toolResult' in options ? [textOf(content)] : []))
}

/** The content of a message as text. */
export function textOf(content: Message['content']): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}
