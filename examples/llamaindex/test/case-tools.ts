import { Buffer } from 'node:buffer'
import type { JSONValue } from '@llamaindex/core/global'
import type { BaseToolWithCall } from '@llamaindex/core/llms'
import type { CaseTool, ToolBehaviour } from '@spillway-internal/adapter-suite'
import type { ContentBlock } from '@spillway/core'

/** Create the LlamaIndex tool of a case. */
export function toolOf({ name, inputSchema = { type: 'object' }, call }: CaseTool): BaseToolWithCall {
  return {
    metadata: { name, description: `The tool ${name}.`, parameters: { ...inputSchema } },
    call: async (input: unknown) => outputOf(await call(input, { toolCallId: '' })),
  }
}

/** Return the output of a tool: LlamaIndex's own tools return JSON, and tools of an MCP server return its results. */
function outputOf(behaviour: ToolBehaviour): JSONValue {
  if (behaviour.type === 'throws') throw behaviour.thrown
  if (behaviour.type === 'returns-error') throw new Error(behaviour.text)
  if (behaviour.type === 'yields') return behaviour.texts.at(-1) ?? ''
  const { content, asParts = false } = behaviour
  const [first] = content
  if (first === undefined) return undefined as unknown as JSONValue
  if (content.length === 1 && !asParts && first.type === 'text') return first.text
  if (content.length === 1 && !asParts && first.type === 'json') return first.value as JSONValue
  return { content: content.map(partOf) }
}

function partOf(block: ContentBlock): JSONValue {
  switch (block.type) {
    case 'text': {
      const { text, name, mediaType: mimeType = 'text/plain' } = block
      if (name === undefined) return { type: 'text', text }
      return { type: 'resource', resource: { uri: `file:///${name}`, mimeType, text } }
    }
    case 'json':
    case 'unknown':
      return block.value as JSONValue
    case 'link':
      return { type: 'resource_link', uri: block.url, name: 'link' }
    default: {
      const { type, mediaType: mimeType, data: bytes, url } = block
      if (bytes === undefined) return { type: 'resource_link', uri: url, name: 'media', mimeType }
      const data = Buffer.from(bytes).toString('base64')
      if (type === 'image' || type === 'audio') return { type, data, mimeType }
      return { type: 'resource', resource: { uri: 'file:///media', mimeType, blob: data } }
    }
  }
}
