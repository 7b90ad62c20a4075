import { indentJson, type ContentBlock } from '@spillway/text/internal'
import type { ContextOffloader } from '../offload/context-offloader.ts'
import type { InlineReason, OffloadRequest } from '../offload/offload-request.ts'
import { joinedText } from '../offload/store-blocks.ts'
import { jsonOf, readMcpPart, writeMcpPart } from './mcp-content.ts'
import { readModelPart, writeModelPart, type ModelMediaForm } from './model-output.ts'

/** A tool call with its result in a framework's parts. */
export interface PartsRequest<Part> extends Omit<OffloadRequest, 'content'> {
  readonly parts: readonly Part[]
  /** Reads a part; `{ type: 'unknown', value: part }` for an unknown part. */
  readonly toBlock: (part: Part) => ContentBlock
  /** Writes the replacement. */
  readonly fromText: (text: string) => Part
  /** Writes a JSON value without its secrets. By default, the value is written as text. */
  readonly fromJson?: ((value: unknown) => Part) | undefined
  /** Writes a block that a previewer added, such as a smaller image. By default, such blocks are omitted. */
  readonly fromBlock?: ((block: ContentBlock) => Part) | undefined
}

/** The parts that replace the parts of a result, or the reason why the result is not replaced. */
export type PartsOutcome<Part> =
  | { readonly status: 'inline'; readonly reason: InlineReason }
  | {
      readonly status: 'offloaded'
      /** Whether only secrets were removed: each part of the result has a part here, in the same order. */
      readonly isRedacted?: boolean
      readonly parts: readonly [Part, ...Part[]]
    }

/**
 * Offload a tool result in a framework's parts. The replacement comes first. Other parts stay the same objects.
 *
 * Rejects like {@link ContextOffloader.offload}.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadParts } from '@spillway/core/adapter'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const parts = [{ kind: 'text', body: 'a line of a log\n'.repeat(5_000) }]
 * const outcome = await offloadParts(offloader, {
 *   toolName: 'read_log',
 *   toolCallId: 'call_1',
 *   parts,
 *   toBlock: ({ body }) => ({ type: 'text', text: body }),
 *   fromText: (text) => ({ kind: 'text', body: text }),
 * })
 * console.assert(outcome.status === 'offloaded' && outcome.parts[0].body.startsWith('[Offloaded: 1 block'))
 * ```
 */
export async function offloadParts<Part>(
  offloader: Pick<ContextOffloader, 'offload'>,
  { parts, toBlock, fromText, fromJson, fromBlock, ...request }: PartsRequest<Part>,
): Promise<PartsOutcome<Part>> {
  const content = parts.map(toBlock)
  const outcome = await offloader.offload({ ...request, content })
  if (outcome.status === 'inline') return { status: 'inline', reason: outcome.reason }
  if (outcome.status === 'redacted') {
    const redacted = outcome.content.map((block, index) => {
      if (block === content[index]) return parts[index] as Part
      if (block.type === 'text') return fromText(block.text)
      if (block.type === 'json') return fromJson?.(block.value) ?? fromText(JSON.stringify(block.value))
      // The framework's own part, without secrets.
      if (block.type === 'unknown') return block.value as Part
      return fromBlock?.(block) ?? fromText(`[${block.type}: a form without its secrets cannot be shown]`)
    })
    return { status: 'offloaded', isRedacted: true, parts: redacted as [Part, ...Part[]] }
  }
  const [replacement, ...kept] = outcome.content
  if (replacement?.type !== 'text') throw new TypeError('An offloaded result must begin with its replacement.')
  const partOf = new Map(content.map((block, index) => [block, parts[index] as Part]))
  const keptParts = kept.flatMap((block) => {
    if (partOf.has(block)) return [partOf.get(block) as Part]
    return fromBlock === undefined ? [] : [fromBlock(block)]
  })
  return { status: 'offloaded', parts: [fromText(replacement.text), ...keptParts] }
}

/** The tool call of a model output. */
export type ModelOutputCall = Pick<
  OffloadRequest,
  'toolName' | 'toolCallId' | 'input' | 'purpose' | 'callsInTurn' | 'signal' | 'isError'
>

type ProviderOptions = Readonly<Record<string, unknown>>

/** The output for the model, and the reason if the output is unchanged. */
export interface OffloadedModelOutput<Output> {
  readonly output: Output
  readonly reason?: InlineReason
}

/** Offload an output `{ type, value }` of `toModelOutput`. An unchanged output stays the same object. */
export async function offloadModelOutput<Output>(
  offloader: Pick<ContextOffloader, 'offload'>,
  call: ModelOutputCall,
  output: Output,
): Promise<OffloadedModelOutput<Output>> {
  // Tools may return any value.
  const { type, value } = Object(output) as { readonly type?: unknown; readonly value?: unknown }
  const isError = type === 'error-text' || type === 'error-json'

  async function replaceValue(block: ContentBlock): Promise<OffloadedModelOutput<Output>> {
    const fromText = (text: string): Output => ({ ...output, type: isError ? 'error-text' : 'text', value: text })
    const fromJson = (json: unknown): Output => ({ ...output, value: json })
    const request = { ...call, isError, parts: [output], toBlock: () => block, fromText, fromJson }
    const outcome = await offloadParts(offloader, request)
    return outcome.status === 'inline' ? { output, reason: outcome.reason } : { output: outcome.parts[0] }
  }

  async function replaceParts(parts: readonly unknown[]): Promise<OffloadedModelOutput<Output>> {
    const fromText = (text: string): unknown => ({ type: 'text', text })
    const form = mediaForm(parts)
    const fromBlock = (block: ContentBlock): unknown => writeModelPart(block, form)
    const outcome = await offloadParts(offloader, { ...call, parts, toBlock: readModelPart, fromText, fromBlock })
    if (outcome.status === 'inline') return { output, reason: outcome.reason }
    if (outcome.isRedacted === true) return { output: { ...output, value: outcome.parts.map(withNameInText) } }
    const [replacement, ...kept] = outcome.parts
    const options = optionsOfTexts(parts.filter((part) => !kept.includes(part)))
    return { output: { ...output, value: [{ ...Object(replacement), ...options }, ...kept.map(withNameInText)] } }
  }

  switch (type) {
    case 'text':
    case 'error-text':
      return typeof value === 'string' ? replaceValue({ type: 'text', text: value }) : { output }
    case 'json':
    case 'error-json':
      return replaceValue({ type: 'json', value })
    case 'content':
      return Array.isArray(value) ? replaceParts(value) : { output }
    default:
      return { output }
  }
}

/** Write the name of a text before the text, because a text part has no field for a name. */
function withNameInText(part: unknown): unknown {
  const { type, text, filename, mediaType: _type, ...others } = Object(part) as Readonly<Record<string, unknown>>
  if (type !== 'text' || typeof filename !== 'string') return part
  return { ...others, type, text: joinedText(String(text), filename) }
}

function mediaForm(parts: readonly unknown[]): ModelMediaForm {
  const types = parts.map((part) => (Object(part) as { readonly type?: unknown }).type)
  if (types.includes('file')) return 'file'
  return types.includes('media') ? 'media' : 'file-data'
}

/** Return provider options of the texts, such as the end of a cached prefix. The replacement gets these options. */
function optionsOfTexts(parts: readonly unknown[]): { readonly providerOptions?: ProviderOptions } {
  const texts = parts as readonly { readonly type?: unknown; readonly providerOptions?: ProviderOptions }[]
  const options = texts.flatMap(({ type, providerOptions }) => (type === 'text' ? (providerOptions ?? []) : []))
  return options.length === 0 ? {} : { providerOptions: Object.assign({}, ...options) as ProviderOptions }
}

/** A tool call whose result the model gets as a JSON object. */
export interface RecordRequest extends Omit<OffloadRequest, 'content' | 'isError'> {
  readonly value: unknown
}

type JsonObject = Readonly<Record<string, unknown>>

const MAX_BESIDE_TEXT = 1_000
const TEXT_FIELDS = ['result', 'output', 'error']

/**
 * Offload a tool result that the model gets as a JSON object, and return the new object. If the result is not
 * offloaded, return `undefined`.
 *
 * - An MCP result keeps its form; large `structuredContent` is removed.
 * - One long text beside a few short fields, as in `{ status, log }`, is replaced within its field.
 * - Any other value becomes `{ result: replacement }`.
 *
 * An object is an error if `isError` is `true` or `error` is set. Rejects like {@link ContextOffloader.offload}.
 */
export async function offloadAsRecord(
  offloader: Pick<ContextOffloader, 'offload'>,
  { value, ...request }: RecordRequest,
): Promise<Record<string, unknown> | undefined> {
  const record: unknown = typeof value === 'string' ? { result: value } : value
  if (typeof record !== 'object' || record === null) return undefined
  const isOpaque = Array.isArray(record) || ArrayBuffer.isView(record) || 'toJSON' in record
  const fields: JsonObject = isOpaque ? {} : (record as JsonObject)
  const isError = fields['isError'] === true || Boolean(fields['error'])
  const content = readMcpContent(fields['content'])
  if (content !== undefined) return await offloadMcpResult(offloader, { ...request, isError }, fields, content)

  const textField = findTextField(fields)
  const blocks = textField === undefined ? [{ type: 'json', value: record } as const] : blocksOfText(fields, textField)
  const outcome = await offloader.offload({ ...request, isError, content: blocks })
  const [replacement, beside] = outcome.content
  if (outcome.status === 'inline') return undefined
  if (replacement?.type === 'json' && outcome.status === 'redacted') return Object(replacement.value) as JsonObject
  if (replacement?.type !== 'text') return undefined
  if (textField === undefined) return { [isError ? 'error' : 'result']: replacement.text }
  const others = beside?.type === 'unknown' ? (Object(beside.value) as JsonObject) : {}
  return { ...fields, ...others, [textField]: replacement.text }
}

interface ReadPart {
  readonly part: unknown
  readonly block: ContentBlock
}

/** Returns `undefined` if a part is unknown, because an unknown part could not be stored. */
function readMcpContent(content: unknown): readonly ReadPart[] | undefined {
  if (!Array.isArray(content) || content.length === 0) return undefined
  const parts = content.map((part: unknown): ReadPart => ({ part, block: readMcpPart(part) }))
  return parts.some(({ block }) => block.type === 'unknown') ? undefined : parts
}

async function offloadMcpResult(
  offloader: Pick<ContextOffloader, 'offload'>,
  request: Omit<OffloadRequest, 'content'>,
  fields: JsonObject,
  content: readonly ReadPart[],
): Promise<Record<string, unknown> | undefined> {
  const { content: _content, isError, ...others } = fields
  const rest: ReadPart = { part: others, block: { type: 'json', value: others } }
  const outcome = await offloadParts<ReadPart>(offloader, {
    ...request,
    parts: Object.keys(others).length === 0 ? content : [...content, rest],
    toBlock: ({ block }) => block,
    fromText: (text) => ({ part: { type: 'text', text }, block: { type: 'text', text } }),
    fromJson: (value) => ({ part: value, block: { type: 'json', value } }),
    fromBlock: (block) => ({ part: writeMcpPart(block), block }),
  })
  if (outcome.status === 'inline') return undefined
  if (outcome.isRedacted === true) {
    const redacted = outcome.parts.map(({ part }) => part)
    return { ...fields, ...Object(redacted[content.length]), content: redacted.slice(0, content.length) }
  }
  const parts = outcome.parts.filter((part) => part !== rest).map(({ part }) => part)
  if (outcome.parts.includes(rest)) return { ...fields, content: parts }
  return { content: parts, ...(isError === undefined ? {} : { isError }) }
}

function findTextField(fields: JsonObject): string | undefined {
  const names = Object.keys(fields)
  let longest: string | undefined
  let text = ''
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && (longest === undefined || value.length > text.length))
      [longest, text] = [name, value]
  }
  if (longest === undefined || (names.length === 1 && TEXT_FIELDS.includes(longest))) return longest
  // A text of one line can be searched within the JSON, so it needs no entry of its own.
  if (text.length <= MAX_BESIDE_TEXT || !text.includes('\n')) return undefined
  const beside = jsonOf(without(fields, longest))
  return beside !== undefined && beside.length <= MAX_BESIDE_TEXT ? longest : undefined
}

function blocksOfText(fields: JsonObject, name: string): readonly ContentBlock[] {
  const others = without(fields, name)
  const text: ContentBlock = { type: 'text', text: String(fields[name]) }
  return Object.keys(others).length === 0 ? [text] : [text, { type: 'unknown', value: others }]
}

function without(fields: JsonObject, name: string): JsonObject {
  const { [name]: _removed, ...others } = fields
  return others
}

/** A tool call and the value that its tool threw. */
export interface ThrownRequest extends Omit<OffloadRequest, 'content' | 'isError'> {
  readonly thrown: unknown
}

/**
 * Offload the message of a thrown value, and return the value to throw instead. If the message is small, return the
 * same value.
 *
 * A replaced error keeps its class and fields, and has the original as its `cause`. Never rejects.
 */
export async function offloadThrown(
  offloader: Pick<ContextOffloader, 'offload'>,
  { thrown, ...request }: ThrownRequest,
): Promise<unknown> {
  const text = messageOf(thrown)
  if (text === undefined) return thrown
  const outcome = await offloader.offload({ ...request, isError: true, content: [{ type: 'text', text }] })
  const [replacement] = outcome.content
  if (outcome.status === 'inline' || replacement?.type !== 'text') return thrown
  return typeof thrown === 'string' ? replacement.text : replaceError(thrown, replacement.text)
}

function messageOf(thrown: unknown): string | undefined {
  if (typeof thrown === 'string') return thrown
  const text: unknown = thrown instanceof Error ? thrown.message : indentJson(thrown)
  return typeof text === 'string' ? text : undefined
}

/** Copy an error with another message. Handlers recognize errors by class, name and fields such as `code`. */
function replaceError(thrown: unknown, message: string): Error {
  const error = new Error(message, { cause: thrown })
  if (!(thrown instanceof Error)) return error
  Object.setPrototypeOf(error, Object.getPrototypeOf(thrown) as object)
  const all = { ...accessorsOf(thrown), ...Object.getOwnPropertyDescriptors(thrown) }
  const { message: _message, stack: _stack, cause: _cause, ...own } = all
  return Object.defineProperties(error, own)
}

/** Accessors read the original error, because they may use its private fields, which a copy does not have. */
function accessorsOf(original: Error): PropertyDescriptorMap {
  const accessors: PropertyDescriptorMap = {}
  let prototype = Object.getPrototypeOf(original) as object
  while (prototype !== Error.prototype) {
    for (const [name, accessor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      const get = accessor.get?.bind(original)
      if (get !== undefined) accessors[name] ??= { ...accessor, get, enumerable: false }
    }
    prototype = Object.getPrototypeOf(prototype) as object
  }
  return accessors
}
