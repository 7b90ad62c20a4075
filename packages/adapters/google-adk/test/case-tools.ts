import { BaseTool, createEvent, FunctionTool, type Context, type ToolProcessLlmRequest } from '@google/adk'
import type { CaseTool, ToolBehaviour } from '@spillway-internal/adapter-suite'
import type { ContentBlock } from '@spillway/core'
import { encodeBase64 } from '@spillway/core/adapter'
import { z } from 'zod'

/** Make the ADK tool for a tool of a case. */
export function toolOf(tool: CaseTool): BaseTool {
  const { name, inputSchema, needsApproval = false, providerExecuted, call } = tool
  if (providerExecuted === true) return new CodeExecution({ name, description: 'Run by the provider.' })
  const schema = inputSchema === undefined ? undefined : z.fromJSONSchema(inputSchema)
  return new FunctionTool({
    name,
    description: `The tool ${name}.`,
    ...(schema instanceof z.ZodObject ? { parameters: schema } : {}),
    requireConfirmation: needsApproval,
    execute: async (input: unknown, context?: Context) => {
      const { functionCallId: toolCallId = '', abortSignal: signal } = context ?? {}
      const behaviour = await call(input, { toolCallId, signal })
      return behaviour.type === 'yields' ? yieldEach(behaviour.texts, name, context) : resultOf(behaviour)
    },
  })
}

/** A tool of Gemini itself, for which no function is declared. */
class CodeExecution extends BaseTool {
  override async runAsync(): Promise<never> {
    throw new Error(`The provider runs ${this.name}.`)
  }

  override async processLlmRequest({ llmRequest }: ToolProcessLlmRequest): Promise<void> {
    llmRequest.config = { ...llmRequest.config, tools: [...(llmRequest.config?.tools ?? []), { codeExecution: {} }] }
  }
}

/** Show the tool's results so far as events, which ADK does not save. Nodes that serve as tools do the same. */
function yieldEach(texts: readonly string[], name: string, context: Context | undefined): string {
  for (const result of texts) {
    const functionResponse = { id: context?.functionCallId ?? '', name, response: { result } }
    const content = { role: 'user', parts: [{ functionResponse }] }
    context?.invocationContext.eventQueue?.push(createEvent({ author: 'agent', partial: true, content }))
  }
  return texts.at(-1) ?? ''
}

function resultOf(behaviour: Exclude<ToolBehaviour, { readonly type: 'yields' }>): unknown {
  if (behaviour.type === 'throws') throw behaviour.thrown
  if (behaviour.type === 'returns-error') return { error: behaviour.text }
  const { content, asParts = false } = behaviour
  const [first] = content
  if (first === undefined) return undefined
  if (content.length === 1 && !asParts && first.type === 'text') return first.text
  if (content.length === 1 && !asParts && first.type === 'json') return first.value
  return { content: content.map(mcpPartOf) }
}

/** ADK passes MCP results to the model unchanged, and has no other form with several parts. */
function mcpPartOf(block: ContentBlock): object {
  switch (block.type) {
    case 'text': {
      const { type, text, name: uri, mediaType: mimeType } = block
      return uri === undefined ? { type, text } : { type: 'resource', resource: { uri, mimeType, text } }
    }
    case 'json':
    case 'unknown':
      return { type: 'text', text: JSON.stringify(block.value) }
    case 'link':
      return { type: 'resource_link', uri: block.url, name: block.name ?? '' }
    default: {
      const { type, mediaType: mimeType, data, url } = block
      if (data === undefined) return { type: 'resource_link', uri: url, name: type, mimeType }
      if (type === 'image' || type === 'audio') return { type, mimeType, data: encodeBase64(data) }
      return { type: 'resource', resource: { uri: `file:///${type}`, mimeType, blob: encodeBase64(data) } }
    }
  }
}
