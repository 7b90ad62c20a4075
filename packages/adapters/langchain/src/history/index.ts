/** Keep the history of agents built with LangChain, LangGraph or deepagents within a limit. */
export { historyMiddleware } from './history-middleware.ts'
export type { HistoryMiddlewareOptions } from './history-options.ts'
export { langchainMessages } from './langchain-messages.ts'
export { summarizeWith } from './summarize-with.ts'
