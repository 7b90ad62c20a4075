import { expectTypeOf, it } from 'vitest'
import type { HistoryFormat } from '../history-format.ts'
import { aiSdkMessages } from './ai-sdk-messages.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { geminiContents } from './gemini-contents.ts'
import { openAIAgents, openAIResponses } from './openai-responses.ts'
import { openAIChat } from './openai-chat.ts'

/** Take a conversation and its format as `compactHistory` does, and return a conversation of the same type. */
function through<Conversation>(
  conversation: Conversation,
  { format }: { format: HistoryFormat<Conversation> },
): Conversation {
  return format.write(format.read(conversation))
}

type Message =
  | { role: 'user'; content: string; name?: string }
  | { role: 'tool'; tool_call_id: string; content: string[] }

it('formats infer the message type from the conversation', () => {
  const messages: Message[] = []
  expectTypeOf(through(messages, { format: openAIChat() })).toEqualTypeOf<Message[]>()
  expectTypeOf(through(messages, { format: openAIResponses() })).toEqualTypeOf<Message[]>()
  expectTypeOf(through(messages, { format: openAIAgents() })).toEqualTypeOf<Message[]>()
  expectTypeOf(through(messages, { format: aiSdkMessages() })).toEqualTypeOf<Message[]>()
  const readonlyMessages: readonly Message[] = []
  expectTypeOf(through(readonlyMessages, { format: openAIChat() })).toEqualTypeOf<readonly Message[]>()
})

it('formats of conversation objects infer the types of their fields from the conversation', () => {
  const anthropic: { system: string; messages: Message[] } = { system: 'Be brief.', messages: [] }
  const written = through(anthropic, { format: anthropicMessages() })
  expectTypeOf(written.messages).toEqualTypeOf<Message[]>()
  expectTypeOf(written.system).toEqualTypeOf<string | undefined>()
  const gemini = through({ contents: [] as Message[] }, { format: geminiContents() })
  expectTypeOf(gemini.contents).toEqualTypeOf<Message[]>()
})
