import { AsyncLocalStorage } from 'node:async_hooks'
import type { CaseTool, ToolBehaviour } from '@spillway-internal/adapter-suite'
import type { ContentBlock } from '@spillway/core'
import { encodeBase64 } from '@spillway/core/adapter'
import { generateMiddleware, type JSONSchema7, type MultipartToolAction, type Part } from 'genkit'
import type { GenkitBeta } from 'genkit/beta'

const ANY_INPUT = { type: 'object', properties: {}, additionalProperties: true }

/** The result of a tool with several parts. */
interface MultipartOutput {
  output?: unknown
  content?: Part[]
}

const currentCall = new AsyncLocalStorage<string>()

/** Records the ids of calls, which Genkit does not pass to tools. This middleware must be the last. */
export const callIds = generateMiddleware({ name: 'callIds' }, () => ({
  tool: async (request, context, next) =>
    currentCall.run(request.toolRequest.ref ?? '', async () => next(request, context)),
}))

/** Define the tools that the program runs. A tool that needs approval interrupts the run. */
export function defineTools(ai: GenkitBeta, tools: readonly CaseTool[]): MultipartToolAction[] {
  return tools.filter(({ providerExecuted }) => providerExecuted !== true).map((tool) => defineTool(ai, tool))
}

function defineTool(
  ai: GenkitBeta,
  { name, inputSchema = ANY_INPUT, needsApproval, call }: CaseTool,
): MultipartToolAction {
  const config = { name, description: `The tool ${name}.`, inputJsonSchema: inputSchema as JSONSchema7 }
  return ai.defineTool({ ...config, multipart: true }, async (input, { resumed, interrupt, abortSignal }) => {
    if (needsApproval === true && resumed === undefined) return interrupt()
    const toolCallId = currentCall.getStore() ?? ''
    return outputOf(await call(input, { toolCallId, signal: abortSignal }))
  })
}

function outputOf(behaviour: ToolBehaviour): MultipartOutput {
  switch (behaviour.type) {
    case 'throws':
      throw behaviour.thrown
    case 'returns-error':
      return { output: { error: behaviour.text } }
    case 'yields':
      return { output: behaviour.texts.at(-1) }
    case 'returns': {
      const { content, asParts = false } = behaviour
      const [first] = content
      if (content.length > 1 || asParts) return { content: content.map(partOf) }
      if (first === undefined) return {}
      if (first.type === 'text') return { output: first.text }
      return first.type === 'json' ? { output: first.value } : { content: [partOf(first)] }
    }
  }
}

function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case 'text': {
      const { text, name, mediaType: contentType } = block
      return name === undefined ? { text } : { text, metadata: { name, contentType } }
    }
    case 'json':
    case 'unknown':
      return { data: block.value }
    case 'link':
      return { resource: { uri: block.url } }
    default: {
      const { mediaType: contentType, data } = block
      const url = data === undefined ? block.url : `data:${contentType};base64,${encodeBase64(data)}`
      return { media: { url, contentType } }
    }
  }
}
