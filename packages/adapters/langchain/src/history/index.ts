/** Keeps the history of agents built with LangChain, LangGraph or deepagents within a limit. */
export { historyMiddleware, type HistoryMiddlewareOptions } from './history-middleware.ts'
export { langchainMessages } from './langchain-messages.ts'
export { summarizeWith } from './summarize-with.ts'
