/** What a hook of Claude Code needs that is a command of its own: no part of it needs the Claude Agent SDK. */
export { offloadToolOutput } from './offload-tool-output.ts'
export type { PostToolUseAnswer, PostToolUseInput } from './post-tool-use.ts'
export { offloadedTools } from './tool-output.ts'
