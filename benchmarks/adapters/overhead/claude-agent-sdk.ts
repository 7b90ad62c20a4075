import { optionsOf, runHooks } from '../claude-agent-sdk.ts'
import { newOffloader, one, type OverheadCase } from './overhead-case.ts'

/** A case that calls the hook `PostToolUse` like the SDK. Without a hook, the SDK would call nothing. */
export function directCases(output: string | object): readonly OverheadCase[] {
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  const options = optionsOf(newOffloader().forScope('session-1'))
  const call = {
    tool_name: 'Bash',
    tool_use_id: 'call_1',
    tool_input: { command: 'cat a' },
    tool_response: { stdout: text, stderr: '', interrupted: false },
  }
  return [
    {
      name: 'Claude Agent SDK hook',
      plain: one(async () => call.tool_response),
      wrapped: one(() => runHooks(options, 'PostToolUse', call)),
    },
  ]
}

/** A whole run starts a process, which takes half a second, so the cost of the hook would not be visible. */
export function loopCases(): readonly OverheadCase[] {
  return []
}
