import {
  aiSdkMessages,
  anthropicMessages,
  geminiContents,
  openAIAgents,
  openAIChat,
  openAIResponses,
  type HistoryFormat,
} from '@spillway/history'
import { remeFormat } from '../reme/reme-format.ts'

/** The name of a format: of an API or framework, or of ReMe, whose histories name virtual files. */
export type FormatName =
  | 'openai-chat'
  | 'openai-responses'
  | 'openai-agents'
  | 'anthropic'
  | 'ai-sdk'
  | 'gemini'
  | 'reme'

const FORMATS: Readonly<Record<FormatName, () => HistoryFormat<unknown>>> = {
  'openai-chat': openAIChat,
  'openai-responses': openAIResponses,
  'openai-agents': openAIAgents,
  anthropic: anthropicMessages,
  'ai-sdk': aiSdkMessages,
  gemini: geminiContents,
  reme: remeFormat,
}

/** The names of all formats. */
export const FORMAT_NAMES: readonly FormatName[] = Object.keys(FORMATS) as FormatName[]

/** Make a format for one request. */
export const historyFormat = (name: FormatName): HistoryFormat<unknown> => FORMATS[name]()
