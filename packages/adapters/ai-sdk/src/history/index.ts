/** Keep the history of agents built with the AI SDK small, before each call of the model. */
export {
  historyPrepareStep,
  type HistoryStep,
  type HistoryStepOptions,
  type HistoryStepResult,
} from './history-prepare-step.ts'
export type { SystemPrompt } from './step-prompt.ts'
export { summarizeWith, type SummarizeWithOptions } from './summarize-with.ts'
