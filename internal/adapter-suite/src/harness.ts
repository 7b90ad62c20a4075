/** Interface by which a case drives a framework. Every adapter's harness implements it. */
import type { ContentBlock, ContextOffloader, OffloadedBlock } from '@spillway/core'
import type { HistoryLimits, Summarize } from '@spillway/history'
import type { Provider } from './support/provider-rules.ts'

/** Behavior of a tool when it is called. */
export type ToolBehaviour =
  /**
   * One text block stands for a plain string, one JSON block for a plain value, anything else for the framework's own
   * form of content with several parts. No block at all stands for a tool that returns nothing.
   */
  | {
      readonly type: 'returns'
      readonly content: readonly ContentBlock[]
      /** Return a single block in the form with several parts too, in a framework that has one. */
      readonly asParts?: boolean
    }
  /** A result that is marked as an error, in a framework that has such a thing. */
  | { readonly type: 'returns-error'; readonly text: string }
  | { readonly type: 'throws'; readonly thrown: unknown }
  /** Preliminary results, the last of which is final. */
  | { readonly type: 'yields'; readonly texts: readonly string[] }

/** Context that the framework gives a tool along with its input. */
export interface ToolCallContext {
  readonly toolCallId: string
  /** The framework's abort signal, if it passes one on. */
  readonly signal?: AbortSignal | undefined
}

/** A tool of a conversation. */
export interface CaseTool {
  readonly name: string
  /** A JSON Schema of an object; any object where it is absent. The framework must validate arguments by it. */
  readonly inputSchema?: Readonly<Record<string, unknown>>
  /** Whether the framework must ask {@link Conversation.approve} before it runs the tool. */
  readonly needsApproval?: boolean
  /** Whether the provider runs the tool: the fake model then answers with {@link ToolCall.providerResult}. */
  readonly providerExecuted?: boolean
  readonly call: (input: unknown, context: ToolCallContext) => ToolBehaviour | Promise<ToolBehaviour>
}

/** A tool call of the fake model. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** Result that the provider puts in the same message, for a tool that it runs itself. */
  readonly providerResult?: unknown
}

/** Answer of the fake model to one call: tool calls, or the text that ends the run. */
export type ModelTurn = { readonly toolCalls: readonly ToolCall[] } | { readonly text: string }

/** A tool result as it stands in a prompt. */
export interface SeenResult {
  readonly toolCallId: string
  /** Empty in a framework whose results do not carry it. */
  readonly toolName: string
  /** Whether the framework marks it as an error; `undefined` where it cannot. */
  readonly isError: boolean | undefined
  /** Content as the model sees it: text as text, values as JSON, media as their bytes. */
  readonly content: readonly ContentBlock[]
}

/** A prompt as the model gets it. */
export interface SeenPrompt {
  /** The tool results, in their order. */
  readonly results: readonly SeenResult[]
  readonly toolNames: readonly string[]
  /** The JSON Schema of each tool's input by its name, as offered to the model; absent if the fake model gets none. */
  readonly toolSchemas?: Readonly<Record<string, unknown>>
  /** The messages as a JSON array, without ids or times that the framework generates in each run. */
  readonly messages: string
  /** The system prompt, or an empty string. A harness that does not compact histories may leave it out. */
  readonly system?: string
}

/** Options of a run that compacts its history. */
export interface CaseCompaction extends HistoryLimits {
  readonly summarize?: Summarize
  readonly instructions?: string
}

/** One run of an agent. */
export interface Conversation {
  /** Without it the framework runs on its own, which shows what the adapter must not change. */
  readonly offloader: ContextOffloader | undefined
  /** The id of the session, and the scope that tool results go to. */
  readonly session: string
  readonly tools: readonly CaseTool[]
  /** The fake model; `call` counts the calls of this run from 0. */
  readonly model: (prompt: SeenPrompt, call: number) => ModelTurn
  /** Message of the user. Defaults to `Go.` */
  readonly userMessage?: string
  /** The `history` that an earlier run returned, after a round trip through JSON. The run continues from there. */
  readonly history?: unknown
  readonly approve?: (toolName: string) => boolean
  readonly signal?: AbortSignal
  /** The agent's own system prompt. None by default; only for a harness that compacts histories. */
  readonly systemPrompt?: string
  /**
   * Compact the history before each call of the model, as the adapter offers it for this framework. Only set for a
   * harness that compacts histories, with an offloader, which offloads as well.
   */
  readonly compaction?: CaseCompaction
}

/** Output of a tool call as the program sees it. */
export interface CaseOutput {
  readonly toolCallId: string
  readonly output: unknown
  /** Stored blocks that the program learns of beside the output; absent if none. */
  readonly stored?: readonly OffloadedBlock[] | undefined
}

/** Outcome of a run. */
export interface ConversationResult {
  /** Every prompt that the model got, in order. */
  readonly prompts: readonly SeenPrompt[]
  /** The text that the model ended with; `undefined` where the run failed. */
  readonly text: string | undefined
  /** Error with which the run rejected; `undefined` if it resolved. */
  readonly error: unknown
  /** Output of each tool call as the program sees it: the value that the tool returned. */
  readonly outputs: readonly CaseOutput[]
  /** Preliminary results that the program saw, in order; absent if the framework shows none. */
  readonly preliminaryOutputs?: readonly { readonly toolCallId: string; readonly output: unknown }[]
  /** Names of the tools for which approval was asked, in order. */
  readonly approvalsAsked: readonly string[]
  /** All messages, as JSON: what a program would save and go on from. */
  readonly history: unknown
}

/** A framework and how its adapter is used in it. */
export interface AdapterHarness {
  /** Such as `offloadTools with streamText`. */
  readonly name: string
  /** Cases that this framework makes impossible, by id, each with its reason. A gap that has closed fails the run. */
  readonly gaps?: Readonly<Record<string, string>>
  /**
   * The file that exports the harness as `harnesses[name]`, for cases that go on in a process of their own. Plain Node.js
   * must be able to import it, so it must not import a test runner.
   */
  readonly moduleUrl: string
  /**
   * Whether the adapter compacts histories: the harness then heeds `compaction` and `systemPrompt`, and tells the `system` of
   * each prompt. Without it the cases of histories are left out.
   */
  readonly compactsHistory?: boolean
  /** The provider that gets the schemas of tools; a framework for many must offer what all of them take, the default. */
  readonly provider?: Provider
  readonly run: (conversation: Conversation) => Promise<ConversationResult>
}
