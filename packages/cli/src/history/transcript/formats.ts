import {
  aiSdkMessages,
  anthropicMessages,
  geminiContents,
  neutralMessages,
  openAIAgents,
  openAIChat,
  openAIResponses,
  type HistoryFormat,
} from '@spillway/history'
import type { FormatName } from './format-name.ts'
import type { Conversation, TranscriptFormat } from './transcript.ts'

/** Of an API whose conversation is the list of messages. */
const listFormat = (name: FormatName, title: string, history: unknown): TranscriptFormat => ({
  name,
  title,
  join: ({ messages }) => messages,
  split: (joined) => ({ messages: joined as readonly unknown[], system: undefined }),
  history: history as HistoryFormat<unknown>,
})

/** Of an API that has its system prompt beside the messages. */
const requestFormat = (
  name: FormatName,
  title: string,
  systemKey: 'system' | 'systemInstruction',
  listKey: 'messages' | 'contents',
  history: unknown,
): TranscriptFormat => ({
  name,
  title,
  systemKey,
  join: ({ system, messages }) => ({ ...(system !== undefined && { [systemKey]: system }), [listKey]: messages }),
  split: (joined): Conversation => {
    const { [systemKey]: system, [listKey]: messages } = joined as Readonly<Record<string, unknown>>
    return { system, messages: messages as readonly unknown[] }
  },
  history: history as HistoryFormat<unknown>,
})

const anthropic = (name: FormatName, title: string): TranscriptFormat =>
  requestFormat(name, title, 'system', 'messages', anthropicMessages<object>())

/** All formats, by their names. */
export const TRANSCRIPT_FORMATS: Readonly<Record<FormatName, TranscriptFormat>> = {
  'openai-chat': listFormat('openai-chat', 'OpenAI chat messages', openAIChat<object>()),
  'openai-responses': listFormat('openai-responses', 'OpenAI Responses items', openAIResponses<object>()),
  'openai-agents': listFormat('openai-agents', 'items of the OpenAI Agents SDK', openAIAgents<object>()),
  anthropic: anthropic('anthropic', 'Anthropic messages'),
  'ai-sdk': listFormat('ai-sdk', 'model messages of the AI SDK', aiSdkMessages<object>()),
  gemini: requestFormat('gemini', 'Gemini contents', 'systemInstruction', 'contents', geminiContents<object>()),
  'claude-code': anthropic('claude-code', 'a session of Claude Code'),
  neutral: listFormat('neutral', "messages in Spillway's neutral form", neutralMessages()),
}
