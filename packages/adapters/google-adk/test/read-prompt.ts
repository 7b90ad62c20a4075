import type { LlmRequest } from '@google/adk'
import type { SeenPrompt, SeenResult } from '@spillway-internal/adapter-suite'
import { RETRIEVAL_TOOL_NAME, type ContentBlock } from '@spillway/core'
import { mediaFromData, readMcpPart } from '@spillway/core/adapter'

type Content = LlmRequest['contents'][number]
type FunctionResponse = NonNullable<NonNullable<Content['parts']>[number]['functionResponse']>

/** Read the call of a model. */
export function readPrompt({ contents, config }: LlmRequest): SeenPrompt {
  const tools = (config?.tools ?? []).flatMap((tool): { name?: string; parameters?: unknown }[] =>
    'functionDeclarations' in tool ? (tool.functionDeclarations ?? []) : [{ name: Object.keys(tool).join() }],
  )
  return {
    results: contents.flatMap((content, index) => readResults(content, contents[index + 1])),
    toolNames: tools.map(({ name = '' }) => name),
    toolSchemas: Object.fromEntries(tools.map(({ name = '', parameters }) => [name, parameters])),
    messages: JSON.stringify(contents),
    system: typeof config?.systemInstruction === 'string' ? config.systemInstruction : '',
  }
}

/** Media of a retrieval answer are in the message after it. */
function readResults({ parts = [] }: Content, next: Content | undefined): SeenResult[] {
  const media = (next?.parts ?? []).flatMap(({ inlineData }) => inlineData ?? [])
  return parts.flatMap(({ functionResponse }) => {
    if (functionResponse === undefined) return []
    const { id = '', name = '' } = functionResponse
    const own = name === RETRIEVAL_TOOL_NAME ? media.splice(0) : []
    const shown = own.flatMap(({ mimeType = '', data }) => mediaFromData(mimeType, data) ?? [])
    const { isError, content } = readResponse(functionResponse)
    return [{ toolCallId: id, toolName: name, isError, content: [...content, ...shown] }]
  })
}

/** ADK wraps a text or a list in an object. MCP tools return parts. */
function readResponse({ response = {} }: FunctionResponse): Pick<SeenResult, 'isError' | 'content'> {
  const { content, isError } = response
  if (Array.isArray(content)) return { isError: isError === true, content: content.map(readMcpPart) }
  const [name = '', ...others] = Object.keys(response)
  const isOnly = others.length === 0 && ['result', 'results', 'error'].includes(name)
  const value: unknown = isOnly ? response[name] : response
  const block: ContentBlock = typeof value === 'string' ? { type: 'text', text: value } : { type: 'json', value }
  return { isError: name === 'error' && isOnly, content: [block] }
}
