import type { ContextOffloader } from '@spillway/core'
import * as aiSdk from './ai-sdk.ts'
import type { Converse } from './conversation.ts'
import * as genkit from './genkit.ts'
import * as langchain from './langchain.ts'

/** The ways of using an adapter, each over the offloader of one session. */
export const WAYS = {
  'AI SDK `offloadTools`': aiSdk.withOffloadTools,
  'AI SDK `offloadMiddleware`': aiSdk.withMiddleware,
  'LangChain `offloadMiddleware`': langchain.withMiddleware,
  'LangGraph `ToolNode`, `offloadTools`': langchain.withToolNode,
  'deepagents `deepAgentMiddleware`': langchain.withDeepAgent,
  'Genkit `offloadMiddleware`': genkit.withMiddleware,
} satisfies Readonly<Record<string, (session: ContextOffloader) => Converse>>

/** The name of a way. */
export type WayName = keyof typeof WAYS
