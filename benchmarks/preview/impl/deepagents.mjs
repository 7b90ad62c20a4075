// The real FilesystemMiddleware.wrapToolCall, with a fake handler and an in-memory backend. The 5+5 lines are fixed.
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
  // the middleware does not change results of its own file tools, so an output of such a tool gets another name
  const name = /^(?:ls|glob|grep|read_file|edit_file|write_file|delete)$/.test(toolName) ? 'mcp_' + toolName : toolName
  const request = { toolCall: { id: 'call_Ab3dEf6h', name, args: {} }, state: {}, runtime: {} }
  const result = await middleware.wrapToolCall(
    request,
    async () => new ToolMessage({ content: text, tool_call_id: 'call_Ab3dEf6h', name }),
  )
  return result.content
}
