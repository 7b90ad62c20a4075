/** The hook of Claude Code for a command of its own. It does not need the Claude Agent SDK. */
export { offloadToolOutput } from './offload-tool-output.ts'
export type { PostToolUseAnswer, PostToolUseInput } from './post-tool-use.ts'
export { offloadedTools } from './tool-output.ts'
