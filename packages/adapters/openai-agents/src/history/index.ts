/** Keeps the history of agents built with the OpenAI Agents SDK within a limit. */
export { historyInputFilter, type HistoryFilterOptions } from './history-input-filter.ts'
export { summarizeWith, type SummarizeWithOptions } from './summarize-with.ts'
