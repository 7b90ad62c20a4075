// The real FilesystemMiddleware.wrapToolCall, with a fake handler and an in-memory backend. The 5+5 lines cannot be set.
import { createFilesystemMiddleware } from 'deepagents'
import { ToolMessage } from 'langchain'

export async function preview({ text, toolName, budgetTokens }) {
  const backend = {
    write: async (path) => ({ path, filesUpdate: null }),
    read: async () => ({ error: 'not used' }),
    ls: async () => ({ files: [] }),
    edit: async () => ({ error: 'not used' }),
    grep: async () => ({ matches: [] }),
    glob: async () => ({ files: [] }),
  }
  const middleware = createFilesystemMiddleware({ backend, toolTokenLimitBeforeEvict: budgetTokens })
  // its own file tools are never evicted by it, so an output of a tool of that name is passed under another name
  const name = /^(?:ls|glob|grep|read_file|edit_file|write_file|delete)$/.test(toolName) ? 'mcp_' + toolName : toolName
  const request = { toolCall: { id: 'call_Ab3dEf6h', name, args: {} }, state: {}, runtime: {} }
  const result = await middleware.wrapToolCall(
    request,
    async () => new ToolMessage({ content: text, tool_call_id: 'call_Ab3dEf6h', name }),
  )
  return result.content
}
