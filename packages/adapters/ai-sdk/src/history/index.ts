/** Keep the history of agents built with the AI SDK small, before each call of the model. */
export {
  historyPrepareStep,
  type HistoryStep,
  type HistoryStepOptions,
  type HistoryStepResult,
  type SystemPrompt,
} from './history-prepare-step.ts'
export { summarizeWith, type SummarizeWithOptions } from './summarize-with.ts'
