import { mcpModelOutput } from '@spillway/core/adapter'
import { aiSdkMessages, type HistoryFormat, type HistoryMessage, type HistoryPart } from '@spillway/history'
import { asRead } from '@spillway/history/format'

/**
 * Read and write prompts that Mastra makes for models: messages of the AI SDK, in which what an MCP server marks as an error
 * is JSON like any other. Here it is one, so that its reference stays one.
 */
export function mastraPrompt<Message extends object>(): HistoryFormat<Message[]> {
  const format = aiSdkMessages<Message>()
  return { ...format, read: (prompt) => format.read(prompt).map(withErrors) }
}

function withErrors(message: HistoryMessage): HistoryMessage {
  if (message.role !== 'tool') return message
  const parts = message.parts.map(withError)
  return parts.every((part, at) => part === message.parts[at]) ? message : asRead({ ...message, parts })
}

function withError(part: HistoryPart): HistoryPart {
  if (part.type !== 'tool-result' || part.isError === true) return part
  const [only] = part.content
  if (part.content.length !== 1 || only?.type !== 'json' || !isMarked(only.value)) return part
  return mcpModelOutput(only.value, 'media')?.type === 'error-text' ? asRead({ ...part, isError: true }) : part
}

const isMarked = (value: unknown): boolean => (Object(value) as { readonly isError?: unknown }).isError === true
