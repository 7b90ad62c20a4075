import { RETRIEVAL_TOOL_NAME, type ContentBlock, type ContextOffloader } from '@spillway/core'
import { tool, type GenerateResponseData, type ToolAction, type ToolRequestPart, type ToolResponsePart } from 'genkit'
import { writePart } from './content-part.ts'

/**
 * Make the retrieval tool as Genkit knows it, anew for each run. It has no function: the middleware answers its calls, as
 * Genkit would end the run over an input that is wrong.
 */
export function retrievalTool({ retrievalTool: { name, description, inputSchema } }: ContextOffloader): ToolAction {
  return tool({ name, description, inputJsonSchema: { ...(inputSchema as object) } })
}

/**
 * Answer a call of the retrieval tool, whatever the model wrote. An error is the output `{ error }`, as Genkit has it from
 * MCP servers.
 */
export async function answerRetrieval(
  { retrievalTool }: ContextOffloader,
  { toolRequest: { name, ref, input } }: ToolRequestPart,
  signal: AbortSignal | undefined,
): Promise<ToolResponsePart> {
  const { content: blocks, isError } = await retrievalTool.execute(input, { signal })
  const content = blocks.filter((block) => 'data' in block).map(writePart)
  const outputs = blocks.map(outputOf)
  const output = outputs.length === 1 ? outputs[0] : outputs
  return {
    toolResponse: {
      name,
      ...(ref === undefined ? {} : { ref }),
      output: isError ? { error: output } : output,
      ...(content.length === 0 ? {} : { content }),
    },
  }
}

/** What stands in the output. Some providers are shown nothing else, so media are named there. */
function outputOf(block: ContentBlock): unknown {
  if (block.type === 'text') return block.text
  return 'value' in block ? block.value : `[${block.type}: ${block.mediaType ?? block.url}]`
}

/** Take the retrieval tool out of the request in a response: chats before Genkit 1.39 look up every tool that it names. */
export function hideRetrieval(response: GenerateResponseData): GenerateResponseData {
  if (response.request?.tools === undefined) return response
  const tools = response.request.tools.filter(({ name }) => name !== RETRIEVAL_TOOL_NAME)
  return { ...response, request: { ...response.request, tools } }
}
