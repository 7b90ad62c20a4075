import type { CallToolResult } from '@modelcontextprotocol/server'
import { RETRIEVAL_TOOL_NAME, StorageError, type ContextOffloader } from '@spillway/core'
import { isTextContentType } from '@spillway/core/adapter'
import { fieldsOf } from '../relay/message.ts'

const MAX_NAME_LENGTH = 64

/** Store what an agent wrote. Whatever it wrote, and whatever storage does, it resolves. */
export async function offloadContent({ options }: ContextOffloader, input: unknown): Promise<CallToolResult> {
  const { content, name = 'note', content_type: contentType = 'text/plain', ...unknown } = fieldsOf(input)
  const [surplus] = Object.keys(unknown)
  if (surplus !== undefined) return refuse(`There is no parameter ${JSON.stringify(surplus)}.`)
  if (typeof content !== 'string' || content === '') return refuse('content must be the text to store.')
  if (typeof name !== 'string' || name === '') return refuse('name must be a text, or be left out.')
  if (typeof contentType !== 'string' || !isTextContentType(contentType))
    return refuse('content_type must be one of text, such as text/markdown or application/json.')
  try {
    const { storage, redact = (text: string) => text } = options
    const bytes = new TextEncoder().encode(redact(content))
    const reference = await storage.store(name.slice(0, MAX_NAME_LENGTH), bytes, contentType)
    const text = `Stored as ${reference} (${bytes.length} bytes). To search or read it: ${RETRIEVAL_TOOL_NAME} with this reference.`
    return { content: [{ type: 'text', text }] }
  } catch (error) {
    if (!StorageError.isInstance(error)) throw error
    return refuse(`It could not be stored: ${error.message} It is not kept anywhere.`)
  }
}

const refuse = (text: string): CallToolResult => ({
  content: [{ type: 'text', text: `Error: ${text}` }],
  isError: true,
})
