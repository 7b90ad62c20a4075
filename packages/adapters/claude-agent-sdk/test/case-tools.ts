import type { CaseTool, ToolBehaviour } from '@spillway-internal/adapter-suite'
import type { McpSdkServerConfigWithInstance } from '@anthropic-ai/claude-agent-sdk'
import type { ContentBlock } from '@spillway/core'
import { writeMcpPart } from '@spillway/core/adapter'
import { z } from 'zod'
import { serveTool } from '../src/retrieval-server.ts'

/** Make the MCP server of a case's tool, which validates arguments as servers do. */
export function serverOf({ name, inputSchema = { type: 'object' }, call }: CaseTool): McpSdkServerConfigWithInstance {
  const validator = z.fromJSONSchema(inputSchema)
  return serveTool(name, '1', {
    name,
    description: `The tool ${name}.`,
    inputSchema,
    // Without the second key, Claude Code would write large results to a file, and show only the beginning.
    _meta: { 'anthropic/alwaysLoad': true, 'anthropic/maxResultSizeChars': 500_000 },
    async call(input, { toolUseId = '', signal }) {
      const { success, error } = validator.safeParse(input)
      if (!success) return errorResult(`Invalid arguments for tool ${name}: ${error.message}`)
      try {
        return resultOf(await call(input, { toolCallId: toolUseId, signal }))
      } catch (thrown) {
        return errorResult(messageOf(thrown))
      }
    },
  })
}

/** An MCP tool returns parts. A value becomes JSON text, and an object also becomes structured content. */
function resultOf(behaviour: ToolBehaviour): object {
  if (behaviour.type === 'throws') throw behaviour.thrown
  if (behaviour.type === 'returns-error') return errorResult(behaviour.text)
  if (behaviour.type === 'yields') return { content: [{ type: 'text', text: behaviour.texts.at(-1) ?? '' }] }
  return { content: behaviour.content.map(partOf) }
}

function partOf(block: ContentBlock): object {
  if (block.type === 'image' && block.data === undefined)
    return { type: 'resource_link', uri: block.url, name: 'image' }
  if (block.type === 'text' && block.name !== undefined)
    return { type: 'resource', resource: { uri: block.name, mimeType: block.mediaType, text: block.text } }
  return writeMcpPart(block)
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message
  return typeof thrown === 'string' ? thrown : (JSON.stringify(thrown) ?? 'undefined')
}

function errorResult(text: string): object {
  return { content: [{ type: 'text', text }], isError: true }
}
