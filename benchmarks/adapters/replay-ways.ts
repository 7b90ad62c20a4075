import type { ContextOffloader } from '@spillway/core'
import * as aiSdk from './ai-sdk.ts'
import * as anthropic from './anthropic.ts'
import * as claudeAgentSdk from './claude-agent-sdk.ts'
import type { Converse } from './conversation.ts'
import * as googleAdk from './google-adk.ts'
import * as genkit from './genkit.ts'
import * as langchain from './langchain.ts'
import * as mastra from './mastra.ts'
import * as llamaindex from './llamaindex.ts'
import * as strands from './strands.ts'
import * as openaiAgents from './openai-agents.ts'
import * as voltagent from './voltagent.ts'

/** Ways of using an adapter. Each way gets the offloader of one session. */
export const WAYS = {
  'AI SDK `offloadTools`': aiSdk.withOffloadTools,
  'AI SDK `offloadMiddleware`': aiSdk.withMiddleware,
  'LangChain `offloadMiddleware`': langchain.withMiddleware,
  'LangGraph `ToolNode`, `offloadTools`': langchain.withToolNode,
  'deepagents `deepAgentMiddleware`': langchain.withDeepAgent,
  'Mastra `offloadProcessor`': mastra.withProcessor,
  'Mastra `offloadProcessor`, also for output': mastra.withBothProcessors,
  'Google ADK `offloadPlugin`': googleAdk.withPlugin,
  'Anthropic `offloadTools`': anthropic.withOffloadTools,
  'Anthropic `answerToolCalls`': anthropic.withAnswerToolCalls,
  'Claude Agent SDK `offloadOptions`': claudeAgentSdk.withOptions,
  'Strands `offloadPlugin`': strands.withPlugin,
  'OpenAI Agents SDK `offloadTools`': openaiAgents.withOffloadTools,
  'OpenAI Agents SDK `offloadRunner` alone': openaiAgents.withOffloadRunner,
  'Genkit `offloadMiddleware`': genkit.withMiddleware,
  'VoltAgent `offloadTools`': voltagent.withOffloadTools,
  'LlamaIndex `OffloadAgent`': llamaindex.withAgent,
  'LlamaIndex `offloadTools`': llamaindex.withTools,
} satisfies Readonly<Record<string, (session: ContextOffloader) => Converse>>

/** The name of a way. */
export type WayName = keyof typeof WAYS
