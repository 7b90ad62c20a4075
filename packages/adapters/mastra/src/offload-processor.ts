import type { Processor } from '@mastra/core/processors'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import {
  callResolved,
  copyWith,
  KnownOutputs,
  mcpModelOutput,
  nameTaken,
  offloadModelOutput,
  replaceToolResults,
  SmallTexts,
  takesReferences,
  type ModelOutputCall,
  type OffloadedModelOutput,
} from '@spillway/core/adapter'
import type { MessageList } from '@mastra/core/agent'
import type { MastraToolInvocationPart } from '@mastra/core/agent/message-list'
import { retrievalTool, type RetrievalTool } from './retrieval-tool.ts'
import { perRun, threadRuns, type OffloadOptions, type RunContext } from './run-scope.ts'

type Hook = 'processInputStep' | 'processLLMRequest' | 'processToolResult' | 'processOutputResult'

/** A processor for `inputProcessors`. Put it into `outputProcessors`, too, if the program needs no originals. */
export type OffloadProcessor = Processor<'spillway-offload'> &
  Required<Pick<Processor, Hook>> & {
    /** Mastra requests a processor's own tools before each run, even if the run is resumed. */
    readonly getLoadedToolsForRequestContext: (given?: {
      /** The agent's own tools. Absent in older versions. */
      readonly tools?: Readonly<Record<string, { readonly description?: string }>>
    }) => Record<string, RetrievalTool>
  }

interface HookArgs extends RunContext {
  readonly state: object
  readonly abortSignal?: AbortSignal | undefined
}

/**
 * Make the processor that keeps large tool results out of the context of a Mastra agent.
 *
 * In `inputProcessors`, prompts and memory contain previews, while the program still gets the originals. If the same
 * object is also in `outputProcessors`, results are replaced at once, even for the program. Memory threads are
 * isolated.
 *
 * @throws TypeError for an invalid offloader or option.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadProcessor } from '@spillway/mastra'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const processor = offloadProcessor(new ContextOffloader({ storage: new InMemoryStorage() }))
 * const agent = { instructions: 'Read logs.', model: 'openai/gpt-5', inputProcessors: [processor] } // new Agent(…)
 * console.assert(agent.inputProcessors[0]?.id === 'spillway-offload')
 * ```
 */
export function offloadProcessor(offloader: ContextOffloader, options: OffloadOptions = {}): OffloadProcessor {
  const { offloaderOf } = threadRuns(offloader, options, { usage: 'offloadProcessor(offloader, options)' })
  const small = new SmallTexts()
  const own = offloader.options.includeRetrievalTool ? { [RETRIEVAL_TOOL_NAME]: retrievalTool(offloader, options) } : {}
  const ofHook = perRun(
    ({ requestContext, messages }: HookArgs) => new OffloadRun(offloaderOf({ requestContext, messages }), small),
  )

  function runOf(hook: HookArgs): OffloadRun {
    const run = ofHook(hook)
    run.signal = hook.abortSignal ?? run.signal
    return run
  }

  return {
    id: 'spillway-offload',
    getLoadedToolsForRequestContext: ({ tools } = {}) => {
      for (const [name, { description }] of Object.entries(own))
        if (tools?.[name] !== undefined && tools[name].description !== description) throw nameTaken()
      return own
    },
    async processInputStep(step) {
      const run = runOf(step)
      run.tools = step.tools ?? {}
      const resolving = toolsWithReferences(run)
      run.beginStep()
      await run.offloader.endTurn()
      await offloadStored(step.messageList, run)
      // Another processor may have replaced all tools.
      const isComplete = Object.keys(own).every((name) => name in run.tools)
      const isSame = isComplete && Object.keys(resolving).length === 0
      return isSame ? undefined : { tools: { ...run.tools, ...resolving, ...own } }
    },
    async processLLMRequest(request) {
      const run = runOf(request)
      const prompt = await replaceToolResults(request.prompt, (result, input) => {
        const output = result.output as ModelOutput
        return small.has(result.toolName, output.value) ? output : run.show(result, input, output)
      })
      run.endPrompt()
      return { prompt }
    },
    async processToolResult(call) {
      const run = runOf(call)
      const { messageList, toolName, toolCallId, args, result } = call
      // If a tool maps its output, the model sees the mapped output, and the program sees the original.
      if (call.providerExecuted === true || hasModelOutput(run.tools[toolName])) return undefined
      const toolInvocation = { state: 'result', toolName, toolCallId, args, result } as const
      const isReplaced = await offloadPart({ type: 'tool-invocation', toolInvocation }, messageList, run)
      return isReplaced ? messageList : undefined
    },
    async processOutputResult(end) {
      const run = runOf(end)
      // Replace results after the last model call, too, so that memory does not keep the originals.
      if (run.signal?.aborted !== true) await offloadStored(end.messageList, run)
      return end.messageList
    },
  }
}

type Execute = (
  input: unknown,
  options: { readonly toolCallId?: string; readonly abortSignal?: AbortSignal },
) => unknown

/** References are resolved in the tool's function, because Mastra validates the arguments there. */
function toolsWithReferences({ offloader, tools }: OffloadRun): Record<string, object> {
  const entries = Object.entries(tools).flatMap(([toolName, tool]) => {
    const own = Object(tool) as { readonly execute?: Execute }
    const { execute } = own
    if (!takesReferences(offloader, toolName) || execute === undefined) return []
    const resolved: Execute = async (input, options) => {
      const { toolCallId, abortSignal: signal } = options
      return callResolved(offloader, { toolName, toolCallId, input, signal }, (given) => execute(given, options))
    }
    return [[toolName, copyWith(own, { execute: resolved })] as const]
  })
  return Object.fromEntries(entries)
}

function hasModelOutput(tool: unknown): boolean {
  return typeof (Object(tool) as { readonly toModelOutput?: unknown }).toModelOutput === 'function'
}

/** Offloads results of this run. Results of earlier runs do not change. */
export async function offloadStored(messageList: MessageList, run: OffloadRun): Promise<void> {
  const parts = messageList.get.response.db().flatMap(({ content }) => content.parts)
  const calls = parts.filter((part) => part.type === 'tool-invocation')
  // Mastra finds a part by the id of its call, and takes the newest of equal ids.
  const newest = new Map(calls.map((part) => [part.toolInvocation.toolCallId, part]))
  await Promise.all(Array.from(newest.values(), (part) => offloadPart(part, messageList, run)))
}

/** Returns whether the result was replaced in the messages. */
async function offloadPart(
  part: MastraToolInvocationPart,
  messageList: MessageList,
  run: OffloadRun,
): Promise<boolean> {
  const output = outputOfPart(part)
  if (output === undefined || part.providerExecuted === true) return false
  const shown = await run.show(part.toolInvocation, part.toolInvocation.args, output)
  return shown !== output && messageList.updateToolInvocation(withShownOutput(part, shown))
}

type RunCall = Pick<ModelOutputCall, 'toolName' | 'toolCallId'>

/** The outcomes of the results in one run. Results are compared by value, because Mastra copies most of a prompt. */
export class OffloadRun {
  readonly offloader: ContextOffloader
  /** The signal of the latest hook. */
  signal: AbortSignal | undefined
  /** The tools of the current step. */
  tools: Readonly<Record<string, unknown>> = {}
  readonly #small: SmallTexts
  readonly #known = new KnownOutputs<ModelOutput>()
  /** Results that could not be stored: since the last prompt (`#failed`), and in the last prompt (`#shown`). */
  #failed = new KnownOutputs<ModelOutput>()
  #shown = new KnownOutputs<ModelOutput>()

  constructor(offloader: ContextOffloader, small: SmallTexts) {
    this.offloader = offloader
    this.#small = small
  }

  /** Return the output for the model: the same object, or a promise of a new output. */
  show(call: RunCall, input: unknown, output: ModelOutput): ModelOutput | Promise<ModelOutput> {
    const { toolCallId } = call
    const known =
      this.#known.find(toolCallId, output) ??
      this.#failed.find(toolCallId, output) ??
      this.#shown.find(toolCallId, output)
    return known === undefined ? this.#offload(call, input, output) : (known.shown ?? output)
  }

  /** Begin a step, in which failed stores of the previous step are tried again. */
  beginStep(): void {
    this.#shown = new KnownOutputs()
  }

  endPrompt(): void {
    this.#shown = this.#failed
    this.#failed = new KnownOutputs()
  }

  async #offload({ toolName, toolCallId }: RunCall, input: unknown, output: ModelOutput): Promise<ModelOutput> {
    const call = { toolName, toolCallId, input, signal: this.signal }
    const { output: shown, reason } = await offloadOutput(this.offloader, call, output)
    if (reason === 'within-limit') this.#small.add(toolName, output.value)
    if (shown === output) {
      const outputs = reason === 'failed' ? this.#failed : this.#known
      outputs.add(toolCallId, output)
    } else {
      this.#known.add(toolCallId, output, shown)
      // Later prompts contain the shown output, so it is remembered, too.
      this.#known.add(toolCallId, shown)
    }
    return shown
  }
}

/** The parts of an MCP server's output are offloaded separately. Returns the same object if nothing changes. */
export async function offloadOutput(
  offloader: ContextOffloader,
  call: ModelOutputCall,
  output: ModelOutput,
): Promise<OffloadedModelOutput<ModelOutput>> {
  const parts = output.type === 'json' ? mcpModelOutput(output.value, 'media') : undefined
  if (parts === undefined) return offloadModelOutput(offloader, call, output)
  const { output: shown, reason } = await offloadModelOutput<ModelOutput>(offloader, call, parts)
  if (shown !== parts) return { output: shown }
  // Mastra writes such a file as JSON with Base64, which is larger than the file.
  return reason === 'within-limit' && isShownAsJson(output.value)
    ? offloadModelOutput(offloader, call, output)
    : { output, ...(reason !== undefined && { reason }) }
}

/** If the output has images or audio, Mastra shows all parts separately, and files are replaced in each prompt. */
function isShownAsJson(result: unknown): boolean {
  const { content } = result as { readonly content: readonly { readonly type: string }[] }
  const types = content.map(({ type }) => type)
  return types.includes('resource') && !types.includes('image') && !types.includes('audio')
}

/** `text`, `json`, `error-text` or `content`. */
export type ModelOutput = { readonly type: string; readonly value?: unknown }

type Metadata = NonNullable<MastraToolInvocationPart['providerMetadata']>

/** Returns `undefined` without a result. */
export function outputOfPart({ toolInvocation, providerMetadata }: MastraToolInvocationPart): ModelOutput | undefined {
  const { state, result, errorText } = toolInvocation
  if (state === 'output-error') return errorText === undefined ? undefined : { type: 'error-text', value: errorText }
  if (state !== 'result') return undefined
  const mapped = mappedOutput(providerMetadata)
  return mapped ?? { type: typeof result === 'string' ? 'text' : 'json', value: result }
}

/** Write the shown output as the result. A mapped result is kept next to the shown output, unless it is longer. */
export function withShownOutput(part: MastraToolInvocationPart, shown: ModelOutput): MastraToolInvocationPart {
  const { toolInvocation, providerMetadata } = part
  const text = textOf(shown)
  if (toolInvocation.state === 'output-error')
    return { ...part, toolInvocation: { ...toolInvocation, errorText: text } }
  const isMapped = mappedOutput(providerMetadata) !== undefined
  const result = isMapped && isAtMost(toolInvocation.result, text.length) ? toolInvocation.result : text
  const replaced = { ...part, toolInvocation: { ...toolInvocation, result } }
  if (!isMapped && shown.type === 'text') return replaced
  // Mastra stores the result of `toModelOutput` here, and reads it for prompts.
  const mastra = { ...providerMetadata?.['mastra'], modelOutput: shown } as Metadata[string]
  return { ...replaced, providerMetadata: { ...providerMetadata, mastra } }
}

function mappedOutput(providerMetadata: MastraToolInvocationPart['providerMetadata']): ModelOutput | undefined {
  const { modelOutput } = Object(providerMetadata?.['mastra']) as { readonly modelOutput?: unknown }
  return typeof modelOutput === 'object' && modelOutput !== null && 'type' in modelOutput
    ? (modelOutput as ModelOutput)
    : undefined
}

/** The replacement is the whole value, or its first part. */
function textOf({ value }: ModelOutput): string {
  const [first] = Array.isArray(value) ? (value as readonly { readonly text?: unknown }[]) : []
  return String(first === undefined ? value : first.text)
}

const isAtMost = (result: unknown, characters: number): boolean => (JSON.stringify(result) ?? '').length <= characters
