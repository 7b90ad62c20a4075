import type Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { offloadTools } from '@spillway/anthropic'
import type { ContextOffloader } from '@spillway/core'
import * as models from '../anthropic.ts'
import type { Subject } from '../subject.ts'
import { loop, newOffloader, one, script, type OverheadCase } from './overhead-case.ts'

const READ = {
  name: 'read',
  description: 'Read.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
} as const

/** Cases that call the wrapped tool directly like the tool runner, compared with the tool itself. */
export function directCases(output: string | object): readonly OverheadCase[] {
  const content = typeof output === 'string' ? output : JSON.stringify(output)
  const tool = betaTool({ ...READ, run: async () => content })
  const [wrapped] = offloadTools([tool], newOffloader().forScope('session-1'))
  const toolUse = { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a' } } as const
  const context = { toolUse, toolUseBlock: toolUse }
  return [
    {
      name: 'Anthropic tool `run`',
      plain: one(() => tool.run({ path: 'a' }, context)),
      wrapped: one(() => wrapped.run({ path: 'a' }, context)),
    },
  ]
}

/** Cases of whole runs that begin with `history` messages. */
export function loopCases(history: number, output: string): readonly OverheadCase[] {
  const session = newOffloader().forScope('session-1')
  const read = betaTool({ ...READ, run: async () => output })
  const messages = historyOf(history, output)
  const runner = (offloader: ContextOffloader | undefined): Subject =>
    loop(() => {
      const client = models.scriptedClient(script, () => undefined)
      return models.runTools(client, messages, [read], offloader)
    })
  return [{ name: 'Anthropic `offloadTools`', plain: runner(undefined), wrapped: runner(session) }]
}

/** Return pairs of a call and its result after one question. */
function historyOf(length: number, output: string): Anthropic.Beta.BetaMessageParam[] {
  const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: 'user', content: 'Read the files.' }]
  for (let index = 0; messages.length < length; index += 1) {
    const id = `past_${index}`
    messages.push(
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input: { path: 'a' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: output }] },
    )
  }
  return messages
}
