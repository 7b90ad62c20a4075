import type { AgentInputItem } from '@openai/agents'
import type { ContextOffloader } from '@spillway/core'
import { offloadParts, type KnownOutputs } from '@spillway/core/adapter'
import { isForProgram } from './is-for-program.ts'
import { parseJson } from './parse-json.ts'
import { blockToPart, partToBlock, type ResultOutput, type ResultPart } from './result-parts.ts'

type Item = AgentInputItem
type ResultItem = Extract<Item, { type: 'function_call_result' }>

/** How the results in the input of a model are replaced. */
export interface ReplaceOptions {
  readonly offloader: ContextOffloader
  readonly signal: AbortSignal | undefined
  /** What became of outputs that have come by before. */
  readonly outputs: KnownOutputs<ResultOutput>
  /** Names of the tools whose results stay. */
  readonly staying: ReadonlySet<string>
  /** The items that may be changed; others are copied. */
  readonly changeable: ReadonlySet<Item>
}

/** Return the items that a model is to get, with what is too large among the results of functions replaced. */
export async function replaceResults(items: readonly Item[], options: ReplaceOptions): Promise<Item[]> {
  const { offloader, signal, outputs, staying, changeable } = options
  const isConcerned = (item: Item): item is ResultItem =>
    item.type === 'function_call_result' && !staying.has(item.name) && !isForProgram(item)

  async function offload({ name: toolName, callId: toolCallId, output }: ResultItem, index: number): Promise<void> {
    // Ids may come again: the newest call before the result is its own.
    const isCall = (item: Item, at: number): boolean =>
      at < index && item.type === 'function_call' && item.callId === toolCallId
    const call = items.findLast(isCall)
    const input = call?.type === 'function_call' ? parseJson(call.arguments) : undefined
    const parts = (Array.isArray(output) ? output : [output]) as readonly ResultPart[]
    const fromText = (text: string): ResultPart => ({ type: 'input_text', text })
    const forms = { parts, toBlock: partToBlock, fromText, fromBlock: blockToPart }
    const outcome = await offloadParts<ResultPart>(offloader, { toolName, toolCallId, input, signal, ...forms })
    if (outcome.status === 'inline') return outputs.add(toolCallId, output)
    const [replacement, ...others] = outcome.parts
    // What providers were told of a text, such as where a cached prefix ends, holds for what stands in its place.
    const gone = parts.filter((part) => part.type === 'input_text' && !others.includes(part))
    const first = { ...Object.assign({}, ...gone), ...replacement } as ResultPart
    const isText = first.type === 'input_text' && others.length === 0 && !Array.isArray(output)
    outputs.add(toolCallId, output, isText ? { type: 'text', text: first.text } : [first, ...others])
  }

  const offloading: Promise<void>[] = []
  for (const [index, item] of items.entries())
    if (isConcerned(item) && outputs.find(item.callId, item.output) === undefined) offloading.push(offload(item, index))
  await Promise.all(offloading)
  return items.map((item) => {
    const output = isConcerned(item) ? outputs.find(item.callId, item.output)?.shown : undefined
    if (output === undefined) return item
    return (changeable.has(item) ? Object.assign(item, { output }) : { ...item, output }) as Item
  })
}
