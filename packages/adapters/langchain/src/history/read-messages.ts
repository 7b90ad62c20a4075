import { isBaseMessage } from '@langchain/core/messages'
import type { HistoryMessage, HistoryPart, HistoryRole, HistoryToolCall } from '@spillway/history'
import { asRead, checkMessages, fieldError, isFields, type Fields } from '@spillway/history/format'
import { callListsOf, idOfEntry, isCallBlock, isInputOf, repeatsCall, type NativeCall } from './native-call.ts'
import { nativeOfPart, standingFor, type AnyMessage } from './native-message.ts'
import { blocksOf, readPiece, readResultContent } from './read-content.ts'

/** What is known of a conversation while it is read. */
interface Reading {
  readonly messages: readonly AnyMessage[]
  readonly index: number
  /** Names of the tools by the ids of their calls. */
  readonly names: Map<string, string>
}

const ROLES: ReadonlyMap<unknown, HistoryRole> = new Map([
  ['system', 'system'],
  ['human', 'user'],
  ['ai', 'assistant'],
  ['tool', 'tool'],
])
/** Roles of messages for which the role is a field, as the APIs name them. */
const CHAT_ROLES: ReadonlyMap<unknown, HistoryRole> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['assistant', 'assistant'],
])

/** Read the messages of a conversation. */
export function readLangchainMessages(conversation: unknown): HistoryMessage[] {
  const messages = checkMessages(conversation).map((message, index) => {
    if (isBaseMessage(message)) return message
    throw fieldError(`messages[${index}]`, 'a message of LangChain, such as a HumanMessage', message)
  })
  const names = new Map<string, string>()
  return messages.map((message, index) => {
    const native = nativeOfPart(standingFor(message))
    return asRead({ role: roleOf(message), parts: readParts(message, { messages, index, names }), native })
  })
}

/** Messages of unknown classes are said by the user, who may say anything; results of functions of old are results. */
function roleOf(message: AnyMessage): HistoryRole {
  if (message.type === 'generic') return CHAT_ROLES.get((message as unknown as Fields)['role']) ?? 'user'
  if (message.type === 'function') return 'tool'
  return ROLES.get(message.type) ?? 'user'
}

function readParts(message: AnyMessage, reading: Reading): readonly HistoryPart[] {
  const { type, content } = message
  if (type === 'ai') return readAssistant(message, reading)
  if (type === 'tool') return [readResult(message, reading)]
  if (ROLES.has(type) || type === 'generic') return blocksOf(content).map(readPiece)
  return [asRead({ type: 'opaque', value: { type, content }, native: nativeOfPart(content) })]
}

function readResult(message: AnyMessage, { index, names }: Reading): HistoryPart {
  const { tool_call_id: callId, name, status, content, additional_kwargs } = message
  if (typeof callId !== 'string') throw fieldError(`messages[${index}].tool_call_id`, 'a string', callId)
  // A screenshot answers a call of a computer: no text may take its place.
  const isScreenshot = additional_kwargs?.['type'] === 'computer_call_output'
  const opaque = { type: 'opaque', value: content, native: nativeOfPart(content) } as const
  return asRead({
    type: 'tool-result',
    callId,
    toolName: name ?? names.get(callId) ?? '',
    content: isScreenshot ? [asRead(opaque)] : readResultContent(content),
    ...(status === 'error' ? { isError: true } : {}),
    native: nativeOfPart(content),
  })
}

/** Read what a model said. A call stands where a block of the content repeats it, or else at the end. */
function readAssistant(message: AnyMessage, reading: Reading): readonly HistoryPart[] {
  const calls = (message.tool_calls ?? []) as readonly unknown[] as readonly Fields[]
  const lists = callListsOf(message)
  const blocks = blocksOf(message.content)
  const open = new Set(calls.keys())
  const taken = new Set<unknown>()
  const parts: HistoryPart[] = []
  const add = (at: number, own: readonly Fields[]): void => {
    open.delete(at)
    parts.push(readCall(calls[at]!, at, own, lists, reading))
  }
  for (const block of blocks) {
    if (taken.has(block)) continue
    const at = isCallBlock(block) ? [...open].find((position) => repeatsCall(block, calls[position]!)) : undefined
    if (at === undefined) {
      parts.push(readPiece(block))
      continue
    }
    const pieces = blocks.filter((one): one is Fields => isInputOf(one, block as Fields))
    for (const piece of pieces) taken.add(piece)
    add(at, [block as Fields, ...pieces])
  }
  for (const at of open) add(at, [])
  return parts
}

function readCall(
  call: Fields,
  at: number,
  blocks: readonly Fields[],
  lists: ReturnType<typeof callListsOf>,
  reading: Reading,
): HistoryToolCall {
  const { id: own, name, args } = call
  const id = typeof own === 'string' ? own : madeId(at, reading)
  const repeats = (entry: unknown): entry is Fields => isFields(entry) && idOfEntry(entry) === own
  const raw = own === undefined ? undefined : lists.raw.find(repeats)
  const item = own === undefined ? undefined : lists.items.find(repeats)
  const chunk = own === undefined ? undefined : lists.chunks.find(repeats)
  const native: NativeCall = { call, blocks, raw, item, chunk }
  const toolName = typeof name === 'string' ? name : ''
  reading.names.set(id, toolName)
  return asRead({
    type: 'tool-call',
    id,
    name: toolName,
    input: args,
    inputIsText: false,
    native: nativeOfPart(native),
  })
}

/** Ids are made up of the place of a call, and differ from all that are there. */
function madeId(at: number, { messages, index }: Reading): string {
  const taken = new Set(messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)))
  let id = `call_${index}_${at}`
  while (taken.has(id)) id += '_'
  return id
}
