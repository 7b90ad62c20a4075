import { McpServer, type CallToolResult } from '@modelcontextprotocol/server'
import { RETRIEVAL_TOOL_NAME, StorageError, type ContextOffloader } from '@spillway/core'
import { anyInputSchema, assertOffloader, isTextContentType, writeMcpPart } from '@spillway/core/adapter'
import { fieldsOf } from '../relay/message.ts'

const OFFLOAD_TOOL_NAME = 'offload_content'

/** Options of {@link retrievalServer}. */
export interface RetrievalServerOptions {
  /** The server's name. */
  readonly name?: string | undefined
  readonly version?: string | undefined
  /** Omit the tool `offload_content`, so that nothing is written. Defaults to `false`. */
  readonly readOnly?: boolean | undefined
}

const INSTRUCTIONS =
  'Large tool results are in storage. In the conversation, previews with references replace them. ' +
  `Use ${RETRIEVAL_TOOL_NAME} with such a reference to search or read them.`

/**
 * Make an MCP server of the SDK 2 that searches and pages stored content, and stores text that an agent gives it.
 *
 * Connect it to a transport, or serve it with `serveStdio` or `createMcpHandler`.
 *
 * @param offloader - The offloader of the client: `offloader.forScope(tenant)`. Give each client its own server.
 *   Without a scope, a search requires a reference.
 * @throws TypeError for an invalid offloader.
 *
 * @example
 * ```ts
 * import { Client } from '@modelcontextprotocol/client'
 * import { InMemoryTransport } from '@modelcontextprotocol/server'
 * import { ContextOffloader } from '@spillway/core'
 * import { retrievalServer } from '@spillway/mcp/server'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const [ours, theirs] = InMemoryTransport.createLinkedPair()
 * const client = new Client({ name: 'agent', version: '1.0.0' })
 * await Promise.all([retrievalServer(offloader.forScope('me')).connect(theirs), client.connect(ours)])
 * const { tools } = await client.listTools()
 * console.assert(tools.map(({ name }) => name).join() === 'retrieve_offloaded_content,offload_content')
 * ```
 */
export function retrievalServer(offloader: ContextOffloader, options: RetrievalServerOptions = {}): McpServer {
  assertOffloader(offloader, 'retrievalServer(new ContextOffloader({ storage }))')
  const { name = 'spillway', version = '0.0.0', readOnly = false } = options
  const server = new McpServer({ name, version }, { instructions: INSTRUCTIONS })
  const { retrievalTool } = offloader
  server.registerTool(
    retrievalTool.name,
    {
      title: 'Search offloaded tool results',
      description: retrievalTool.description,
      inputSchema: anyInputSchema(retrievalTool.inputSchema),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async (input, { mcpReq: { signal } }) => {
      const { content, isError } = await retrievalTool.execute(input, { signal })
      return { content: content.map(writeMcpPart), ...(isError ? { isError } : {}) } satisfies CallToolResult
    },
  )
  if (!readOnly)
    server.registerTool(
      OFFLOAD_TOOL_NAME,
      {
        title: 'Store content',
        description:
          'Store text that is too long to keep in the conversation, such as notes or a draft, and get a reference to it. ' +
          `${RETRIEVAL_TOOL_NAME} searches and reads it.`,
        inputSchema: anyInputSchema({
          type: 'object',
          properties: {
            content: { type: 'string', description: 'The text to store.' },
            name: { type: 'string', description: 'A short name; the reference begins with it.' },
            content_type: {
              type: 'string',
              description: 'Its media type, such as application/json. Default: text/plain.',
            },
          },
          required: ['content'],
          additionalProperties: false,
        }),
        annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      },
      async (input) => offloadContent(offloader, input),
    )
  return server
}

const MAX_NAME_LENGTH = 64

/** Never rejects for invalid input or a failed storage. */
async function offloadContent({ options }: ContextOffloader, input: unknown): Promise<CallToolResult> {
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
    return refuse(`The content was not stored: ${error.message}`)
  }
}

const refuse = (text: string): CallToolResult => ({
  content: [{ type: 'text', text: `Error: ${text}` }],
  isError: true,
})
