import { parseJsonText } from '@spillway/core/adapter'
import { isFields, withFields, type Fields } from '@spillway/history/format'
import type { AnyMessage } from './native-message.ts'

/** A tool call. Providers repeat a call in several places, and send only some of them to the model. */
export interface NativeCall {
  readonly call: Fields
  /** Blocks of the content that belong to the call, such as Anthropic's `tool_use` and parts of its input. */
  readonly blocks: readonly Fields[]
  /** The call's entry in each of {@link LISTS}, if any. */
  readonly entries: readonly (Fields | undefined)[]
}

/** A list beside the content in which a message repeats its calls. */
interface CallList {
  readonly read: (message: AnyMessage) => unknown
  readonly write: (message: AnyMessage, list: readonly unknown[]) => Fields
  /** Return the entry with other arguments, given as a value and as JSON text. */
  readonly patch: (entry: Fields, args: unknown, text: string) => Fields
}

/** The lists of OpenAI's chat, of OpenAI's responses, and of a streamed message. */
const LISTS: readonly CallList[] = [
  {
    read: (message) => message.additional_kwargs?.tool_calls,
    write: ({ additional_kwargs: kwargs }, list) => ({ additional_kwargs: withFields(kwargs, { tool_calls: list }) }),
    patch: (entry, _args, text) =>
      withFields(entry, { function: withFields(fieldsOf(entry['function']), { arguments: text }) }),
  },
  {
    read: (message) => fieldsOf(message.response_metadata)['output'],
    write: ({ response_metadata: metadata }, list) => ({
      response_metadata: withFields(fieldsOf(metadata), { output: list }),
    }),
    patch: patchItem,
  },
  {
    read: (message) => (message as unknown as Fields)['tool_call_chunks'],
    write: (_message, list) => ({ tool_call_chunks: list }),
    patch: (chunk, _args, text) => withFields(chunk, { args: text }),
  },
]

/** For each list, the first entry that repeats a call. */
export function entriesOf(message: AnyMessage, { id }: Fields): NativeCall['entries'] {
  const repeats = (entry: unknown): entry is Fields => isFields(entry) && idOfEntry(entry) === id
  return LISTS.map(({ read }) => {
    const list = read(message)
    return id !== undefined && Array.isArray(list) ? list.find(repeats) : undefined
  })
}

/** Write the calls in all fields that have them. Unchanged fields keep their values. */
export function callFields(message: AnyMessage, calls: readonly NativeCall[]): Fields {
  const before = message.tool_calls ?? []
  const ids = new Set<unknown>(before.map(({ id }) => id))
  const ordered = inOrder(before, calls)
  const lists = LISTS.map(({ read, write }, at) => {
    const list = read(message)
    if (!Array.isArray(list) || list.length === 0) return {}
    const entriesAt = calls.map(({ entries }) => entries[at]).filter((entry) => entry !== undefined)
    return write(message, writeEntries(list, ids, entriesAt))
  })
  return Object.assign({ tool_calls: isSameList(before, ordered) ? message.tool_calls : ordered }, ...lists) as Fields
}

/** Sort calls by their former order. New calls come last. */
function inOrder(before: readonly { readonly id?: unknown }[], calls: readonly NativeCall[]): readonly Fields[] {
  const place = ({ call }: NativeCall): number => {
    const at = before.findIndex(({ id }) => id === call['id'])
    return at < 0 ? before.length : at
  }
  return calls.toSorted((a, b) => place(a) - place(b)).map(({ call }) => call)
}

/** Entries of removed calls are removed. */
function writeEntries(
  list: readonly unknown[],
  ids: ReadonlySet<unknown>,
  entries: readonly Fields[],
): readonly unknown[] {
  const left = [...entries]
  const written = list.flatMap((entry) => {
    const id = idOfEntry(entry)
    if (id === undefined || !ids.has(id)) return [entry]
    const at = left.findIndex((one) => idOfEntry(one) === id)
    return at < 0 ? [] : left.splice(at, 1)
  })
  return isSameList(list, written) ? list : written
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index])

const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'null'

function idOfEntry(entry: unknown): string | undefined {
  if (!isFields(entry)) return undefined
  const { type, id, call_id: callId } = entry
  const own = type === 'function_call' || type === 'custom_tool_call' ? callId : id
  return typeof own === 'string' ? own : undefined
}

const BLOCK_TYPES: ReadonlySet<unknown> = new Set(['tool_use', 'tool_call', 'tool_call_chunk', 'functionCall'])

export const isCallBlock = (block: unknown): block is Fields => isFields(block) && BLOCK_TYPES.has(block['type'])

/** Whether a block is a streamed part of a call's input, as in Anthropic's messages. */
export const isInputOf = (block: unknown, call: Fields): block is Fields =>
  isFields(block) &&
  block['type'] === 'input_json_delta' &&
  call['type'] === 'tool_use' &&
  block['index'] !== undefined &&
  block['index'] === call['index']

/** Whether a block repeats a call: it has the same id, or the same name and no id. */
export function repeatsCall(block: Fields, { id, name }: Fields): boolean {
  const { functionCall } = block
  if (isFields(functionCall)) return functionCall['name'] === name && (block['id'] === undefined || block['id'] === id)
  return typeof block['id'] === 'string' && block['id'] === id
}

export function withArguments(native: NativeCall, args: unknown): NativeCall {
  const { call, blocks, entries } = native
  if (call['args'] === args) return native
  return {
    call: withFields(call, { args }),
    // Omit the streamed parts of the input, which is complete now.
    blocks: blocks.filter(isCallBlock).map((block) => blockWith(block, args)),
    entries: entries.map((entry, at) => entry && LISTS[at]?.patch(entry, args, jsonOf(args))),
  }
}

export function blockWith(block: Fields, args: unknown): Fields {
  const { type, input, functionCall } = block
  const text = jsonOf(args)
  if (type === 'tool_use') return withFields(block, { input: typeof input === 'string' ? text : args })
  if (isFields(functionCall)) return withFields(block, { functionCall: withFields(functionCall, { args }) })
  return withFields(block, { args: type === 'tool_call_chunk' ? text : args })
}

export function hasArguments({ type, input, args, functionCall }: Fields, expected: unknown): boolean {
  const value = type === 'tool_use' ? input : isFields(functionCall) ? functionCall['args'] : args
  return valueText(value) === valueText(expected)
}

/** The same text for a value and for its JSON text. */
function valueText(value: unknown): string | undefined {
  const parsed = typeof value === 'string' ? parseJsonText(value) : undefined
  return JSON.stringify(parsed === undefined ? value : parsed)
}

/** A tool for free text gets the text as its only argument. */
function patchItem(item: Fields, args: unknown, text: string): Fields {
  if (item['type'] !== 'custom_tool_call') return withFields(item, { arguments: text })
  const { input } = fieldsOf(args)
  return withFields(item, { input: typeof input === 'string' ? input : text })
}

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
