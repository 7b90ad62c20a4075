import type { CaseTool, ToolBehaviour } from '@spillway-internal/adapter-suite'
import type { ContentBlock } from '@spillway/core'
import { encodeBase64 } from '@spillway/core/adapter'
import {
  DocumentBlock,
  ImageBlock,
  JsonBlock,
  TextBlock,
  Tool,
  tool,
  ToolResultBlock,
  type JSONValue,
  type ToolContext,
  type ToolSpec,
  type ToolStreamGenerator,
} from '@strands-agents/sdk'
import { z } from 'zod'

/** Make a Strands tool for a tool of a case: a function with a schema, or a class if only a class can mark an error. */
export function toolOf({ name, inputSchema, call }: CaseTool): Tool {
  const run = tool({
    name,
    description: `The tool ${name}.`,
    // Strands checks arguments only with schemas of zod.
    inputSchema: inputSchema === undefined ? z.looseObject({}) : z.fromJSONSchema(inputSchema as never),
    callback: async function* (input: unknown, context?: ToolContext) {
      const { toolUse, agent } = context as ToolContext
      const { cancelSignal: signal = agent.cancelSignal } = context as { readonly cancelSignal?: AbortSignal }
      const behaviour = await call(input, { toolCallId: toolUse.toolUseId, signal })
      if (behaviour.type === 'throws') throw behaviour.thrown
      if (behaviour.type === 'yields') for (const text of behaviour.texts.slice(0, -1)) yield text
      return outputOf(behaviour) as JSONValue
    },
  })
  return new MarkingTool(run)
}

/** Marks returned errors as errors, as tools of MCP servers do. A function would have to throw. */
class MarkingTool extends Tool {
  readonly name: string
  readonly description: string
  readonly toolSpec: ToolSpec
  readonly #tool: Tool

  constructor(run: Tool) {
    super()
    this.name = run.name
    this.description = run.description
    this.toolSpec = run.toolSpec
    this.#tool = run
  }

  async *stream(context: ToolContext): ToolStreamGenerator {
    const result = yield* this.#tool.stream(context)
    const [content] = result.content
    if (content?.type !== 'textBlock' || !content.text.startsWith(ERROR)) return result
    const { toolUseId } = result
    return new ToolResultBlock({
      toolUseId,
      status: 'error',
      content: [new TextBlock(content.text.slice(ERROR.length))],
    })
  }
}

const ERROR = 'returned as an error: '

function outputOf(behaviour: Exclude<ToolBehaviour, { readonly type: 'throws' }>): unknown {
  if (behaviour.type === 'returns-error') return `${ERROR}${behaviour.text}`
  if (behaviour.type === 'yields') return behaviour.texts.at(-1)
  const { content, asParts = false } = behaviour
  const [first] = content
  if (content.length === 0) return undefined
  if (content.length === 1 && !asParts && first?.type === 'text') return first.text
  if (content.length === 1 && !asParts && first?.type === 'json') return first.value
  return content.map(contentOf)
}

function contentOf(block: ContentBlock): unknown {
  switch (block.type) {
    case 'text': {
      const { text, name } = block
      return name === undefined ? new TextBlock(text) : new DocumentBlock({ format: 'md', name, source: { text } })
    }
    case 'json':
      return new JsonBlock({ json: block.value as JSONValue })
    case 'image': {
      const source = block.data === undefined ? { url: block.url } : { bytes: block.data }
      return new ImageBlock({ format: 'png', source })
    }
    case 'document':
      return new DocumentBlock({ format: 'pdf', name: 'paper', source: { bytes: block.data ?? new Uint8Array() } })
    case 'audio':
      return { audio: encodeBase64(block.data ?? new Uint8Array()) }
    default:
      return block
  }
}
