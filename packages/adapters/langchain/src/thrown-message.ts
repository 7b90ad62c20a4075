import { ToolMessage } from '@langchain/core/messages'
import { ToolInvocationError } from 'langchain'
import type { ToolCall } from './offload-call.ts'

/** The versions of LangChain that mark this message as an error tell their errors apart by a mark, too. */
const marksErrors = 'isInstance' in ToolInvocationError

/** Write what LangChain tells the model of a tool that throws, as long as no middleware is around tool calls. */
export function thrownMessage(thrown: unknown, { id = '', name }: ToolCall): ToolMessage {
  const content =
    thrown instanceof ToolInvocationError ? thrown.message : `${String(thrown)}\n Please fix your mistakes.`
  return new ToolMessage({ content, tool_call_id: id, name, ...(marksErrors ? { status: 'error' } : {}) })
}
