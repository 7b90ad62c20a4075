/** Tokens of a result of an MCP tool above which Claude Code takes it away before hooks run; no result has as many. */
const MAX_MCP_OUTPUT_TOKENS = '100000000'

/**
 * Return an environment in which Claude Code leaves large results of MCP tools to hooks, unless it says otherwise.
 *
 * @param env - Of the process that is started; without it, that of this process.
 */
export function liftLimits<Value>(env?: Readonly<Record<string, Value>>): Record<string, Value | string | undefined> {
  return { MAX_MCP_OUTPUT_TOKENS, ...(env ?? process.env) }
}
