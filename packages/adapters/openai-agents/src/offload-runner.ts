import {
  RunContext,
  Runner,
  RunState,
  type Agent,
  type AgentOutputType,
  type AgentInputItem,
  type CallModelInputFilter,
  type NonStreamRunOptions,
} from '@openai/agents'
import type { ContextOffloader } from '@spillway/core'
import { KnownOutputs, offloadParts, takesReferences, tellHiddenTool } from '@spillway/core/adapter'
import { readFilter } from './history-filters.ts'
import { isResolving } from './offload-tools.ts'
import {
  blockToPart,
  isForProgram,
  parseJson,
  partToBlock,
  type ResultOutput,
  type ResultPart,
} from './result-parts.ts'
import { enterRun, findRun, sessionRuns, type OffloadOptions } from './run-scope.ts'

/**
 * Return a runner that replaces large results of functions before each model call, in the scope of the run's session.
 *
 * The program and a `Session` keep the originals. Your `callModelInputFilter` runs first. Agents need the retrieval
 * tool, which {@link offloadTools} adds.
 *
 * @throws TypeError for an invalid runner, offloader or option.
 *
 * @example
 * ```ts
 * import { MemorySession, Runner, type Agent } from '@openai/agents'
 * import { ContextOffloader } from '@spillway/core'
 * import { InMemoryStorage } from '@spillway/memory'
 * import { offloadRunner } from '@spillway/openai-agents'
 *
 * const runner = offloadRunner(new Runner(), new ContextOffloader({ storage: new InMemoryStorage() }))
 * const session = new MemorySession({ sessionId: 'session-1' }) // the scope of its runs
 * const ask = (agent: Agent, question: string) => runner.run(agent, question, { session })
 * console.assert(typeof ask === 'function')
 * ```
 */
export function offloadRunner(
  runner: Runner,
  offloader: ContextOffloader,
  options: OffloadOptions = {},
): Pick<Runner, 'run'> {
  if (!(runner instanceof Runner))
    throw new TypeError('runner must be a Runner, loaded as an ES module: offloadRunner(new Runner(), offloader).')
  const usage = 'offloadRunner(new Runner(), offloader, options)'
  const { offloaderOf } = sessionRuns(offloader, options, { usage })

  async function run(agent: never, input: unknown, given: NonStreamRunOptions<unknown> = {}): Promise<object> {
    const { session, conversationId, signal, callModelInputFilter = runner.config.callModelInputFilter } = given
    // The history filter is last, because it counts the tokens of the remaining input.
    const { own, compact } = readFilter(callModelInputFilter)
    const isResumed = input instanceof RunState
    const newContext = given.context instanceof RunContext ? given.context : new RunContext(given.context)
    const context = isResumed ? (input._context as RunContext) : newContext
    const sessionId = (await session?.getSessionId()) ?? conversationId ?? findRun(context).sessionId
    const outputs = new KnownOutputs<ResultOutput>()
    const staying = new Set<string>()
    // A filter that changes items needs copies, and so does a resumed run. The SDK recognizes its own items and copies.
    const keepsItems = own === undefined ? !isResumed : Object(own).preserveInputIdentity === true
    const preserveInputIdentity = compact === undefined && keepsItems

    const filter: CallModelInputFilter = async (args) => {
      const data = own === undefined ? args.modelData : await own(args)
      const scoped = offloaderOf({ context: args.context, sessionId })
      await assertResolving(args.agent, args.context, scoped)
      await scoped.endTurn()
      // If the program's filter returns no input, the SDK reports it.
      if (!Array.isArray(data?.input)) return data
      // If a tool has an output schema, its result must match it.
      for (const tool of args.agent.tools) if ('outputSchema' in tool) staying.add(tool.name)
      const changeable = new Set(preserveInputIdentity ? [] : args.modelData.input)
      const how = { offloader: scoped, signal, outputs, staying, changeable }
      const replaced = { ...data, input: await replaceResults(data.input, how) }
      tellHiddenTool(offloader, args.agent.tools)
      const calledRun = { context: args.context, sessionId, signal, changeable }
      return compact === undefined ? replaced : await compact(replaced, calledRun)
    }
    const wholeFilter = Object.assign(filter, { preserveInputIdentity })
    const leave = enterRun(context, { context, sessionId, signal, outputs })
    const running = runner.run(agent, input as string, { ...given, context, callModelInputFilter: wholeFilter })
    // A stream continues after it is returned.
    void running.then((result) => (result as { completed?: Promise<void> }).completed).then(leave, leave)
    return running
  }
  return { run: run as Runner['run'] }
}

/** Throws if a tool is not wrapped: it would get the reference instead of the content. */
async function assertResolving(
  agent: Agent<unknown, AgentOutputType>,
  context: unknown,
  offloader: ContextOffloader,
): Promise<void> {
  if (offloader.options.resolveReferences === undefined) return
  for (const tool of await agent.getAllTools(new RunContext(context)))
    if (takesReferences(offloader, tool.name) && !isResolving(tool))
      throw new TypeError(`resolveReferences names ${tool.name}: wrap this tool with offloadTools(tools, offloader).`)
}

type Item = AgentInputItem
type ResultItem = Extract<Item, { type: 'function_call_result' }>

interface ReplaceOptions {
  readonly offloader: ContextOffloader
  readonly signal: AbortSignal | undefined
  /** Outcomes of the outputs that were replaced before. */
  readonly outputs: KnownOutputs<ResultOutput>
  /** Names of tools whose results are not offloaded. */
  readonly staying: ReadonlySet<string>
  readonly changeable: ReadonlySet<Item>
}

async function replaceResults(items: readonly Item[], options: ReplaceOptions): Promise<Item[]> {
  const { offloader, signal, outputs, staying, changeable } = options
  const isConcerned = (item: Item): item is ResultItem =>
    item.type === 'function_call_result' && !staying.has(item.name) && !isForProgram(item)

  async function offload(
    turn: Pick<ContextOffloader, 'offload'>,
    { name: toolName, callId: toolCallId, output }: ResultItem,
    index: number,
  ): Promise<void> {
    // Ids may repeat: the result belongs to the newest call before it.
    const isCall = (item: Item, at: number): boolean =>
      at < index && item.type === 'function_call' && item.callId === toolCallId
    const call = items.findLast(isCall)
    const input = call?.type === 'function_call' ? parseJson(call.arguments) : undefined
    const parts = (Array.isArray(output) ? output : [output]) as readonly ResultPart[]
    const fromText = (text: string): ResultPart => ({ type: 'input_text', text })
    const forms = { parts, toBlock: partToBlock, fromText, fromBlock: blockToPart }
    const outcome = await offloadParts<ResultPart>(turn, { toolName, toolCallId, input, signal, ...forms })
    if (outcome.status === 'inline') return outputs.add(toolCallId, output)
    const [replacement, ...others] = outcome.parts
    // The replacement gets the provider data of the text, for example the end of a cached prefix.
    const gone = parts.filter((part) => part.type === 'input_text' && !others.includes(part))
    const first = { ...Object.assign({}, ...gone), ...replacement } as ResultPart
    const isText = first.type === 'input_text' && others.length === 0 && !Array.isArray(output)
    outputs.add(toolCallId, output, isText ? { type: 'text', text: first.text } : [first, ...others])
  }

  // Consecutive results belong to one turn.
  const turns: ((turn: Pick<ContextOffloader, 'offload'>) => Promise<void>)[][] = [[]]
  for (const [index, item] of items.entries()) {
    if (item.type !== 'function_call_result') turns.push([])
    else if (isConcerned(item) && outputs.find(item.callId, item.output) === undefined)
      turns.at(-1)?.push(async (turn) => offload(turn, item, index))
  }
  await Promise.all(turns.map(async (turn) => offloader.inTurn(turn)))
  return items.map((item) => {
    const output = isConcerned(item) ? outputs.find(item.callId, item.output)?.shown : undefined
    if (output === undefined) return item
    return (changeable.has(item) ? Object.assign(item, { output }) : { ...item, output }) as Item
  })
}
