import type { ContentBlock } from '@spillway/core'
import type { CaseTool, ModelTurn, ToolBehaviour, ToolCall } from '../harness.ts'

/** Create a tool that returns these blocks for every call. */
export function returning(name: string, ...content: readonly ContentBlock[]): CaseTool {
  return behaving(name, { type: 'returns', content })
}

/** Create a tool that behaves in the same way for every call. */
export function behaving(name: string, behaviour: ToolBehaviour): CaseTool {
  return { name, call: () => behaviour }
}

/** Create a model turn with one tool call. */
export function calling(name: string, input: unknown = {}, id = 'call_1'): ModelTurn {
  return { toolCalls: [{ id, name, input }] }
}

/** Create a model turn with several tool calls. */
export function callingAll(...toolCalls: readonly ToolCall[]): ModelTurn {
  return { toolCalls }
}
