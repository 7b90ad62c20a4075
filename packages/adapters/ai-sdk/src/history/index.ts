/** Keeps the history of AI SDK agents within a limit. */
export {
  historyPrepareStep,
  type HistoryStep,
  type HistoryStepOptions,
  type HistoryStepResult,
  type SystemPrompt,
} from './history-prepare-step.ts'
export { summarizeWith, type SummarizeWithOptions } from './summarize-with.ts'
