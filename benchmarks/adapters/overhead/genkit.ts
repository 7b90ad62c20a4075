import { offloadMiddleware } from '@spillway/genkit'
import {
  generateMiddleware,
  genkit,
  z,
  type GenerateMiddlewareDef,
  type MessageData,
  type MiddlewareRef,
  type ToolResponsePart,
} from 'genkit'
import * as models from '../genkit.ts'
import type { Subject } from '../subject.ts'
import { loop, newOffloader, one, script, STEPS, type OverheadCase } from './overhead-case.ts'

/** Cases that call the adapter directly like Genkit, compared with the calls without the adapter. */
export function directCases(output: string | object): readonly OverheadCase[] {
  const ai = genkit({})
  const part: ToolResponsePart = { toolResponse: { name: 'read', ref: 'call_1', output } }
  const next = async (): Promise<ToolResponsePart> => part
  const request = { toolRequest: { name: 'read', ref: 'call_1', input: {} } }
  const offload = offloadMiddleware(newOffloader())
  const { tool } = offload.instantiate({ ai, config: { scope: ['session-1'] }, pluginConfig: undefined })
  return [{ name: 'Genkit `tool` hook', plain: one(next), wrapped: one(() => tool?.(request, {}, next)) }]
}

/** Cases of whole runs that begin with `history` messages. */
export function loopCases(history: number, output: string): readonly OverheadCase[] {
  const ai = genkit({})
  const model = models.scriptedModel(ai, script, () => undefined)
  const config = { name: 'read', description: 'Read.', inputSchema: z.object({ path: z.string() }) }
  const read = ai.defineTool(config, async () => output)
  const messages = historyOf(history, output)
  const maxTurns = STEPS + 1
  const agent = (...use: readonly MiddlewareRef[]): Subject =>
    loop(() => ai.generate({ model, tools: [read], messages, use: [...use], maxTurns }))
  // A middleware without any effect shows the cost of middleware in the framework.
  const hooks: GenerateMiddlewareDef = {
    generate: (turn, context, next) => next(turn, context),
    model: (request, context, next) => next(request, context),
    tool: (request, context, next) => next(request, context),
  }
  const idle = generateMiddleware({ name: 'idle' }, () => hooks)
  const plain = agent()
  return [
    { name: 'Genkit, an idle middleware', plain, wrapped: agent(idle()) },
    { name: 'Genkit `offloadMiddleware`', plain, wrapped: agent(offloadMiddleware(newOffloader())()) },
  ]
}

/** Return pairs of a call and its result after one question. */
function historyOf(length: number, output: string): MessageData[] {
  const messages: MessageData[] = [{ role: 'user', content: [{ text: 'Read the files.' }] }]
  for (let index = 0; messages.length < length; index += 1) {
    const call = { name: 'read', ref: `past_${index}` }
    messages.push(
      { role: 'model', content: [{ toolRequest: { ...call, input: { path: 'a' } } }] },
      { role: 'tool', content: [{ toolResponse: { ...call, output } }] },
    )
  }
  return messages
}
