import type { BaseToolWithCall } from '@llamaindex/core/llms'
import type { ContextOffloader } from '@spillway/core'
import { assertNoReferences, offloadThrown } from '@spillway/core/adapter'
import { offloadOutput } from './offload-output.ts'
import { retrievalTool } from './retrieval-tool.ts'

/** Wrap tools, so that every caller gets previews and references instead of large results. */
export function offloadTools(tools: readonly BaseToolWithCall[], session: ContextOffloader): BaseToolWithCall[] {
  assertNoReferences(session, 'This function')
  const wrapped = tools.map((tool): BaseToolWithCall => {
    const { metadata } = tool
    return {
      metadata,
      async call(input: unknown) {
        // LlamaIndex passes no call id to a tool. Equal content has the same reference, other content a different reference.
        const call = { toolName: metadata.name, toolCallId: metadata.name, input }
        try {
          const output = await tool.call(input)
          return (await offloadOutput(session, { ...call, value: output })) ?? output
        } catch (error) {
          throw await offloadThrown(session, { ...call, thrown: error })
        }
      },
    }
  })
  return [...wrapped, ...(session.options.includeRetrievalTool ? [retrievalTool(session)] : [])]
}
