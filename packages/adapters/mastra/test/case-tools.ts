import { Buffer } from 'node:buffer'
import type { CaseTool, ToolBehaviour } from '@spillway-internal/adapter-suite'
import type { ToolsInput } from '@mastra/core/agent'
import { toStandardSchema } from '@mastra/core/schema'
import { createTool, type ToolExecutionContext } from '@mastra/core/tools'
import type { ContentBlock } from '@spillway/core'

/** The form of several parts in a tool's result: with `toModelOutput`, or as tools of MCP servers return them. */
export type PartsForm = 'toModelOutput' | 'mcp'

/** Marks a result for `toModelOutput`. Mastra's default maps results without the mark. */
const MARK = 'mappedByToModelOutput'

/** Schemas by their text: Mastra would compile equal schemas again, which takes longer than most runs. */
const schemas = new Map<string, ReturnType<typeof toStandardSchema>>()

/** Make the tools of a case. */
export function toolsOf(tools: readonly CaseTool[], form: PartsForm): ToolsInput {
  return Object.fromEntries(tools.map((tool) => [tool.name, toolOf(tool, form)])) as ToolsInput
}

function toolOf({ name, inputSchema, needsApproval, providerExecuted, call }: CaseTool, form: PartsForm): unknown {
  if (providerExecuted === true) return { type: 'provider-defined', id: `fake.${name}`, name, args: {} }
  return createTool({
    id: name,
    description: `The tool ${name}.`,
    inputSchema: schemaOf({ type: 'object', properties: {}, ...inputSchema }),
    requireApproval: needsApproval === true,
    async execute(input: unknown, context: ToolExecutionContext) {
      const { agent, abortSignal: signal, writer } = context
      const behaviour = await call(input, { toolCallId: agent?.toolCallId ?? '', signal })
      if (behaviour.type !== 'yields') return resultOf(behaviour, form)
      const last = behaviour.texts.at(-1)
      for (const text of behaviour.texts.slice(0, -1)) await writer?.write(text)
      return last
    },
    ...(form === 'toModelOutput' && { toModelOutput: mapped }),
  })
}

function schemaOf(schema: object): ReturnType<typeof toStandardSchema> {
  const key = JSON.stringify(schema)
  const known = schemas.get(key) ?? toStandardSchema(schema)
  schemas.set(key, known)
  return known
}

function resultOf(behaviour: Exclude<ToolBehaviour, { type: 'yields' }>, form: PartsForm): unknown {
  switch (behaviour.type) {
    case 'throws':
      throw behaviour.thrown
    case 'returns-error':
      if (form === 'mcp') return { content: [{ type: 'text', text: behaviour.text }], isError: true }
      return { [MARK]: { type: 'error-text', value: behaviour.text } }
    case 'returns': {
      const [block, ...rest] = behaviour.content
      if (block === undefined) return undefined
      if (rest.length === 0 && behaviour.asParts !== true) {
        if (block.type === 'text') return block.text
        if (block.type === 'json') return block.value
      }
      if (form === 'mcp') return { content: behaviour.content.map(toMcpPart) }
      return { [MARK]: { type: 'content', value: behaviour.content.map(toModelPart) } }
    }
  }
}

function mapped(result: unknown): unknown {
  return typeof result === 'object' && result !== null && MARK in result ? result[MARK] : undefined
}

function toModelPart(block: ContentBlock): object {
  if (block.type === 'text') {
    const { text, name: filename, mediaType } = block
    if (filename === undefined) return { type: 'text', text }
    return { type: 'media', mediaType, data: Buffer.from(text).toString('base64'), filename }
  }
  if (block.type === 'json') return { type: 'text', text: JSON.stringify(block.value) }
  if (block.type === 'unknown') return { type: 'custom', value: block.value }
  if (block.type === 'link') return { type: 'text', text: block.url }
  const { mediaType } = block
  if (block.data !== undefined) return { type: 'media', mediaType, data: Buffer.from(block.data).toString('base64') }
  return { type: block.type === 'image' ? 'image-url' : 'file-url', url: block.url, mediaType }
}

function toMcpPart(block: ContentBlock): object {
  if (block.type === 'text') {
    const { text, name: uri, mediaType: mimeType } = block
    return uri === undefined ? { type: 'text', text } : { type: 'resource', resource: { uri, mimeType, text } }
  }
  if (block.type === 'json') return { type: 'text', text: JSON.stringify(block.value) }
  if (block.type === 'unknown') return { type: 'text', text: JSON.stringify(block.value) }
  if (block.type === 'link') return { type: 'resource_link', uri: block.url, name: 'link' }
  const { mediaType: mimeType } = block
  if (block.data === undefined) return { type: 'resource_link', uri: block.url, name: 'link', mimeType }
  const data = Buffer.from(block.data).toString('base64')
  if (block.type === 'image' || block.type === 'audio') return { type: block.type, data, mimeType }
  return { type: 'resource', resource: { uri: 'file:///document', mimeType, blob: data } }
}
