import type { SeenPrompt, SeenResult } from '@spillway-internal/adapter-suite'
import type { ContentBlock } from '@spillway/core'
import type { ApiBlock, ApiRequest } from './fake-api.ts'

/** Text that Claude Code adds, such as the number of remaining tokens. */
const REMINDER = /\n*<system-reminder>[^]*?<\/system-reminder>\n*/g
/** Files with media, whose names contain the time and a random part. */
const MEDIA_FILE = /\/\S+\/tool-results\/[^\s\]]+/g

/** Read the call of a model, without the text that Claude Code adds. */
export function readPrompt({ messages, tools = [] }: ApiRequest): SeenPrompt {
  const told = messages.map(({ role, content }) => ({ role, content: withoutReminders(content) }))
  return {
    results: resultsIn(messages).map(readResult),
    toolNames: tools.map(({ name }) => name),
    toolSchemas: Object.fromEntries(tools.map(({ name, input_schema: schema }) => [name, schema])),
    messages: JSON.stringify(told),
  }
}

/** List the tool results of messages, in their order. */
export function resultsIn(messages: ApiRequest['messages']): readonly ApiBlock[] {
  return messages
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    .filter(({ type }) => type === 'tool_result')
}

function readResult({ tool_use_id: id, content, is_error: isError }: ApiBlock): SeenResult {
  const parts = withoutReminders((content ?? []) as string | readonly ApiBlock[])
  return {
    toolCallId: String(id),
    // Results of the API have no tool name.
    toolName: '',
    isError: isError === true,
    content: typeof parts === 'string' ? [{ type: 'text', text: parts }] : parts.map(readPart),
  }
}

function readPart(part: ApiBlock): ContentBlock {
  if (part.type === 'text') return { type: 'text', text: String(part['text']) }
  const { media_type: mediaType, data } = Object(part['source']) as { media_type?: string; data?: string }
  if ((part.type === 'image' || part.type === 'document') && mediaType !== undefined && data !== undefined)
    return { type: part.type, mediaType, data: new Uint8Array(Buffer.from(data, 'base64')) }
  return { type: 'unknown', value: part }
}

function withoutReminders(content: string | readonly ApiBlock[]): string | readonly ApiBlock[] {
  if (typeof content === 'string') return cleanText(content)
  return content.flatMap(({ cache_control: _cache, ...block }, index): ApiBlock[] => {
    if (typeof block['text'] === 'string') {
      if (isReminder(block)) return []
      // If a reminder follows, Claude Code adds a line break at the end of a text.
      const text = isReminder(content[index + 1]) ? block['text'].replace(/\n$/, '') : block['text']
      return [{ ...block, type: block.type, text: cleanText(text) }]
    }
    const inner = block['content'] as string | readonly ApiBlock[] | undefined
    return [{ ...block, type: block.type, ...(inner !== undefined && { content: withoutReminders(inner) }) }]
  })
}

function isReminder(block: ApiBlock | undefined): boolean {
  const text = block?.['text']
  return typeof text === 'string' && text !== '' && text.replaceAll(REMINDER, '') === ''
}

function cleanText(text: string): string {
  return text.replaceAll(REMINDER, '').replaceAll(MEDIA_FILE, 'FILE')
}
