import type { CaseTool, ToolBehaviour } from '@spillway-internal/adapter-suite'
import { ToolMessage } from '@langchain/core/messages'
import { tool, type StructuredToolInterface } from '@langchain/core/tools'
import { encodeBase64 } from '@spillway/core/adapter'
import type { ContentBlock } from '@spillway/core'

interface Config {
  readonly toolCall?: { readonly id?: string }
  readonly signal?: AbortSignal
}

const ANY_INPUT = { type: 'object', properties: {}, additionalProperties: true }

/** Whether the provider runs the tool. */
export function isServerTool({ providerExecuted }: CaseTool): boolean {
  return providerExecuted === true
}

/** Write the provider's definition of a tool that the provider runs. */
export function serverToolOf({ name }: CaseTool): Record<string, unknown> {
  return { type: `${name}_20250305`, name }
}

/** Make LangChain tools of the program's own tools. `ask` returns whether a tool that needs approval may run. */
export function ownTools(tools: readonly CaseTool[], ask?: (toolName: string) => boolean): StructuredToolInterface[] {
  return tools.filter((tool) => !isServerTool(tool)).map((tool) => toolOf(tool, ask))
}

function toolOf(
  { name, inputSchema = ANY_INPUT, needsApproval, call }: CaseTool,
  ask: ((toolName: string) => boolean) | undefined,
): StructuredToolInterface {
  const run = async (input: unknown, { toolCall: { id = '' } = {}, signal }: Config): Promise<unknown> => {
    const error = (text: string): ToolMessage =>
      new ToolMessage({ content: text, name, tool_call_id: id, status: 'error' })
    if (needsApproval === true && ask?.(name) === false) return error('The user has denied it.')
    const behaviour = await call(input, { toolCallId: id, signal })
    return behaviour.type === 'returns-error' ? error(behaviour.text) : outputOf(behaviour)
  }
  return tool(run as (input: unknown) => Promise<unknown>, {
    name,
    description: `The tool ${name}.`,
    schema: inputSchema,
  })
}

function outputOf(behaviour: Exclude<ToolBehaviour, { readonly type: 'returns-error' }>): unknown {
  if (behaviour.type === 'throws') throw behaviour.thrown
  if (behaviour.type === 'yields') return yieldEach(behaviour.texts)
  const { content, asParts = false } = behaviour
  const [first] = content
  if (first === undefined) return undefined
  if (content.length === 1 && !asParts && first.type === 'text') return first.text
  if (content.length === 1 && !asParts && first.type === 'json') return first.value
  return content.map(partOf)
}

/** The returned value is the result. */
async function* yieldEach(texts: readonly string[]): AsyncGenerator<string, string> {
  for (const text of texts) yield text
  return texts.at(-1) ?? ''
}

function partOf(block: ContentBlock): Record<string, unknown> {
  switch (block.type) {
    case 'text': {
      const { type, text, name: filename, mediaType } = block
      if (filename === undefined) return { type, text }
      return { type: 'file', source_type: 'text', mime_type: mediaType, text, metadata: { filename } }
    }
    case 'link':
      return { type: 'text', text: block.url }
    case 'json':
      return { type: 'text', text: JSON.stringify(block.value) }
    case 'unknown':
      return block.value as Record<string, unknown>
    default: {
      const { type, mediaType, data, url } = block
      const source = data === undefined ? { url } : { data: encodeBase64(data) }
      return { type: type === 'document' ? 'file' : type, mimeType: mediaType, ...source }
    }
  }
}
