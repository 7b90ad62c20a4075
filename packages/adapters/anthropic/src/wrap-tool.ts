import type { ContextOffloader } from '@spillway/core'
import { offloadCall, type ToolUse } from './offload-call.ts'

/** What is read of a runnable tool or toolset: the SDK's types differ by version, kind and input. */
export interface AnyTool {
  readonly name?: string
  readonly run: (...parameters: readonly unknown[]) => unknown
}

/** In older versions, the call is `toolUseBlock`. */
type RunContext = { readonly [Key in 'toolUse' | 'toolUseBlock']?: ToolUse } & { readonly signal?: AbortSignal | null }

/** Copy a runnable tool, so that large results and errors of tool calls are offloaded. */
export function wrapTool(tool: AnyTool, offloader: ContextOffloader): AnyTool {
  const run = async (...parameters: readonly unknown[]): Promise<unknown> => {
    // A toolset gets the context first, a tool its input.
    const context = Object(parameters[tool.name === undefined ? 0 : 1]) as RunContext
    const { toolUseBlock, toolUse = toolUseBlock, signal } = context
    if (toolUse === undefined) return tool.run(...parameters)
    return offloadCall(offloader, toolUse, signal, () => tool.run(...parameters))
  }
  const own = Object.getOwnPropertyDescriptors({ ...tool, run })
  const copy = Object.create(Object.getPrototypeOf(tool) as object | null, own) as AnyTool
  // Methods of its class run on the tool itself, as private fields need.
  return new Proxy(copy, {
    get(_copy, key) {
      if (Object.hasOwn(copy, key)) return Reflect.get(copy, key)
      const value: unknown = Reflect.get(tool, key)
      return typeof value === 'function' ? (value.bind(tool) as unknown) : value
    },
  })
}
