import type { ToolCallLLM } from '@llamaindex/core/llms'
import { createMemory } from '@llamaindex/core/memory'
import { tool } from '@llamaindex/core/tools'
import { stringifyJSONToMessageContent } from '@llamaindex/core/utils'
import { FunctionAgent, multiAgent, type AgentToolCallResult, type AgentWorkflowState } from '@llamaindex/workflow'
import { OffloadAgent } from '../../../examples/llamaindex/offload-agent.ts'
import { offloadTools } from '../../../examples/llamaindex/offload-tools.ts'
import type { Message } from '../../../examples/llamaindex/scripted-llm.ts'
import * as models from '../llamaindex.ts'
import type { Subject } from '../subject.ts'
import { loop, newOffloader, one, script, type OverheadCase } from './overhead-case.ts'

const READ = { name: 'read', description: 'Read.', parameters: { type: 'object' } }

/** Cases that call the adapter directly like a workflow, compared with the calls without the adapter. */
export function directCases(output: string | object): readonly OverheadCase[] {
  const raw = output as string
  const llm = models.scriptedModel(script, () => undefined)
  const [plain, wrapped] = [new FunctionAgent({ llm }), new OffloadAgent(newOffloader().forScope('session-1'), { llm })]
  const result: AgentToolCallResult = {
    toolName: 'read',
    toolKwargs: { path: 'a' },
    toolId: 'call_1',
    toolOutput: { id: 'call_1', result: stringifyJSONToMessageContent(raw), isError: false },
    returnDirect: false,
    raw,
  }
  const handle = (agent: FunctionAgent): Subject => one(() => agent.handleToolCallResults(stateOf([]), [result]))
  const read = tool(async () => raw, READ)
  const [offloading] = offloadTools([read], newOffloader().forScope('session-1'))
  return [
    { name: 'LlamaIndex `handleToolCallResults`', plain: handle(plain), wrapped: handle(wrapped) },
    {
      name: 'LlamaIndex tool `call`',
      plain: one(() => read.call({ path: 'a' })),
      wrapped: one(() => offloading?.call({ path: 'a' })),
    },
  ]
}

/**
 * Cases of whole runs that begin with `history` messages.
 *
 * The history is not in the memory: for each model call, LlamaIndex counts the tokens of all messages there.
 */
export function loopCases(history: number, output: string): readonly OverheadCase[] {
  const tools = [tool(async () => output, READ)]
  const past = historyOf(history, output)
  const run = (agentOf: (llm: ToolCallLLM) => FunctionAgent): Subject =>
    loop(() => {
      const agent = agentOf(models.scriptedModel(script, () => undefined))
      return multiAgent({ agents: [agent], rootAgent: agent }).run('Go on.', { state: stateOf(past) })
    })
  const session = newOffloader().forScope('session-1')
  const plain = run((llm) => new FunctionAgent({ llm, tools }))
  return [
    { name: 'LlamaIndex `OffloadAgent`', plain, wrapped: run((llm) => new OffloadAgent(session, { llm, tools })) },
  ]
}

function stateOf(past: readonly Message[]): AgentWorkflowState {
  return { memory: createMemory(), scratchpad: [...past], agents: ['Agent'], currentAgentName: 'Agent' }
}

/** Return pairs of a call and its result after one question. */
function historyOf(length: number, output: string): Message[] {
  const messages: Message[] = [{ role: 'user', content: 'Read the files.' }]
  for (let index = 0; messages.length < length; index += 1) {
    const id = `past_${index}`
    messages.push(
      { role: 'assistant', content: '', options: { toolCall: [{ id, name: 'read', input: { path: 'a' } }] } },
      { role: 'user', content: output, options: { toolResult: { id, result: output, isError: false } } },
    )
  }
  return messages
}
