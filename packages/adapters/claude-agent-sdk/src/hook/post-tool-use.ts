/** The input of a hook `PostToolUse`: some fields of the SDK's `PostToolUseHookInput`. */
export interface PostToolUseInput {
  readonly session_id: string
  readonly transcript_path: string
  readonly tool_name: string
  readonly tool_use_id: string
  readonly tool_input: unknown
  readonly tool_response: unknown
  /** The server of an MCP tool. Older versions omit it. */
  readonly mcp_server?: unknown
}

/** The answer of a hook `PostToolUse`. */
export interface PostToolUseAnswer {
  hookSpecificOutput?: { hookEventName: 'PostToolUse'; updatedToolOutput: unknown }
}
