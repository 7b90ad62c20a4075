import type { BaseMessage } from '@langchain/core/messages'
import type { HistoryContent, HistoryMessage, HistoryPart, HistoryToolCall, HistoryToolResult } from '@spillway/history'
import {
  argumentsObject,
  base64Of,
  isAsRead,
  isFields,
  jsonText,
  withFields,
  writeContentList,
  type Fields,
  type WrittenPiece,
} from '@spillway/history/format'
import { mediaPart, textOfPart } from '../content-parts.ts'
import {
  blockWith,
  callListsOf,
  hasArguments,
  idOfEntry,
  isCallBlock,
  repeatsCall,
  withArguments,
  type NativeCall,
} from './native-call.ts'
import { LANGCHAIN_MESSAGES, type AnyMessage } from './native-message.ts'
import { isPlainValue } from './read-content.ts'

const toBlock = (text: string): Fields => ({ type: 'text', text })
const MARKS = ['cache_control']

/** Returns a copy of the class. */
export function patchMessage(native: AnyMessage, { parts }: HistoryMessage, index: number): BaseMessage {
  const [part] = parts
  if (native.type === 'tool' && part?.type === 'tool-result')
    return copyMessage(native, { content: resultContent(native.content, part, `messages[${index}]`) })
  const fresh = new Set<WrittenPiece>()
  const calls = new Map<HistoryPart, NativeCall>()
  for (const one of parts) if (one.type === 'tool-call') calls.set(one, callOf(one))
  const pieces = parts.flatMap((one, at): readonly WrittenPiece[] => {
    const own = ownOf(one)
    if (one.type === 'opaque' && isCallBlock(own)) return [repeated(own, calls.values())]
    return calls.get(one)?.blocks ?? [writePiece(one, fresh, `messages[${index}].parts[${at}]`)]
  })
  const original: unknown = native.content
  const content = writeContentList({ original, pieces, fresh, toPart: toBlock, separator: '\n\n', marks: MARKS })
  return copyMessage(native, { content, ...(native.type === 'ai' ? callFields(native, [...calls.values()]) : {}) })
}

/** Older versions repeat a call more than once: all copies change. */
function repeated(block: Fields, calls: Iterable<NativeCall>): Fields {
  for (const { call } of calls)
    if (repeatsCall(block, call)) return hasArguments(block, call['args']) ? block : blockWith(block, call['args'])
  return block
}

function writePiece(part: HistoryPart, fresh: Set<WrittenPiece>, place: string): WrittenPiece {
  const own = ownOf(part)
  if (own !== undefined && (isAsRead(part) || part.type !== 'text')) return own as WrittenPiece
  if (part.type === 'text' && typeof own === 'string') return part.text
  if (part.type === 'text' && isFields(own)) return withText(own, part.text)
  const block = writeBlock(part as Parameters<typeof writeBlock>[0], place)
  if (part.type === 'text') fresh.add(block)
  return block
}

const ownOf = ({ native }: Pick<HistoryPart, 'native'>): unknown =>
  native?.format === LANGCHAIN_MESSAGES ? native.value : undefined

function withText(block: Fields, text: string): Fields {
  if (typeof block['text'] === 'string') return withFields(block, { text })
  if (textOfPart(block) === undefined || !isFields(block['source'])) return toBlock(text)
  return withFields(block, { source: withFields(block['source'], { data: text }) })
}

function resultContent(original: unknown, part: HistoryToolResult, place: string): unknown {
  if (isAsRead(part)) return original
  const [only] = part.content
  if (part.content.length === 1 && only?.type === 'json' && isPlainValue(only.value)) return ownOf(only) ?? only.value
  const fresh = new Set<WrittenPiece>()
  const pieces = part.content.map((piece): WrittenPiece => {
    // Stored content comes back without its block.
    if (piece.type === 'json' && isFields(piece.value) && piece.value['type'] === 'search_result') return piece.value
    if (piece.type === 'opaque' && ownOf(piece) === original) return original as WrittenPiece
    return piece.type === 'json' ? writeBlock(piece, place) : writePiece(piece, fresh, place)
  })
  return writeContentList({ original, pieces, fresh, toPart: toBlock, separator: '\n', marks: MARKS })
}

function callOf(part: HistoryToolCall): NativeCall {
  const native = ownOf(part) as NativeCall | undefined
  if (native !== undefined) return withArguments(native, part.input)
  return { call: newCall(part), blocks: [], raw: undefined, item: undefined, chunk: undefined }
}

/** Unchanged fields stay the very values. */
function callFields(native: AnyMessage, calls: readonly NativeCall[]): Fields {
  const before = native.tool_calls ?? []
  const { raw, items, chunks } = callListsOf(native)
  const ids = new Set(before.map(({ id }) => id))
  const write = (list: readonly unknown[], entry: (call: NativeCall) => Fields | undefined): readonly unknown[] =>
    writeEntries(list, calls, ids, entry)
  const kwargs: Fields = native.additional_kwargs
  const metadata: Fields = native.response_metadata ?? {}
  const ordered = inOrder(before, calls)
  return {
    tool_calls: isSameList(before, ordered) ? native.tool_calls : ordered,
    additional_kwargs: raw.length === 0 ? kwargs : withFields(kwargs, { tool_calls: write(raw, (call) => call.raw) }),
    response_metadata:
      items.length === 0
        ? native.response_metadata
        : withFields(metadata, { output: write(items, (call) => call.item) }),
    ...(chunks.length === 0 ? {} : { tool_call_chunks: write(chunks, (call) => call.chunk) }),
  }
}

/** Calls keep their order; new ones come last. */
function inOrder(before: readonly unknown[], calls: readonly NativeCall[]): readonly Fields[] {
  const place = ({ call }: NativeCall): number => {
    const at = before.findIndex((one) => isFields(one) && one['id'] === call['id'])
    return at < 0 ? before.length : at
  }
  return calls.toSorted((a, b) => place(a) - place(b)).map(({ call }) => call)
}

/** Entries of removed calls are removed. */
function writeEntries(
  list: readonly unknown[],
  calls: readonly NativeCall[],
  ids: ReadonlySet<unknown>,
  entryOf: (call: NativeCall) => Fields | undefined,
): readonly unknown[] {
  const left = [...calls]
  const written = list.flatMap((entry) => {
    const id = idOfEntry(entry)
    if (id === undefined || !ids.has(id)) return [entry]
    const at = left.findIndex((call) => call.call['id'] === id && entryOf(call) !== undefined)
    const [call] = at < 0 ? [] : left.splice(at, 1)
    const own = call && entryOf(call)
    return own === undefined ? [] : [own]
  })
  return isSameList(list, written) ? list : written
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index])

const newCall = (call: HistoryToolCall): Fields => ({
  type: 'tool_call',
  id: call.id,
  name: call.name,
  args: argumentsObject(call),
})

/** Throws a `TypeError` for content that no block can have. */
function writeBlock(piece: HistoryContent, place: string): Fields {
  if (piece.type === 'text') return { type: 'text', text: piece.text }
  if (piece.type === 'json') return { type: 'text', text: jsonText(piece.value, place) }
  const block = piece.type === 'opaque' ? undefined : writeMedia(piece)
  if (block !== undefined) return block
  throw new TypeError(`${place}: a message of LangChain has no place for this ${piece.type}.`)
}

function writeMedia(media: Exclude<HistoryContent, { type: 'text' | 'json' | 'opaque' }>): Fields | undefined {
  const data = base64Of(media)
  if (data !== undefined) return mediaPart(media, { data })
  return media.url === undefined ? undefined : mediaPart(media, { url: media.url })
}

/** Returns the very message if no value differs. The constructor is not called, as it may need other arguments. */
function copyMessage<Message extends BaseMessage>(message: Message, fields: Fields): Message {
  const changed = Object.entries(fields).filter(([name, value]) => (message as unknown as Fields)[name] !== value)
  if (changed.length === 0) return message
  const copy = Object.create(
    Object.getPrototypeOf(message) as object,
    Object.getOwnPropertyDescriptors(message),
  ) as Message
  // Checkpoints have the arguments of the constructor, by name.
  const given: Record<string, unknown> = { ...message.lc_kwargs }
  for (const [name, value] of changed) {
    define(copy, name, value)
    if (Object.hasOwn(given, name)) given[name] = value
    if (name === 'content' && Object.hasOwn(given, 'contentBlocks')) Object.assign(given, asBlocks(given, value))
  }
  define(copy, 'lc_kwargs', given)
  return copy
}

/** The standard form of LangChain 1 has blocks in place of `content`. */
const asBlocks = ({ content }: Fields, value: unknown): Fields => ({
  contentBlocks: value,
  ...(content === value ? { content: undefined } : {}),
})

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
}
