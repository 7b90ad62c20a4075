import { validateAiSdk } from './validate/validate-ai-sdk.ts'
import { validateAnthropic } from './validate/validate-anthropic.ts'
import { validateChat } from './validate/validate-chat.ts'
import { validateGemini } from './validate/validate-gemini.ts'
import { validateAgents, validateResponses } from './validate/validate-items.ts'

/** The formats that histories can be made for and checked in. */
export const FORMAT_NAMES = [
  'openai-chat',
  'openai-responses',
  'openai-agents',
  'anthropic-messages',
  'ai-sdk-messages',
  'gemini-contents',
] as const

/** The name of such a format. */
export type FormatName = (typeof FORMAT_NAMES)[number]

/**
 * Say what the API of a format refuses of a conversation: each problem with the place where it is. A conversation that
 * could be sent has none.
 *
 * What only the server knows is not checked, such as which items of an earlier response a call depends on.
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
