import type { BaseHookInput } from '@anthropic-ai/claude-agent-sdk'
import type { ContextOffloader } from '@spillway/core'
import { runsOf, type RunOptions, type Runs } from '@spillway/core/adapter'

/**
 * Settings of {@link offloadOptions} and {@link offloadHooks}. `scope` gets a hook's input, and defaults to its
 * `session_id`. `except` has Claude Code's names of tools: `Read`, `mcp__github__get_file`.
 */
export type OffloadSettings = RunOptions<BaseHookInput>

export type Sessions = Runs<BaseHookInput>

/** Sub-agents share the session of their parent. */
export const sessionsOf = (offloader: ContextOffloader, settings: OffloadSettings, usage: string): Sessions =>
  runsOf(offloader, settings, {
    usage,
    read: (input: BaseHookInput) => input,
    scope: ({ session_id: sessionId }) => [sessionId],
  })
