/** Keeps the history of agents built with Genkit within a limit. */
export { genkitMessages } from './genkit-messages.ts'
export { historyMiddleware, type HistoryMiddleware, type HistoryMiddlewareOptions } from './history-middleware.ts'
export { summarizeWith, type SummarizeWithOptions } from './summarize-with.ts'
