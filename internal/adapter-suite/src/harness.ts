/** The interface through which a case drives a framework. Every adapter's harness implements it. */
import type { ContentBlock, ContextOffloader, OffloadedBlock } from '@spillway/core'
import type { HistoryLimits, Summarize } from '@spillway/history'
import type { Provider } from './support/provider-rules.ts'

/** Behavior of a tool that is called. */
export type ToolBehaviour =
  /**
   * A single text block means a plain string, and a single JSON block a plain value. Other blocks mean the framework's
   * own content with several parts. An empty list means a tool that returns nothing.
   */
  | {
      readonly type: 'returns'
      readonly content: readonly ContentBlock[]
      /** Whether a single block is also returned as content with several parts, if the framework has such content. */
      readonly asParts?: boolean
    }
  /** A result that is marked as an error, if the framework has such marks. */
  | { readonly type: 'returns-error'; readonly text: string }
  | { readonly type: 'throws'; readonly thrown: unknown }
  /** Preliminary results, and the final result as the last text. */
  | { readonly type: 'yields'; readonly texts: readonly string[] }

/** Context that the framework passes to a tool together with its input. */
export interface ToolCallContext {
  readonly toolCallId: string
  /** The framework's abort signal, if the framework passes one. */
  readonly signal?: AbortSignal | undefined
}

/** A tool of a conversation. */
export interface CaseTool {
  readonly name: string
  /** JSON Schema of an object, by which the framework must validate arguments. If absent, any object is valid. */
  readonly inputSchema?: Readonly<Record<string, unknown>>
  /** Whether the framework must call {@link Conversation.approve} before it runs the tool. */
  readonly needsApproval?: boolean
  /** Whether the provider runs the tool. The fake model then answers with {@link ToolCall.providerResult}. */
  readonly providerExecuted?: boolean
  readonly call: (input: unknown, context: ToolCallContext) => ToolBehaviour | Promise<ToolBehaviour>
}

/** A tool call of the fake model. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** Result in the same message, for a tool that the provider runs. */
  readonly providerResult?: unknown
}

/** Answer of the fake model: tool calls, or the text that ends the run. */
export type ModelTurn = { readonly toolCalls: readonly ToolCall[] } | { readonly text: string }

/** A tool result in a prompt. */
export interface SeenResult {
  readonly toolCallId: string
  /** Empty if the framework's results have no tool name. */
  readonly toolName: string
  /** Whether the framework marks the result as an error; `undefined` if the framework has no such mark. */
  readonly isError: boolean | undefined
  /** The content that the model sees: text as text, values as JSON, media as bytes. */
  readonly content: readonly ContentBlock[]
}

/** A prompt that the model gets. */
export interface SeenPrompt {
  /** The tool results, in their order. */
  readonly results: readonly SeenResult[]
  readonly toolNames: readonly string[]
  /** JSON Schemas of inputs by tool name, as offered to the model. Absent if the fake model does not get them. */
  readonly toolSchemas?: Readonly<Record<string, unknown>>
  /** The messages as a JSON array, without ids or times that the framework generates in each run. */
  readonly messages: string
  /** The system prompt, or an empty string. May be absent in a harness that does not compact histories. */
  readonly system?: string
}

/** Options of a run that compacts its history. */
export interface CaseCompaction extends HistoryLimits {
  readonly summarize?: Summarize
  readonly instructions?: string
}

/** One run of an agent. */
export interface Conversation {
  /** If `undefined`, the framework runs alone, which shows what the adapter must not change. */
  readonly offloader: ContextOffloader | undefined
  /** The id of the session, and the scope in which tool results are stored. */
  readonly session: string
  readonly tools: readonly CaseTool[]
  /** The fake model. `call` is the number of the call in this run, from 0. */
  readonly model: (prompt: SeenPrompt, call: number) => ModelTurn
  /** Message of the user. Defaults to `Go.` */
  readonly userMessage?: string
  /** The `history` of an earlier run, after it was serialized as JSON and parsed. The run continues from it. */
  readonly history?: unknown
  readonly approve?: (toolName: string) => boolean
  readonly signal?: AbortSignal
  /** The agent's own system prompt. Defaults to none. Set only for a harness that compacts histories. */
  readonly systemPrompt?: string
  /**
   * Compacts the history before each model call, as the adapter offers it for this framework. Set only together with
   * `offloader`, and only for a harness that compacts histories.
   */
  readonly compaction?: CaseCompaction
}

/** Result of a tool call that the program gets. */
export interface CaseOutput {
  readonly toolCallId: string
  readonly output: unknown
  /** Stored blocks that the program gets together with the result. Absent without such blocks. */
  readonly stored?: readonly OffloadedBlock[] | undefined
}

/** The result of a run. */
export interface ConversationResult {
  /** Every prompt that the model got, in order. */
  readonly prompts: readonly SeenPrompt[]
  /** The final text of the model; `undefined` if the run failed. */
  readonly text: string | undefined
  /** The error with which the run rejected; `undefined` if the run resolved. */
  readonly error: unknown
  /** The result of each tool call that the program gets: the value that the tool returned. */
  readonly outputs: readonly CaseOutput[]
  /** Preliminary results that the program got, in order. Absent if the framework shows none. */
  readonly preliminaryOutputs?: readonly { readonly toolCallId: string; readonly output: unknown }[]
  /** Names of the tools for which approval was requested, in order. */
  readonly approvalsAsked: readonly string[]
  /** All messages as JSON: a program would save them and continue from them. */
  readonly history: unknown
}

/** A framework, and a way to use its adapter. */
export interface AdapterHarness {
  /** The name, for example `offloadTools with streamText`. */
  readonly name: string
  /** Cases that fail because of the framework, by id, with the reason. A gap fails the suite if its case succeeds. */
  readonly gaps?: Readonly<Record<string, string>>
  /**
   * The file that exports the harness as `harnesses[name]`, for cases that continue in a new process. Plain Node.js
   * must be able to import it, so it must not import a test runner.
   */
  readonly moduleUrl: string
  /**
   * Whether the adapter compacts histories. If it does, the harness uses `compaction` and `systemPrompt`, and sets
   * `system` in each prompt. Otherwise, the cases of histories are skipped.
   */
  readonly compactsHistory?: boolean
  /** The provider that gets the schemas of tools. Defaults to `any`, for frameworks with several providers. */
  readonly provider?: Provider
  readonly run: (conversation: Conversation) => Promise<ConversationResult>
}
