/** Keeps the history of agents built with Google's Agent Development Kit within a limit. */
export { historyPlugin, type HistoryPluginOptions } from './history-plugin.ts'
export { summarizeWith } from './summarize-with.ts'
