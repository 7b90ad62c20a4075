import { isFields, withFields, type Fields } from '@spillway/history/format'
import type { AnyMessage } from './native-message.ts'

/**
 * A tool call, with all places in which providers repeat it. They change together, as some send only one to the model.
 */
export interface NativeCall {
  readonly call: Fields
  /** Blocks of the content, such as Anthropic's `tool_use` with streamed parts of its input. */
  readonly blocks: readonly Fields[]
  /** In `additional_kwargs.tool_calls`, for OpenAI's chat. */
  readonly raw: Fields | undefined
  /** In `response_metadata.output`, for OpenAI's responses. */
  readonly item: Fields | undefined
  /** In `tool_call_chunks` of a streamed message. */
  readonly chunk: Fields | undefined
}

interface CallLists {
  readonly raw: readonly unknown[]
  readonly items: readonly unknown[]
  readonly chunks: readonly unknown[]
}

export function callListsOf({ additional_kwargs, response_metadata, ...message }: AnyMessage): CallLists {
  return {
    raw: listOf(additional_kwargs?.tool_calls),
    items: listOf((response_metadata as Fields | undefined)?.['output']),
    chunks: listOf((message as Fields)['tool_call_chunks']),
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : [])

export function idOfEntry(entry: unknown): string | undefined {
  if (!isFields(entry)) return undefined
  const { type, id, call_id: callId } = entry
  const own = type === 'function_call' || type === 'custom_tool_call' ? callId : id
  return typeof own === 'string' ? own : undefined
}

const BLOCK_TYPES: ReadonlySet<unknown> = new Set(['tool_use', 'tool_call', 'tool_call_chunk', 'functionCall'])

export const isCallBlock = (block: unknown): block is Fields => isFields(block) && BLOCK_TYPES.has(block['type'])

/** Whether a block is a streamed part of another's input, as in Anthropic's messages. */
export const isInputOf = (block: unknown, call: Fields): block is Fields =>
  isFields(block) &&
  block['type'] === 'input_json_delta' &&
  call['type'] === 'tool_use' &&
  block['index'] !== undefined &&
  block['index'] === call['index']

/** Whether a block repeats a call: by id, or by name without one. */
export function repeatsCall(block: Fields, { id, name }: Fields): boolean {
  const { functionCall } = block
  if (isFields(functionCall)) return functionCall['name'] === name && (block['id'] === undefined || block['id'] === id)
  return typeof block['id'] === 'string' && block['id'] === id
}

export function withArguments({ call, blocks, raw, item, chunk }: NativeCall, args: unknown): NativeCall {
  if (call['args'] === args) return { call, blocks, raw, item, chunk }
  const text = JSON.stringify(args) ?? 'null'
  return {
    call: withFields(call, { args }),
    // A streamed input is complete now.
    blocks: blocks.filter(isCallBlock).map((block) => blockWith(block, args)),
    raw: raw && withFields(raw, { function: withFields(fieldsOf(raw['function']), { arguments: text }) }),
    item: item && itemWith(item, args, text),
    chunk: chunk && withFields(chunk, { args: text }),
  }
}

export function blockWith(block: Fields, args: unknown): Fields {
  const { type, input, functionCall } = block
  const text = JSON.stringify(args) ?? 'null'
  if (type === 'tool_use') return withFields(block, { input: typeof input === 'string' ? text : args })
  if (isFields(functionCall)) return withFields(block, { functionCall: withFields(functionCall, { args }) })
  return withFields(block, { args: type === 'tool_call_chunk' ? text : args })
}

export function hasArguments({ type, input, args, functionCall }: Fields, expected: unknown): boolean {
  const value = type === 'tool_use' ? input : isFields(functionCall) ? functionCall['args'] : args
  return valueText(value) === valueText(expected)
}

/** One text for a value and for its JSON text. */
function valueText(value: unknown): string | undefined {
  if (typeof value !== 'string') return JSON.stringify(value)
  try {
    return JSON.stringify(JSON.parse(value))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return JSON.stringify(value)
  }
}

/** A tool for free text gets it as the only argument. */
function itemWith(item: Fields, args: unknown, text: string): Fields {
  if (item['type'] !== 'custom_tool_call') return withFields(item, { arguments: text })
  const { input } = fieldsOf(args)
  return withFields(item, { input: typeof input === 'string' ? input : text })
}

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
