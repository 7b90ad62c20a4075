import { isFields, withFields, type Fields } from '@spillway/history/format'
import type { AnyMessage } from './native-message.ts'

/**
 * A call of a tool as a message has it, with all places in which providers repeat it. Some send only one of these to the
 * model, so that they must change together.
 */
export interface NativeCall {
  readonly call: Fields
  /** Blocks of the content, such as `tool_use` of Anthropic with the pieces of its input that were streamed. */
  readonly blocks: readonly Fields[]
  /** In `additional_kwargs.tool_calls`, as of OpenAI's chat. */
  readonly raw: Fields | undefined
  /** In `response_metadata.output`, as of OpenAI's responses. */
  readonly item: Fields | undefined
  /** In `tool_call_chunks` of a message that was streamed. */
  readonly chunk: Fields | undefined
}

/** The lists beside the content in which a message repeats its calls. */
export interface CallLists {
  readonly raw: readonly unknown[]
  readonly items: readonly unknown[]
  readonly chunks: readonly unknown[]
}

/** Return the lists of a message; those that it has not are empty. */
export function callListsOf({ additional_kwargs, response_metadata, ...message }: AnyMessage): CallLists {
  return {
    raw: listOf(additional_kwargs?.tool_calls),
    items: listOf((response_metadata as Fields | undefined)?.['output']),
    chunks: listOf((message as Fields)['tool_call_chunks']),
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : [])

/** The id of the call that an entry of one of these lists repeats, or a block; `undefined` for anything else. */
export function idOfEntry(entry: unknown): string | undefined {
  if (!isFields(entry)) return undefined
  const { type, id, call_id: callId } = entry
  const own = type === 'function_call' || type === 'custom_tool_call' ? callId : id
  return typeof own === 'string' ? own : undefined
}

const BLOCK_TYPES: ReadonlySet<unknown> = new Set(['tool_use', 'tool_call', 'tool_call_chunk', 'functionCall'])

/** Whether a block of the content is a call. */
export const isCallBlock = (block: unknown): block is Fields => isFields(block) && BLOCK_TYPES.has(block['type'])

/** Whether a block is a piece of the input of another, as Anthropic streams it. */
export const isInputOf = (block: unknown, call: Fields): block is Fields =>
  isFields(block) &&
  block['type'] === 'input_json_delta' &&
  call['type'] === 'tool_use' &&
  block['index'] !== undefined &&
  block['index'] === call['index']

/** Whether a block repeats a call: by its id, or where it has none by the name. */
export function repeatsCall(block: Fields, { id, name }: Fields): boolean {
  const { functionCall } = block
  if (isFields(functionCall)) return functionCall['name'] === name && (block['id'] === undefined || block['id'] === id)
  return typeof block['id'] === 'string' && block['id'] === id
}

/** Write a call with other arguments, in all of its places. */
export function withArguments({ call, blocks, raw, item, chunk }: NativeCall, args: unknown): NativeCall {
  if (call['args'] === args) return { call, blocks, raw, item, chunk }
  const text = JSON.stringify(args) ?? 'null'
  return {
    call: withFields(call, { args }),
    // What was streamed is whole now.
    blocks: blocks.filter(isCallBlock).map((block) => blockWith(block, args)),
    raw: raw && withFields(raw, { function: withFields(fieldsOf(raw['function']), { arguments: text }) }),
    item: item && itemWith(item, args, text),
    chunk: chunk && withFields(chunk, { args: text }),
  }
}

/** Write a block that repeats a call, in its form. */
export function blockWith(block: Fields, args: unknown): Fields {
  const { type, input, functionCall } = block
  const text = JSON.stringify(args) ?? 'null'
  if (type === 'tool_use') return withFields(block, { input: typeof input === 'string' ? text : args })
  if (isFields(functionCall)) return withFields(block, { functionCall: withFields(functionCall, { args }) })
  return withFields(block, { args: type === 'tool_call_chunk' ? text : args })
}

/** Whether a block that repeats a call has these arguments, be it as text. */
export function hasArguments({ type, input, args, functionCall }: Fields, expected: unknown): boolean {
  const value = type === 'tool_use' ? input : isFields(functionCall) ? functionCall['args'] : args
  return valueText(value) === valueText(expected)
}

/** Write a value, or JSON text of it, as the same text. */
function valueText(value: unknown): string | undefined {
  if (typeof value !== 'string') return JSON.stringify(value)
  try {
    return JSON.stringify(JSON.parse(value))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return JSON.stringify(value)
  }
}

/** Free text goes to a tool of its own kind as the only argument. */
function itemWith(item: Fields, args: unknown, text: string): Fields {
  if (item['type'] !== 'custom_tool_call') return withFields(item, { arguments: text })
  const { input } = fieldsOf(args)
  return withFields(item, { input: typeof input === 'string' ? input : text })
}

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
