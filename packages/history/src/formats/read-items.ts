import { asRead } from '../as-read.ts'
import type { HistoryContent, HistoryMessage, HistoryPart, HistoryRole, HistoryToolCall } from '../history-message.ts'
import { checkMessage, checkMessages, fieldError, type Fields } from './check-fields.ts'
import { readItemContent, readShellOutput } from './item-content.ts'
import type { ItemDialect, OutputKind } from './item-dialect.ts'

const ROLES: ReadonlyMap<unknown, HistoryRole> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
])

/** What is known of the calls before an item. */
interface Calls {
  readonly names: Map<string, string>
  /** Ids of calls by those of their items, which results of a local shell may have. */
  readonly ofItems: Map<string, string>
}

/** Items that answer something: they come from outside of the model. */
const ANSWERS: ReadonlySet<unknown> = new Set(['mcp_approval_response', 'tool_search_output'])

/** Read a list of items: one message of each. */
export function readItems(conversation: unknown, dialect: ItemDialect): HistoryMessage[] {
  const calls: Calls = { names: new Map(), ofItems: new Map() }
  return checkMessages(conversation, 'items').map((value, index) => {
    const item = checkMessage(value, index, 'items')
    const native = { format: dialect.format, value: item }
    const [role, parts] = readItem(item, index, dialect, calls)
    return asRead({ role, parts, native })
  })
}

function readItem(
  item: Fields,
  index: number,
  dialect: ItemDialect,
  calls: Calls,
): readonly [HistoryRole, readonly HistoryPart[]] {
  const { type } = item
  if (type === 'message' || (type == null && item['role'] !== undefined)) return readMessage(item, index, dialect)
  // A reference to an item has no type where it has an id.
  if (type == null ? typeof item['id'] !== 'string' : typeof type !== 'string')
    throw fieldError(`items[${index}].type`, 'a string', type)
  if (type === 'reasoning') return ['assistant', [asRead({ type: 'reasoning', text: reasoningText(item) })]]
  const call = readCall(item, dialect, calls)
  if (call !== undefined) return ['assistant', [call]]
  const kind = dialect.results.get(type)
  if (kind !== undefined) return ['tool', [readResult(item, index, kind, dialect, calls)]]
  return [ANSWERS.has(type) ? 'tool' : 'assistant', [asRead({ type: 'opaque', value: item })]]
}

function readMessage(
  item: Fields,
  index: number,
  { format }: ItemDialect,
): readonly [HistoryRole, readonly HistoryPart[]] {
  const role = ROLES.get(item['role'])
  if (role === undefined) throw fieldError(`items[${index}].role`, 'a role of the API', item['role'])
  const content = readItemContent(item['content'], format)
  if (content === undefined) throw fieldError(`items[${index}].content`, 'a string or an array', item['content'])
  return [role, content as readonly HistoryPart[]]
}

/** Providers show thoughts as a summary, as they are, or only encrypted. */
function reasoningText(item: Fields): string {
  const texts = ['summary', 'content', 'rawContent'].flatMap((field) =>
    Array.isArray(item[field]) ? (item[field] as unknown[]) : [],
  )
  return texts
    .map((part) => (Object(part) as Fields)['text'])
    .filter((text) => typeof text === 'string')
    .join('\n')
}

function readCall(item: Fields, dialect: ItemDialect, calls: Calls): HistoryPart | undefined {
  const kind = dialect.calls.get(item['type'])
  const id = item[dialect.callId]
  if (kind === undefined || typeof id !== 'string') return undefined
  const { toolName = item['name'] } = kind
  const field = kind.input.find((name) => item[name] != null)
  const input = field === undefined ? undefined : item[field]
  if (typeof toolName !== 'string' || field === undefined || (kind.isText && typeof input !== 'string'))
    return undefined
  calls.names.set(id, toolName)
  if (item['type'] === 'local_shell_call' && typeof item['id'] === 'string') calls.ofItems.set(item['id'], id)
  return asRead<HistoryToolCall>({ type: 'tool-call', id, name: toolName, input, inputIsText: kind.isText })
}

function readResult(
  item: Fields,
  index: number,
  kind: OutputKind,
  dialect: ItemDialect,
  { names, ofItems }: Calls,
): HistoryPart {
  const { output, name, caller } = item
  const own = item[dialect.callId] ?? (item['type'] === 'local_shell_call_output' ? item['id'] : undefined)
  // A result may have a name in the place of an id: nothing pairs it.
  if (typeof own !== 'string') return asRead({ type: 'opaque', value: item })
  const callId = names.has(own) ? own : (ofItems.get(own) ?? own)
  const toolName = names.get(callId) ?? (typeof name === 'string' ? name : '')
  // What a program of the provider gets is not read by any model, and must stay as it is.
  const isForProgram = (Object(caller ?? {}) as Fields)['type'] === 'program'
  const content =
    isForProgram || kind === 'screenshot' ? opaque(output, dialect.format) : readOutput(output, kind, dialect.format)
  if (content === undefined) throw fieldError(`items[${index}].output`, 'an output of the API', output)
  const isError = item['type'] === 'apply_patch_call_output' && item['status'] === 'failed'
  return asRead({ type: 'tool-result', callId, toolName, content, ...(isError ? { isError } : {}) })
}

const opaque = (value: unknown, format: string): readonly HistoryContent[] => [
  asRead({ type: 'opaque', value, native: { format, value } }),
]

function readOutput(output: unknown, kind: OutputKind, format: string): readonly HistoryContent[] | undefined {
  if (kind === 'shell') return readShellOutput(output, format)
  return kind === 'text' && output != null && typeof output !== 'string' ? undefined : readItemContent(output, format)
}
