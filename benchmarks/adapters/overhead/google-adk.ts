import { BasePlugin, Context, FunctionTool, InvocationContext, LlmAgent, PluginManager } from '@google/adk'
import { offloadPlugin } from '@spillway/google-adk'
import * as models from '../google-adk.ts'
import type { Subject } from '../subject.ts'
import { loop, newOffloader, one, script, type OverheadCase } from './overhead-case.ts'

class IdlePlugin extends BasePlugin {}

/** Cases that call the hook directly like the loop of ADK, compared with the empty hook of a plugin. */
export function directCases(output: string | object): readonly OverheadCase[] {
  const tool = new FunctionTool({ name: 'read', description: 'Read.', execute: async () => output })
  const invocationContext = new InvocationContext({
    invocationId: 'e-1',
    session: { id: 'session-1', appName: 'app', userId: 'user-1', state: {}, events: [], lastUpdateTime: 0 },
    agent: new LlmAgent({ name: 'agent' }),
    pluginManager: new PluginManager(),
  })
  const toolContext = new Context({ invocationContext, functionCallId: 'call_1' })
  // In spite of the types, ADK passes on any value that the tool returned.
  const call = { tool, toolArgs: { path: 'a' }, toolContext, result: output as Record<string, unknown> }
  const idle = new IdlePlugin('idle')
  const plugin = offloadPlugin(newOffloader())
  return [
    {
      name: 'Google ADK `afterToolCallback`',
      plain: one(() => idle.afterToolCallback(call)),
      wrapped: one(() => plugin.afterToolCallback(call)),
    },
  ]
}

/** Cases of whole runs that begin with `history` messages. */
export function loopCases(history: number, output: string): readonly OverheadCase[] {
  const read = new FunctionTool({ name: 'read', description: 'Read.', execute: async () => output })
  const past = models.pastEvents(history, output)
  const run = (plugins: BasePlugin[]): Subject =>
    loop(() => {
      const model = new models.ScriptedLlm(script, () => undefined)
      return models.runAgent(model, read, plugins, 'Go on.', past)
    })
  const wrapped = run([offloadPlugin(newOffloader())])
  return [{ name: 'Google ADK `offloadPlugin`', plain: run([]), wrapped }]
}
