import type { FormatName } from './format-name.ts'

type Fields = Readonly<Record<string, unknown>>

const ITEM_TYPES =
  /^(?:function_call|custom_tool_call|local_shell_call|shell_call|apply_patch_call|computer_call|reasoning)/
const AGENT_TYPES: ReadonlySet<unknown> = new Set(['function_call_result', 'computer_call_result'])

/**
 * Tell the format of messages by what only it has; `undefined` where none is known that they could be. Messages of nothing
 * but roles and texts are those of OpenAI, which others read as well.
 *
 * @param listKey - The key of the list in its document, where it has one.
 * @param hasSystem - Whether a system prompt stands beside it.
 */
export function detectFormat(
  messages: readonly unknown[],
  listKey: string | undefined,
  hasSystem: boolean,
): FormatName | undefined {
  if (listKey === 'contents') return 'gemini'
  let isItems = false
  let isPlain = messages.length > 0
  for (const message of messages) {
    if (!isFields(message)) return undefined
    const format = formatOfMessage(message)
    if (format !== undefined && format !== 'items') return format
    isItems ||= format === 'items'
    isPlain &&= format === undefined && typeof message['role'] === 'string' && 'content' in message
  }
  if (isItems || listKey === 'input') return 'openai-responses'
  if (!isPlain) return undefined
  return hasSystem && listKey === 'messages' ? 'anthropic' : 'openai-chat'
}

/** What a message is for certain; `items` where it is one of OpenAI's, and which is not known yet. */
function formatOfMessage(message: Fields): FormatName | 'items' | undefined {
  const { role, type, content, parts } = message
  if (Array.isArray(parts)) return formatOfParts(parts, message)
  if ('tool_calls' in message || 'tool_call_id' in message || 'function_call' in message) return 'openai-chat'
  if (role === 'developer' && type === undefined) return 'openai-chat'
  if (AGENT_TYPES.has(type) || (typeof type === 'string' && ITEM_TYPES.test(type) && 'callId' in message))
    return 'openai-agents'
  if (typeof type === 'string' && ITEM_TYPES.test(type) && role === undefined) return 'items'
  if (type === 'message' && typeof role === 'string') return 'items'
  if (!Array.isArray(content)) return undefined
  for (const part of content) {
    const format = isFields(part) ? formatOfPart(part) : undefined
    if (format !== undefined) return format
  }
  return undefined
}

/** Messages with parts: contents of Gemini have parts without a type, Spillway's own have roles and types. */
function formatOfParts(parts: readonly unknown[], message: Fields): FormatName | undefined {
  if (message['role'] === 'model') return 'gemini'
  const [part] = parts
  if (!isFields(part)) return undefined
  if (typeof part['type'] !== 'string') return 'gemini'
  // Messages of the AI SDK for user interfaces have parts as well, and ids.
  const isNeutral = Object.keys(message).every((key) => NEUTRAL_KEYS.has(key)) && NEUTRAL_PARTS.has(part['type'])
  return isNeutral ? 'neutral' : undefined
}

const NEUTRAL_KEYS: ReadonlySet<string> = new Set(['role', 'parts', 'native'])

const NEUTRAL_PARTS: ReadonlySet<unknown> = new Set([
  'text',
  'reasoning',
  'json',
  'image',
  'audio',
  'video',
  'document',
  'opaque',
  'tool-call',
  'tool-result',
])

function formatOfPart(part: Fields): FormatName | 'items' | undefined {
  switch (part['type']) {
    case 'tool-call':
    case 'tool-result':
    case 'file':
      return 'file' in part ? 'openai-chat' : 'ai-sdk'
    case 'tool_use':
    case 'tool_result':
    case 'thinking':
    case 'redacted_thinking':
    case 'document':
      return 'anthropic'
    case 'image':
      return 'source' in part ? 'anthropic' : 'ai-sdk'
    case 'image_url':
    case 'input_audio':
      return 'openai-chat'
    case 'input_text':
    case 'output_text':
    case 'input_image':
    case 'input_file':
      return 'items'
    default:
      return undefined
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
