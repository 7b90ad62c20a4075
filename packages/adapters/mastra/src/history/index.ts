/** Keeps the history of agents built with Mastra within a limit. */
export { historyProcessor, type HistoryProcessor, type HistoryProcessorOptions } from './history-processor.ts'
export { summarizeWith } from './summarize-with.ts'
