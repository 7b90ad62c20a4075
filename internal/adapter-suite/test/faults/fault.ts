import { ContextOffloader, type ContextOffloaderOptions, RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { tinyAdapter, type TinyAdapter } from '../tiny-adapter.ts'
import type { TinyOutput, TinyResultContext, TinyTool } from '../tiny-framework.ts'
import { makeTinyAdapter, type MakeAdapter } from '../tiny-harness.ts'

/** A mistake in an adapter. */
export interface Fault {
  /** The mistake, as the end of a sentence about the adapter. */
  readonly name: string
  /** Ids of the cases that catch the mistake. Each of them must fail. */
  readonly caughtBy: readonly string[]
  /** Create the faulty adapter, without state of an earlier case. */
  readonly create: () => MakeAdapter
}

/** Create an adapter that changes what the correct adapter gives an agent. */
export function changed(
  change: (adapter: TinyAdapter, offloader: ContextOffloader) => Partial<TinyAdapter>,
): MakeAdapter {
  return (root, session, tools, compaction) => {
    const adapter = makeTinyAdapter(root, session, tools, compaction)
    return { ...adapter, ...change(adapter, root.forScope(session)) }
  }
}

/** Create an adapter that offloads in another way. `offload` is the correct way. */
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

/** Create an adapter that changes text before it is offloaded, in large and small results. */
export function rewriting(change: (text: string) => string): MakeAdapter {
  return offloading((output, context, offload) =>
    offload(output.type === 'text' ? { type: 'text', value: change(output.value) } : output, context),
  )
}

/** Create an adapter that changes the tools of the user. */
export function wrapping(change: (tool: TinyTool) => TinyTool): MakeAdapter {
  return (root, session, tools, compaction) => makeTinyAdapter(root, session, tools.map(change), compaction)
}

/** Create an adapter that changes the results of the user's tools. The program gets the changed results, too. */
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

/** Create an adapter that changes the retrieval tool. */
export function answering(change: (tool: TinyTool, offloader: ContextOffloader) => Partial<TinyTool>): MakeAdapter {
  return changed(({ tools }, offloader) => ({
    tools: tools.map((tool) => (tool.name === RETRIEVAL_TOOL_NAME ? { ...tool, ...change(tool, offloader) } : tool)),
  }))
}

/** Create an adapter that uses other options than the user's offloader. */
export function withOptions(
  change: (options: ContextOffloader['options']) => Partial<ContextOffloaderOptions>,
): MakeAdapter {
  return (root, session, tools, compaction) => {
    const scoped = root.forScope(session)
    const offloader = new ContextOffloader({ ...scoped.options, ...change(scoped.options) })
    return { ...makeTinyAdapter(root, session, tools, compaction), afterTool: tinyAdapter(offloader, tools).afterTool }
  }
}

/** Create an adapter that uses another session than the user's. */
export function inSession(change: (session: string) => string): MakeAdapter {
  return (root, session, tools, compaction) => makeTinyAdapter(root, change(session), tools, compaction)
}
