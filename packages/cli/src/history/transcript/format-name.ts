/** The formats that `--format` takes. */
export const FORMAT_NAMES = [
  'openai-chat',
  'openai-responses',
  'openai-agents',
  'anthropic',
  'ai-sdk',
  'gemini',
  'claude-code',
  'neutral',
] as const

/** A format that `--format` takes. */
export type FormatName = (typeof FORMAT_NAMES)[number]
