import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import * as aiSdk from './ai-sdk.ts'
import * as anthropic from './anthropic.ts'
import * as claudeAgentSdk from './claude-agent-sdk.ts'
import { readAgain, readOnce, retrieve, useFiles, type Converse, type Script, type SeenPrompt } from './conversation.ts'
import * as googleAdk from './google-adk.ts'
import * as genkit from './genkit.ts'
import * as langchain from './langchain.ts'
import * as mastra from './mastra.ts'
import * as llamaindex from './llamaindex.ts'
import * as strands from './strands.ts'
import * as openaiAgents from './openai-agents.ts'
import * as voltagent from './voltagent.ts'

/** One way of running the conversation, and its cost in tokens of o200k. */
export interface TokenRow {
  readonly framework: string
  readonly way: string
  /** Whether Spillway is used. */
  readonly isOurs: boolean
  /** Tokens of the first appearance of each tool result: of the log, and of the answers to two questions. */
  readonly results: readonly number[]
  /** Tokens of the last prompt. */
  readonly lastPrompt: number
  /** Tokens of all prompts together, which is the cost without a prompt cache. */
  readonly allPrompts: number
}

type Way = readonly [framework: string, way: string, converse: (session: ContextOffloader) => Converse, Script]

const WAYS: readonly Way[] = [
  ['AI SDK', 'alone', () => aiSdk.plain, readOnce],
  ['AI SDK', '`pruneMessages`, reads again', () => aiSdk.withPruneMessages, readAgain],
  ['AI SDK', '**`offloadTools`**', aiSdk.withOffloadTools, retrieve],
  ['AI SDK', '**`offloadMiddleware`**', aiSdk.withMiddleware, retrieve],
  ['LangChain', 'alone', () => langchain.plain, readOnce],
  ['LangChain', '`ClearToolUsesEdit`, reads again', () => langchain.withClearToolUses, readAgain],
  ['LangChain', '**`offloadMiddleware`**', langchain.withMiddleware, retrieve],
  ['LangGraph', '`ToolNode` alone', () => langchain.withToolNode(undefined), readOnce],
  ['LangGraph', '`ToolNode`, **`offloadTools`**', langchain.withToolNode, retrieve],
  ['deepagents', 'alone: a file, `grep`, `read_file`', () => langchain.deepAgent, useFiles],
  ['deepagents', '**`deepAgentMiddleware`**', langchain.withDeepAgent, retrieve],
  ['Mastra', 'alone', () => mastra.plain, readOnce],
  ['Mastra', '`ToolCallFilter`, reads again', () => mastra.withToolCallFilter, readAgain],
  ['Mastra', '**`offloadProcessor`**', mastra.withProcessor, retrieve],
  ['Google ADK', 'alone', () => googleAdk.plain, readOnce],
  ['Google ADK', '**`offloadPlugin`**', googleAdk.withPlugin, retrieve],
  ['Anthropic', 'alone', () => anthropic.withOffloadTools(undefined), readOnce],
  ['Anthropic', '**`offloadTools`**', anthropic.withOffloadTools, retrieve],
  ['Anthropic', '**`answerToolCalls`**', anthropic.withAnswerToolCalls, retrieve],
  ['Claude Agent SDK', '**`offloadOptions`**', claudeAgentSdk.withOptions, retrieve],
  ['Strands', 'alone', () => strands.plain, readOnce],
  ['Strands', 'its own `ContextOffloader`', () => strands.withTheirs(), retrieve],
  ['Strands', '**`offloadPlugin`**', strands.withPlugin, retrieve],
  ['OpenAI Agents SDK', 'alone', () => openaiAgents.plain, readOnce],
  ['OpenAI Agents SDK', '**`offloadTools`**', openaiAgents.withOffloadTools, retrieve],
  ['OpenAI Agents SDK', '**`offloadRunner`** alone', openaiAgents.withOffloadRunner, retrieve],
  ['Genkit', 'alone', () => genkit.plain, readOnce],
  ['Genkit', '**`offloadMiddleware`**', genkit.withMiddleware, retrieve],
  ['VoltAgent', 'alone', () => voltagent.plain, readOnce],
  ['VoltAgent', '**`offloadTools`**', voltagent.withOffloadTools, retrieve],
  ['LlamaIndex', 'alone', () => llamaindex.plain, readOnce],
  ['LlamaIndex', '**`OffloadAgent`**', llamaindex.withAgent, retrieve],
  ['LlamaIndex', '**`offloadTools`**', llamaindex.withTools, retrieve],
]

/** Frameworks that get the offloader of a session. The other frameworks pass a session name. */
const SCOPED_BY_THE_PROGRAM: readonly string[] = ['AI SDK', 'Anthropic', 'LlamaIndex']

/** Run the conversation about a log in each framework, with and without Spillway. */
export async function measureTokens(log: string): Promise<readonly TokenRow[]> {
  const rows: TokenRow[] = []
  for (const [framework, way, converse, script] of WAYS) {
    const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
    const session = SCOPED_BY_THE_PROGRAM.includes(framework) ? offloader.forScope('session-1') : offloader
    const { prompts } = await converse(session)(log, script)
    const totals = prompts.map((prompt) => prompt.reduce((sum, { text }) => sum + tokensOf(text), 0))
    rows.push({
      framework,
      way,
      isOurs: way.includes('**'),
      results: prompts.slice(1).map(lastResult),
      lastPrompt: totals.at(-1) ?? 0,
      allPrompts: totals.reduce((sum, tokens) => sum + tokens, 0),
    })
  }
  return rows
}

function lastResult(prompt: SeenPrompt): number {
  const message = prompt.findLast(({ role }) => role === 'tool')
  if (message === undefined) throw new Error('The model got no result of the tool that it had called.')
  return tokensOf(message.text)
}

const known = new Map<string, number>()

/** Count tokens, and cache the count, because the log occurs many times. */
function tokensOf(text: string): number {
  const tokens = known.get(text) ?? countTokens(text)
  known.set(text, tokens)
  return tokens
}
