import type { BaseToolWithCall } from '@llamaindex/core/llms'
import type { ContextOffloader } from '@spillway/core'
import { encodeBlock } from '@spillway/core/adapter'

/** Create the LlamaIndex tool with which the model searches and reads content offloaded in the scope of `session`. */
export function retrievalTool({ retrievalTool: retrieval }: ContextOffloader): BaseToolWithCall {
  const { name, description, inputSchema } = retrieval
  return {
    metadata: { name, description, parameters: { ...inputSchema } },
    async call(input: unknown): Promise<string> {
      const { content, isError } = await retrieval.execute(input)
      // A result is text in LlamaIndex, so media are replaced by their names.
      const texts = content.map(encodeBlock).map((part) => (part.type === 'text' ? part.text : `[${part.filename}]`))
      // LlamaIndex marks a result as an error only if the tool throws.
      if (isError) throw new Error(texts.join('\n'))
      return texts.join('\n')
    },
  }
}
