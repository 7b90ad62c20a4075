/** Claude Code's hook, as a separate command. It does not need the Claude Agent SDK. */
export { offloadToolOutput } from './offload-tool-output.ts'
export type { PostToolUseAnswer, PostToolUseInput } from './post-tool-use.ts'
export { offloadedTools } from './tool-output.ts'
