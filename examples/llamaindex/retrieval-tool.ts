import type { BaseToolWithCall } from '@llamaindex/core/llms'
import type { ContextOffloader } from '@spillway/core'
import { encodeBlock } from '@spillway/core/adapter'

/** Make the LlamaIndex tool by which the model searches and reads what was offloaded in the scope of `session`. */
export function retrievalTool({ retrievalTool: retrieval }: ContextOffloader): BaseToolWithCall {
  const { name, description, inputSchema } = retrieval
  return {
    metadata: { name, description, parameters: { ...inputSchema } },
    async call(input: unknown): Promise<string> {
      const { content, isError } = await retrieval.execute(input)
      // A result is text in LlamaIndex: media can only be named.
      const texts = content.map(encodeBlock).map((part) => (part.type === 'text' ? part.text : `[${part.filename}]`))
      // What a tool throws is what LlamaIndex marks as an error.
      if (isError) throw new Error(texts.join('\n'))
      return texts.join('\n')
    },
  }
}
