import { offloadMiddleware, offloadPrepareStep, offloadTools, retrievalTool } from '@spillway/ai-sdk'
import { RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { generateText, isStepCount, tool, wrapLanguageModel, type ModelMessage } from 'ai'
import type { MockLanguageModelV4 } from 'ai/test'
import { z } from 'zod'
import * as models from '../ai-sdk.ts'
import { loop, newOffloader, one, script, STEPS, type OverheadCase } from './overhead-case.ts'

/** Cases that call the adapter directly like the SDK, compared with the calls without the adapter. */
export function directCases(output: string | object): readonly OverheadCase[] {
  const own = tool({
    inputSchema: z.object({}),
    execute: async () => output,
    toModelOutput: async ({ output: value }) =>
      typeof value === 'string' ? { type: 'text', value } : { type: 'json', value: value as never },
  })
  const { own: ours } = offloadTools({ own }, newOffloader().forScope('session-1'))
  const call = { toolCallId: 'call_1', input: {}, output }
  const options = { toolCallId: 'call_1', messages: [], context: {} }
  return [
    {
      name: 'AI SDK `toModelOutput`',
      plain: one(() => own.toModelOutput?.(call)),
      wrapped: one(() => ours.toModelOutput?.(call)),
    },
    {
      name: 'AI SDK `execute`',
      plain: one(() => own.execute?.({}, options)),
      wrapped: one(() => ours.execute?.({}, options)),
    },
  ]
}

/** Cases of whole runs that begin with `history` messages. */
export function loopCases(history: number, output: string): readonly OverheadCase[] {
  const session = newOffloader().forScope('session-1')
  const read = tool({ inputSchema: z.object({ path: z.string() }), execute: async () => output })
  const messages = historyOf(history, output)
  const stopWhen = isStepCount(STEPS + 1)
  const newModel = (): MockLanguageModelV4 => models.scriptedModel(script, () => undefined)
  const plain = loop(() => generateText({ model: newModel(), tools: { read }, messages, stopWhen }))

  const tools = offloadTools({ read }, session)
  const prepareStep = offloadPrepareStep(session)
  const withRetrieval = { read, [RETRIEVAL_TOOL_NAME]: retrievalTool(session) }
  const middleware = offloadMiddleware(session)
  const wrapped = (): ReturnType<typeof wrapLanguageModel> => wrapLanguageModel({ model: newModel(), middleware })
  return [
    {
      name: 'AI SDK `offloadTools`',
      plain,
      wrapped: loop(() => generateText({ model: newModel(), tools, messages, stopWhen, prepareStep })),
    },
    {
      name: 'AI SDK `offloadMiddleware`',
      plain,
      wrapped: loop(() => generateText({ model: wrapped(), tools: withRetrieval, messages, stopWhen })),
    },
  ]
}

/** Return pairs of a call and its result after one question. */
export function historyOf(length: number, output: string): ModelMessage[] {
  const messages: ModelMessage[] = [{ role: 'user', content: 'Read the files.' }]
  for (let index = 0; messages.length < length; index += 1) {
    const call = { toolCallId: `past_${index}`, toolName: 'read' }
    messages.push(
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { path: 'a' } }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: output } }] },
    )
  }
  return messages
}
