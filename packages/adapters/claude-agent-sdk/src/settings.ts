import type { BaseHookInput } from '@anthropic-ai/claude-agent-sdk'
import type { RunOptions } from '@spillway/core/adapter'

/**
 * Settings of {@link offloadOptions} and {@link offloadHooks}. `scope` is told what Claude Code tells every hook, and is by
 * default the id of the session: `({ session_id }) => [session_id]`. `except` names tools as Claude Code does: `Read`,
 * `mcp__github__get_file`.
 */
export type OffloadSettings = RunOptions<BaseHookInput>

/** Name the scope of a session by its id. Sub-agents have that of the session that they work for. */
export function sessionScope({ session_id: sessionId }: BaseHookInput): readonly string[] {
  return [sessionId]
}
