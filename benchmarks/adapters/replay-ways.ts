import type { ContextOffloader } from '@spillway/core'
import * as aiSdk from './ai-sdk.ts'
import type { Converse } from './conversation.ts'
import * as langchain from './langchain.ts'
import * as mastra from './mastra.ts'

/** The ways of using an adapter, each over the offloader of one session. */
export const WAYS = {
  'AI SDK `offloadTools`': aiSdk.withOffloadTools,
  'AI SDK `offloadMiddleware`': aiSdk.withMiddleware,
  'LangChain `offloadMiddleware`': langchain.withMiddleware,
  'LangGraph `ToolNode`, `offloadTools`': langchain.withToolNode,
  'deepagents `deepAgentMiddleware`': langchain.withDeepAgent,
  'Mastra `offloadProcessor`': mastra.withProcessor,
  'Mastra `offloadProcessor`, also for output': mastra.withBothProcessors,
} satisfies Readonly<Record<string, (session: ContextOffloader) => Converse>>

/** The name of a way. */
export type WayName = keyof typeof WAYS
