import { Buffer } from 'node:buffer'
import type { SeenPrompt, SeenResult } from '@spillway-internal/adapter-suite'
import type Anthropic from '@anthropic-ai/sdk'
import type { ContentBlock } from '@spillway/core'
import type { ModelRequest } from './fake-api.ts'

/** Read the call of a model. */
export function readPrompt({ messages, tools, system = '' }: ModelRequest): SeenPrompt {
  return {
    system: typeof system === 'string' ? system : system.map(({ text }) => text).join('\n\n'),
    results: resultsIn(messages).map(readResult),
    toolNames: tools.map(({ name }) => name),
    toolSchemas: Object.fromEntries(tools.map(({ name, input_schema: schema }) => [name, schema])),
    messages: JSON.stringify(messages),
  }
}

/** List the tool results of messages, in their order. */
export function resultsIn(
  messages: readonly Anthropic.Beta.BetaMessageParam[],
): readonly Anthropic.Beta.BetaToolResultBlockParam[] {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : (content ?? [])))
  return blocks.filter((block) => block.type === 'tool_result')
}

function readResult({ tool_use_id, content = [], is_error }: Anthropic.Beta.BetaToolResultBlockParam): SeenResult {
  return {
    toolCallId: tool_use_id,
    // Results of the API have no tool name.
    toolName: '',
    isError: is_error === true,
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(readPart),
  }
}

function readPart(
  part: Exclude<Anthropic.Beta.BetaToolResultBlockParam['content'], string | undefined>[number],
): ContentBlock {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if ((part.type === 'image' || part.type === 'document') && part.source.type === 'base64') {
    const { media_type: mediaType, data } = part.source
    return { type: part.type, mediaType, data: new Uint8Array(Buffer.from(data, 'base64')) }
  }
  return { type: 'unknown', value: part }
}
