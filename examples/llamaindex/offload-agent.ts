import { FunctionAgent, type AgentToolCallResult, type FunctionAgentParams } from '@llamaindex/workflow'
import type { ContextOffloader } from '@spillway/core'
import { assertNoReferences } from '@spillway/core/adapter'
import { offloadOutput } from './offload-output.ts'
import { retrievalTool } from './retrieval-tool.ts'

/** A `FunctionAgent` whose model gets previews and references instead of large results. Create one per conversation. */
export class OffloadAgent extends FunctionAgent {
  readonly #session: ContextOffloader

  constructor(session: ContextOffloader, { tools = [], ...params }: FunctionAgentParams) {
    assertNoReferences(session, 'OffloadAgent')
    const added = session.options.includeRetrievalTool ? [retrievalTool(session)] : []
    super({ ...params, tools: [...tools, ...added] })
    this.#session = session
  }

  override async takeStep(...step: Parameters<FunctionAgent['takeStep']>): ReturnType<FunctionAgent['takeStep']> {
    const output = await super.takeStep(...step)
    await this.#session.endTurn()
    return output
  }

  override async handleToolCallResults(
    ...[state, results]: Parameters<FunctionAgent['handleToolCallResults']>
  ): Promise<void> {
    await super.handleToolCallResults(state, await Promise.all(results.map((result) => this.#shown(result))))
  }

  /** Return the result for the prompt. The events of the program keep the original result. */
  async #shown(result: AgentToolCallResult): Promise<AgentToolCallResult> {
    const { toolName, toolId, toolKwargs, toolOutput, raw } = result
    const value = toolOutput.isError ? { error: toolOutput.result } : raw
    const text =
      toolName === this.#session.retrievalTool.name
        ? raw
        : await offloadOutput(this.#session, { toolName, toolCallId: toolId, input: toolKwargs, value })
    return typeof text === 'string' ? { ...result, toolOutput: { ...toolOutput, result: text } } : result
  }
}
