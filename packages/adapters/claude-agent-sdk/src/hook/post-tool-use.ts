/** What Claude Code tells a hook `PostToolUse`, as far as it is needed here: what the SDK calls `PostToolUseHookInput`. */
export interface PostToolUseInput {
  readonly session_id: string
  readonly transcript_path: string
  readonly tool_name: string
  readonly tool_use_id: string
  readonly tool_input: unknown
  readonly tool_response: unknown
  /** The server of an MCP tool; older versions tell it by the name of the tool alone. */
  readonly mcp_server?: unknown
}

/** What a hook `PostToolUse` answers: an output in the place of the tool's, or nothing. */
export interface PostToolUseAnswer {
  hookSpecificOutput?: { hookEventName: 'PostToolUse'; updatedToolOutput: unknown }
}
