/** The behavioral test suite of adapters. It depends on no framework. */
export type { AdapterCase } from './adapter-case.ts'
export { ADAPTER_CASES } from './cases/index.ts'
export type {
  AdapterHarness,
  CaseCompaction,
  CaseOutput,
  CaseTool,
  Conversation,
  ConversationResult,
  ModelTurn,
  SeenPrompt,
  SeenResult,
  ToolBehaviour,
  ToolCall,
  ToolCallContext,
} from './harness.ts'
