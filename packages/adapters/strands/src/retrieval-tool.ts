import type { ContextOffloader } from '@spillway/core'
import { Tool, ToolResultBlock, type ToolContext, type ToolSpec, type ToolStreamGenerator } from '@strands-agents/sdk'
import { blockToContent } from './block-to-content.ts'
import type { ScopeRun } from './run-scope.ts'

/** The tool by which a model searches and reads what was offloaded, in the scope of the run that calls it. */
export class RetrievalTool extends Tool {
  readonly name: string
  readonly description: string
  readonly toolSpec: ToolSpec
  readonly #offloaderOf: (run: ScopeRun) => ContextOffloader

  constructor(offloader: ContextOffloader, offloaderOf: (run: ScopeRun) => ContextOffloader) {
    super()
    // In a scope of its own a run may search without a reference, and the model has to know.
    const { retrievalTool } = offloader.options.storage.scope ? offloader.forScope('session') : offloader
    const { name, description, inputSchema } = retrievalTool
    this.name = name
    this.description = description
    this.toolSpec = { name, description, inputSchema: inputSchema as object }
    this.#offloaderOf = offloaderOf
  }

  async *stream(context: ToolContext): ToolStreamGenerator {
    // Tools are generators, and this one has nothing to tell before its answer.
    yield* []
    const { agent, toolUse } = context
    const { input, toolUseId } = toolUse
    // Before 1.14 tools have the agent's signal alone.
    const { cancelSignal: signal = agent.cancelSignal } = context as { readonly cancelSignal?: AbortSignal }
    const { content, isError } = await this.#offloaderOf(context).retrievalTool.execute(input, { signal })
    const status = isError ? 'error' : 'success'
    return new ToolResultBlock({ toolUseId, status, content: content.map((block) => blockToContent(block, toolUseId)) })
  }
}
