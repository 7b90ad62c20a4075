/** Keeps the history of agents built with Anthropic's SDK within a limit. */
export { historyParams, type HistoryParams, type HistoryRequest } from './history-params.ts'
export { historyRunner } from './history-runner.ts'
export type { HistorySession, SessionHistoryOptions } from './history-params.ts'
export { summarizeWith, type SummarizeWithOptions } from './summarize-with.ts'
