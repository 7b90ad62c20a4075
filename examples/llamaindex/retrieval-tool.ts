import type { ContentBlock, ContextOffloader } from '@spillway/core'
import type { BaseToolWithCall } from '@llamaindex/core/llms'

/** Make the LlamaIndex tool by which the model searches and reads what was offloaded in the scope of `session`. */
export function retrievalTool({ retrievalTool: retrieval }: ContextOffloader): BaseToolWithCall {
  const { name, description, inputSchema } = retrieval
  return {
    metadata: { name, description, parameters: { ...inputSchema } },
    async call(input: unknown): Promise<string> {
      const { content, isError } = await retrieval.execute(input)
      const text = content.map(textOf).join('\n')
      // What a tool throws is what LlamaIndex marks as an error.
      if (isError) throw new Error(text)
      return text
    },
  }
}

/** Results of LlamaIndex's tools are text, so media can only be described. */
function textOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'json' || block.type === 'unknown') return JSON.stringify(block.value)
  if (block.type === 'link' || block.data === undefined) return block.url
  return `[${block.type}: ${block.mediaType}, ${block.data.length.toLocaleString('en-US')} bytes]`
}
