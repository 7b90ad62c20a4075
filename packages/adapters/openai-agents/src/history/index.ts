/** Keep the history of agents built with the OpenAI Agents SDK small, before each call of the model. */
export { historyInputFilter, type HistoryFilterOptions } from './history-input-filter.ts'
export { summarizeWith, type SummarizeWithOptions } from './summarize-with.ts'
