import type { BaseHookInput } from '@anthropic-ai/claude-agent-sdk'
import type { ContextOffloader } from '@spillway/core'
import { runsOf, type RunOptions, type Runs } from '@spillway/core/adapter'

/** Settings of {@link offloadOptions} and {@link offloadHooks}. The scope defaults to the `session_id` of a hook's input. */
export type OffloadSettings = RunOptions<BaseHookInput>

export type Sessions = Runs<BaseHookInput>

/** Sub-agents have the same session id as their parent. */
export const sessionsOf = (offloader: ContextOffloader, settings: OffloadSettings, usage: string): Sessions =>
  runsOf(offloader, settings, {
    usage,
    read: (input: BaseHookInput) => input,
    scope: ({ session_id: sessionId }) => [sessionId],
  })
