export { offloadMiddleware } from './offload-middleware.ts'
export { offloadPrepareStep } from './offload-prepare-step.ts'
export { offloadTools, type OffloadedTools } from './offload-tools.ts'
export { retrievalTool, type RetrievalOutput, type RetrievalToolEntry } from './retrieval-tool.ts'
