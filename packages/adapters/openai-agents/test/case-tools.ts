import { Buffer } from 'node:buffer'
import type { CaseTool, ToolBehaviour } from '@spillway-internal/adapter-suite'
import { tool, type HostedTool, type RunContext, type Tool } from '@openai/agents'
import type { ContentBlock } from '@spillway/core'
import { z } from 'zod'

interface Details {
  readonly toolCall?: { readonly callId: string } | undefined
  readonly signal?: AbortSignal | undefined
}

const ANY_INPUT = {
  type: 'object' as const,
  properties: {},
  required: [] as never[],
  additionalProperties: true as const,
}

/** Make tools of the SDK, whose errors reach the model. */
export function toolsOf(tools: readonly CaseTool[]): Tool[] {
  return tools.map((one) => (one.providerExecuted === true ? hostedTool(one) : functionTool(one)))
}

function hostedTool({ name }: CaseTool): HostedTool {
  return { type: 'hosted_tool', name, providerData: { type: name } }
}

function functionTool({ name, inputSchema, needsApproval = false, call }: CaseTool): Tool {
  const common = {
    name,
    description: `The tool ${name}.`,
    needsApproval,
    execute: async (input: unknown, _context?: RunContext, details: Details = {}): Promise<unknown> =>
      outputOf(await call(input, { toolCallId: details.toolCall?.callId ?? '', signal: details.signal })),
    // By default, the SDK does not tell the model about an error.
    errorFunction: (_context: unknown, error: unknown) => messageOf(error),
  }
  if (inputSchema === undefined) return tool({ ...common, parameters: ANY_INPUT, strict: false })
  return tool({ ...common, parameters: z.fromJSONSchema(inputSchema) as z.ZodObject })
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return `${error.name}: ${error.message}`
  return typeof error === 'string' ? error : (JSON.stringify(error, undefined, 2) ?? 'undefined')
}

function outputOf(behaviour: ToolBehaviour): unknown {
  switch (behaviour.type) {
    case 'throws':
      throw behaviour.thrown
    case 'yields':
      // Tools of the SDK return a single result.
      return behaviour.texts.at(-1)
    case 'returns-error':
      return behaviour.text
    case 'returns': {
      const [first, ...others] = behaviour.content
      if (first === undefined) return undefined
      const isPlain = others.length === 0 && behaviour.asParts !== true
      if (isPlain && first.type === 'text') return first.text
      return isPlain && first.type === 'json' ? first.value : behaviour.content.map(partOf)
    }
  }
}

function partOf(block: ContentBlock): object {
  if (block.type === 'text') {
    const { text, name: filename, mediaType } = block
    if (filename === undefined) return { type: 'text', text }
    return { type: 'file', file: { data: Buffer.from(text).toString('base64'), mediaType, filename } }
  }
  if (block.type === 'json' || block.type === 'unknown') return { type: 'text', text: JSON.stringify(block.value) }
  if (block.type === 'link') return { type: 'text', text: block.url }
  const { type, mediaType, data, url } = block
  const content = data === undefined ? { url } : { data: Buffer.from(data).toString('base64'), mediaType }
  return type === 'image'
    ? { type, image: data === undefined ? url : content }
    : { type: 'file', file: { ...content, filename: `file.${mediaType.split('/')[1]}` } }
}
