import type { ContentBlock } from '@spillway/core'
import type { CaseTool, ModelTurn, ToolBehaviour, ToolCall } from '../harness.ts'

/** Make a tool that returns these blocks whenever it is called. */
export function returning(name: string, ...content: readonly ContentBlock[]): CaseTool {
  return behaving(name, { type: 'returns', content })
}

/** Make a tool that does the same whenever it is called. */
export function behaving(name: string, behaviour: ToolBehaviour): CaseTool {
  return { name, call: () => behaviour }
}

/** Make a model turn with one tool call. */
export function calling(name: string, input: unknown = {}, id = 'call_1'): ModelTurn {
  return { toolCalls: [{ id, name, input }] }
}

/** Make a model turn with several tool calls. */
export function callingAll(...toolCalls: readonly ToolCall[]): ModelTurn {
  return { toolCalls }
}
