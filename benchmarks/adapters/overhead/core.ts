import { newOffloader, one, type OverheadCase } from './overhead-case.ts'

/** The call that every adapter makes, compared with a function that returns the result. */
export function directCases(output: string | object): readonly OverheadCase[] {
  const session = newOffloader().forScope('tenant-1', 'session-1')
  const block = typeof output === 'string' ? { type: 'text', text: output } : { type: 'json', value: output }
  const request = { toolName: 'read', toolCallId: 'call_1', content: [block as { type: 'text'; text: string }] }
  return [
    { name: 'core, `session.offload`', plain: one(async () => request), wrapped: one(() => session.offload(request)) },
  ]
}

/** Core has no loop. */
export const loopCases = (): readonly OverheadCase[] => []
