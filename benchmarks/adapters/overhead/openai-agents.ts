import {
  Agent,
  RunContext,
  Runner,
  tool,
  type AgentInputItem,
  type CallModelInputFilter,
  type FunctionCallItem,
  type Tool,
} from '@openai/agents'
import { offloadRunner, offloadTools, retrievalTool } from '@spillway/openai-agents'
import { z } from 'zod'
import * as models from '../openai-agents.ts'
import type { Subject } from '../subject.ts'
import { loop, newOffloader, one, script, STEPS, type OverheadCase } from './overhead-case.ts'

/** Cases that call the adapter directly like the SDK, compared with the calls without the adapter. */
export function directCases(output: string | object): readonly OverheadCase[] {
  const read = tool({ name: 'read', description: 'Read.', parameters: z.object({}), execute: async () => output })
  const [guarded] = offloadTools([read], newOffloader())
  const toolCall: FunctionCallItem = { type: 'function_call', callId: 'call_1', name: 'read', arguments: '{}' }
  const about = { context: new RunContext(), agent: new Agent({ name: 'Reader' }), toolCall, output }
  return [
    {
      name: 'OpenAI Agents SDK guardrail',
      plain: one(async () => ({ behavior: { type: 'allow' } })),
      wrapped: one(() => guarded.outputGuardrails?.[0]?.run(about)),
    },
  ]
}

/** Cases of whole runs that begin with `history` messages. */
export function loopCases(history: number, output: string): readonly OverheadCase[] {
  const read = tool({
    name: 'read',
    description: 'Read.',
    parameters: z.object({ path: z.string() }),
    execute: async () => output,
  })
  const input = historyOf(history, output)
  const runs = (runner: Pick<Runner, 'run'>, tools: Tool[]): Subject =>
    loop(() => {
      const model = models.scriptedModel(script, () => undefined)
      return runner.run(new Agent({ name: 'Reader', model, tools }), input, { maxTurns: STEPS + 1 })
    })
  const plain = runs(new Runner(), [read])
  // A filter without any effect shows the cost of filters in the SDK.
  const idle: CallModelInputFilter = ({ modelData }) => modelData
  const offloader = newOffloader()
  const runner = offloadRunner(new Runner(), offloader)
  const retrieval = retrievalTool(offloader)
  return [
    {
      name: 'OpenAI Agents SDK, an idle filter',
      plain,
      wrapped: runs(new Runner({ callModelInputFilter: idle }), [read, retrieval]),
    },
    { name: 'OpenAI Agents SDK `offloadTools`', plain, wrapped: runs(runner, offloadTools([read], offloader)) },
    { name: 'OpenAI Agents SDK `offloadRunner` alone', plain, wrapped: runs(runner, [read, retrieval]) },
  ]
}

/** Return pairs of a call and its result after one question. */
function historyOf(length: number, output: string): AgentInputItem[] {
  const items: AgentInputItem[] = [{ role: 'user', content: 'Read the files.' }]
  for (let index = 0; items.length < length; index += 1) {
    const call = { name: 'read', callId: `past_${index}`, status: 'completed' } as const
    items.push(
      { type: 'function_call', ...call, arguments: '{"path":"a"}' },
      { type: 'function_call_result', ...call, output: { type: 'text', text: output } },
    )
  }
  return items
}
