/** The input of a hook `PostToolUse`, as far as it is used: the SDK's `PostToolUseHookInput`. */
export interface PostToolUseInput {
  readonly session_id: string
  readonly transcript_path: string
  readonly tool_name: string
  readonly tool_use_id: string
  readonly tool_input: unknown
  readonly tool_response: unknown
  /** The server of an MCP tool; older versions name it in the tool's name alone. */
  readonly mcp_server?: unknown
}

/** The answer of a hook `PostToolUse`: an output that replaces the tool's, or nothing. */
export interface PostToolUseAnswer {
  hookSpecificOutput?: { hookEventName: 'PostToolUse'; updatedToolOutput: unknown }
}
