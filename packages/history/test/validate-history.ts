import { validateAiSdk } from './validate/validate-ai-sdk.ts'
import { validateAnthropic } from './validate/validate-anthropic.ts'
import { validateChat } from './validate/validate-chat.ts'
import { validateGemini } from './validate/validate-gemini.ts'
import { validateAgents, validateResponses } from './validate/validate-items.ts'

/** The formats for which histories can be generated and validated. */
export const FORMAT_NAMES = [
  'openai-chat',
  'openai-responses',
  'openai-agents',
  'anthropic-messages',
  'ai-sdk-messages',
  'gemini-contents',
] as const

/** The name of a format in `FORMATS`. */
export type FormatName = (typeof FORMAT_NAMES)[number]

/**
 * Return the problems for which the API of a format would reject a conversation, each with its position. A valid
 * conversation has none.
 *
 * Rules that only the server can check are ignored, for example which items of an earlier response a call depends on.
 */
export function validateHistory(format: FormatName, conversation: unknown): string[] {
  const list = Array.isArray(conversation) ? (conversation as readonly unknown[]) : []
  switch (format) {
    case 'openai-chat':
      return validateChat(list)
    case 'openai-responses':
      return validateResponses(list)
    case 'openai-agents':
      return validateAgents(list)
    case 'ai-sdk-messages':
      return validateAiSdk(list)
    case 'anthropic-messages':
      return validateAnthropic(conversation)
    case 'gemini-contents':
      return validateGemini(conversation)
  }
}
