import { defineToolOutputGuardrail, ToolGuardrailFunctionOutputFactory } from '@openai/agents'
import type { ToolOutputGuardrailDefinition } from '@openai/agents'
import type { ContextOffloader } from '@spillway/core'
import { offloadParts } from '@spillway/core/adapter'
import { isForProgram } from './is-for-program.ts'
import { parseJson } from './parse-json.ts'
import { readOutput } from './read-output.ts'
import { findRun, scopedOffloader, type OffloadOptions } from './run-scope.ts'

/** Make the guardrail that puts a preview and a reference in the place of a large text or value. */
export function offloadGuardrail(offloader: ContextOffloader, options: OffloadOptions): ToolOutputGuardrailDefinition {
  const offloaderOf = scopedOffloader(offloader, options, 'offloadTools(tools, offloader, options)')
  const { allow, rejectContent } = ToolGuardrailFunctionOutputFactory
  return defineToolOutputGuardrail({
    name: 'spillway_offload',
    run: async ({ context, agent: { toolUseBehavior: use }, toolCall, output }) => {
      const { name: toolName, callId: toolCallId } = toolCall
      // What ends the run is for the program, not for the model.
      const isFinal = typeof use === 'object' ? use.stopAtToolNames.includes(toolName) : use === 'stop_on_first_tool'
      const read = isFinal || isForProgram(toolCall) ? undefined : readOutput(output)
      if (read === undefined) return allow()
      const run = findRun(context)
      const call = { toolName, toolCallId, input: parseJson(toolCall.arguments), signal: run.signal }
      const result = { parts: [read.text], toBlock: () => read.block, fromText: (text: string) => text }
      const outcome = await offloadParts(offloaderOf(run), { ...call, ...result })
      const text = outcome.status === 'inline' ? read.text : outcome.parts[0]
      // It will come by in the input of the model, in one of these forms.
      run.outputs?.add(toolCallId, { type: 'text', text })
      run.outputs?.add(toolCallId, [{ type: 'input_text', text }])
      return outcome.status === 'inline' ? allow() : rejectContent(text)
    },
  })
}
