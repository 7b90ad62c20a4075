import type { SeenPrompt, SeenResult } from '@spillway-internal/adapter-suite'
import type { ContentBlock } from '@spillway/core'
import type { Message, ToolResultBlock, ToolResultContent, ToolSpec } from '@strands-agents/sdk'

/** Read the call of a model. */
export function readPrompt(messages: readonly Message[], toolSpecs: readonly ToolSpec[]): SeenPrompt {
  return {
    results: messages.flatMap(({ content }) =>
      content.filter((block) => block.type === 'toolResultBlock').map(readResult),
    ),
    toolNames: toolSpecs.map(({ name }) => name),
    toolSchemas: Object.fromEntries(toolSpecs.map(({ name, inputSchema }) => [name, inputSchema])),
    // Omit message ids, which are random in each run, and which no provider gets.
    messages: JSON.stringify(messages.map(({ role, content }) => ({ role, content }))),
  }
}

function readResult({ toolUseId, status, content }: ToolResultBlock): SeenResult {
  return { toolCallId: toolUseId, toolName: '', isError: status === 'error', content: content.map(readContent) }
}

/** Read content as a model sees it, without the object that Strands wraps around an array. */
export function readContent(content: ToolResultContent): ContentBlock {
  switch (content.type) {
    case 'textBlock':
      return { type: 'text', text: content.text }
    case 'jsonBlock': {
      const { $value: value } = Object(content.json) as { readonly $value?: unknown }
      return { type: 'json', value: Array.isArray(value) ? value : content.json }
    }
    default: {
      const type = content.type === 'imageBlock' ? 'image' : content.type === 'videoBlock' ? 'video' : 'document'
      const mediaType = `${type === 'document' ? 'application' : type}/${content.format}`
      const { bytes, url } = content.source as { readonly bytes?: Uint8Array; readonly url?: string }
      return bytes === undefined ? { type, mediaType, url: String(url) } : { type, mediaType, data: bytes }
    }
  }
}
