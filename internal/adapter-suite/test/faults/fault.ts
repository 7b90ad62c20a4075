import { ContextOffloader, type ContextOffloaderOptions, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { tinyAdapter, type TinyAdapter } from '../tiny-adapter.ts'
import type { TinyOutput, TinyResultContext, TinyTool } from '../tiny-framework.ts'
import { makeTinyAdapter, type MakeAdapter } from '../tiny-harness.ts'

/** A way to get an adapter wrong. */
export interface Fault {
  /** What the adapter does wrong. */
  readonly name: string
  /** The cases that catch it, each of which must fail. */
  readonly caughtBy: readonly string[]
  /** Make the adapter anew, with nothing left of an earlier case. */
  readonly create: () => MakeAdapter
}

/** Change what the correct adapter gives an agent. */
export function changed(
  change: (adapter: TinyAdapter, offloader: ContextOffloader) => Partial<TinyAdapter>,
): MakeAdapter {
  return (root, session, tools, compaction) => {
    const adapter = makeTinyAdapter(root, session, tools, compaction)
    return { ...adapter, ...change(adapter, root.forScope(session)) }
  }
}

/** Change how an output is offloaded; `offload` is the correct way. */
export function offloading(
  change: (
    output: TinyOutput,
    context: TinyResultContext,
    offload: TinyAdapter['afterTool'],
    offloader: ContextOffloader,
  ) => TinyOutput | Promise<TinyOutput>,
): MakeAdapter {
  return changed(({ afterTool }, offloader) => ({
    afterTool: async (output, context) => {
      const isAnswer = context.toolName === RETRIEVAL_TOOL_NAME
      return isAnswer ? afterTool(output, context) : change(output, context, afterTool, offloader)
    },
  }))
}

/** Change text before it is offloaded, be it large or small. */
export function rewriting(change: (text: string) => string): MakeAdapter {
  return offloading((output, context, offload) =>
    offload(output.type === 'text' ? { type: 'text', value: change(output.value) } : output, context),
  )
}

/** Change the tools of the user. */
export function wrapping(change: (tool: TinyTool) => TinyTool): MakeAdapter {
  return (root, session, tools, compaction) => makeTinyAdapter(root, session, tools.map(change), compaction)
}

/** Change what the tools of the user return, seen by the program too. */
export function returningOther(change: (value: unknown, offloader: ContextOffloader) => unknown): MakeAdapter {
  return (root, session, tools) => {
    const offloader = root.forScope(session)
    const wrapped = tools.map((tool) => ({
      ...tool,
      execute: async (...call: Parameters<TinyTool['execute']>) => change(await tool.execute(...call), offloader),
    }))
    return tinyAdapter(offloader, wrapped)
  }
}

/** Change the retrieval tool. */
export function answering(change: (tool: TinyTool, offloader: ContextOffloader) => Partial<TinyTool>): MakeAdapter {
  return changed(({ tools }, offloader) => ({
    tools: tools.map((tool) => (tool.name === RETRIEVAL_TOOL_NAME ? { ...tool, ...change(tool, offloader) } : tool)),
  }))
}

/** Use another offloader than that of the user. */
export function withOptions(
  change: (options: ContextOffloader['options']) => Partial<ContextOffloaderOptions>,
): MakeAdapter {
  return (root, session, tools, compaction) => {
    const scoped = root.forScope(session)
    const offloader = new ContextOffloader({ ...scoped.options, ...change(scoped.options) })
    return { ...makeTinyAdapter(root, session, tools, compaction), afterTool: tinyAdapter(offloader, tools).afterTool }
  }
}

/** Use another session than that of the user. */
export function inSession(change: (session: string) => string): MakeAdapter {
  return (root, session, tools, compaction) => makeTinyAdapter(root, change(session), tools, compaction)
}
