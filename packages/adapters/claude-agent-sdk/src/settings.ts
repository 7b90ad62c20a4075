import type { BaseHookInput } from '@anthropic-ai/claude-agent-sdk'
import type { RunOptions } from '@spillway/core/adapter'

/**
 * Settings of {@link offloadOptions} and {@link offloadHooks}. `scope` gets the input of a hook, and defaults to `({
 * session_id }) => [session_id]`. `except` has Claude Code's names of tools: `Read`, `mcp__github__get_file`.
 */
export type OffloadSettings = RunOptions<BaseHookInput>

/** Sub-agents share the session of their parent. */
export function sessionScope({ session_id: sessionId }: BaseHookInput): readonly string[] {
  return [sessionId]
}
