/** Keeps large tool results out of the context of agents built with Anthropic's SDK. */
export { answerToolCalls, type ToolResults } from './answer-tool-calls.ts'
export { endTurns } from './end-turns.ts'
export { offloadTools } from './offload-tools.ts'
export type { ResultPart } from './result-part.ts'
export { retrievalTool, type RetrievalTool } from './retrieval-tool.ts'
