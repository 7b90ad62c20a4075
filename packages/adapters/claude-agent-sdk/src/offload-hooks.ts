import type { HookCallback, HookCallbackMatcher, HookEvent, HookInput } from '@anthropic-ai/claude-agent-sdk'
import type { ContextOffloader } from '@spillway/core'
import { resolvedInput } from '@spillway/core/adapter'
import { offloadToolOutput } from './hook/offload-tool-output.ts'
import { sessionOfCall, type SessionOfCall } from './session-of-call.ts'
import { sessionsOf, type OffloadSettings, type Sessions } from './settings.ts'

/** Hooks for the option `hooks` of a query. */
export type OffloadHooks = Record<
  Extract<HookEvent, 'PreToolUse' | 'PostToolUse' | 'PostToolBatch' | 'Stop' | 'SubagentStop'>,
  HookCallbackMatcher[]
>

/** Longer than the SDK's default of one minute, because storage may be slow. */
const TIMEOUT_SECONDS = 600

/**
 * Make the hooks of a query that offload large output and end a turn with each model call.
 *
 * {@link offloadOptions} adds them. If you also have hooks for an event, write `[...yours.PostToolUse,
 * ...ours.PostToolUse]`.
 *
 * @throws TypeError for an invalid offloader or setting.
 *
 * @example
 * ```ts
 * import { offloadHooks } from '@spillway/claude-agent-sdk'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const hooks = offloadHooks(offloader, { scope: ({ session_id }) => ['tenant-1', session_id] })
 * console.assert(hooks.PostToolUse.length === 1)
 * ```
 */
export function offloadHooks(offloader: ContextOffloader, settings: OffloadSettings = {}): OffloadHooks {
  const sessions = sessionsOf(offloader, settings, 'offloadHooks(offloader, settings)')
  return hooksOf(sessions, sessionOfCall(offloader))
}

export function hooksOf({ offloaderOf }: Sessions, calls: SessionOfCall): OffloadHooks {
  const on = (callback: (input: HookInput, signal: AbortSignal) => ReturnType<HookCallback>): HookCallbackMatcher[] => [
    { timeout: TIMEOUT_SECONDS, hooks: [(input, _toolUseId, { signal }) => callback(input, signal)] },
  ]
  const endTurn = on(async (input) => {
    await offloaderOf(input).endTurn()
    return {}
  })
  return {
    PreToolUse: on(async (input, signal) => {
      if (input.hook_event_name !== 'PreToolUse') return {}
      calls.announce(input)
      const { hook_event_name: hookEventName, tool_name: toolName, tool_use_id: toolCallId, tool_input: given } = input
      const resolved = await resolvedInput(offloaderOf(input), { toolName, toolCallId, input: given, signal })
      if (resolved.error !== undefined)
        return {
          hookSpecificOutput: { hookEventName, permissionDecision: 'deny', permissionDecisionReason: resolved.error },
        }
      if (resolved.input === given) return {}
      return { hookSpecificOutput: { hookEventName, updatedInput: resolved.input as Record<string, unknown> } }
    }),
    PostToolUse: on(async (input, signal) => {
      if (input.hook_event_name !== 'PostToolUse') return {}
      return offloadToolOutput(offloaderOf(input), input, { signal })
    }),
    // A model call ends with the results of all its tool calls, or with the run.
    PostToolBatch: endTurn,
    Stop: endTurn,
    SubagentStop: endTurn,
  }
}
