/** Reduces long histories without losing content. */
export type {
  ArchivedItem,
  ArchivedKind,
  ArchivedMessages,
  ArchiveReceipt,
  HistoryArchive,
  HistorySnapshot,
  ParsedReplacement,
  ParsedSnapshot,
  NewArchivedItem,
  ReplacedContent,
} from './archive/history-archive.ts'
export { offloaderArchive } from './archive/offloader-archive.ts'
export { compactHistory } from './compact-history.ts'
export { compactorOfRun, type CompactorOfRunOptions, type RunHistoryOptions } from './compactor/compactor-of-run.ts'
export type { HistoryLimits, HistoryMode, HistoryOptions, Summarize, SummaryRequest } from './history-options.ts'
export { expandHistory, type ExpandedHistory, type ExpandOptions, type MissingContent } from './expand-history.ts'
export { aiSdkMessages } from './formats/ai-sdk-messages.ts'
export { anthropicMessages, type AnthropicConversation } from './formats/anthropic-messages.ts'
export { geminiContents, type GeminiConversation } from './formats/gemini-contents.ts'
export { neutralMessages } from './formats/neutral-messages.ts'
export { openAIAgents, openAIResponses } from './formats/openai-responses.ts'
export { openAIChat } from './formats/openai-chat.ts'
export { HistoryCompactor } from './compactor/history-compactor.ts'
export { decodeLossless, encodeLossless, type HistoryFormat } from './history-format.ts'
export type {
  HistoryContent,
  HistoryJson,
  HistoryMedia,
  HistoryMessage,
  HistoryOpaque,
  HistoryPart,
  HistoryReasoning,
  HistoryRole,
  HistoryText,
  HistoryToolCall,
  HistoryToolResult,
  NativeValue,
} from './history-message.ts'
export type {
  ArchivedByHistory,
  HistoryFailure,
  HistoryObstacle,
  HistoryOutcome,
  HistoryReason,
  MessageStatistics,
  SummaryRejection,
} from './history-outcome.ts'
