import { indentJson, type ContentBlock } from '@spillway/text/internal'
import type { ContextOffloader } from '../offload/context-offloader.ts'
import type { OffloadRequest } from '../offload/offload-request.ts'
import { readMcpPart, writeMcpPart } from './mcp-content.ts'
import { mediaFromData } from './media-source.ts'
import { offloadParts } from './offload-parts.ts'

/** A tool result that the model gets as a JSON object. */
export interface RecordRequest extends Omit<OffloadRequest, 'content' | 'isError'> {
  /** What the tool returned. */
  readonly value: unknown
}

type JsonObject = Readonly<Record<string, unknown>>

/** Beside other fields of so many characters of JSON, at most, a long text is replaced in its own field. */
const MAX_BESIDE_TEXT = 1_000
/** As JSON, bytes take ten times their size: from so many on they are stored as they are. */
const MAX_BYTES_AS_JSON = 65_536
/** Fields in which frameworks put a text that a tool returned or threw. */
const TEXT_FIELDS = ['result', 'output', 'error']

/**
 * Offload a tool result for a framework that hands each to the model as a JSON object, and return the object that takes
 * its place; `undefined` where the result stays.
 *
 * - A result of the Model Context Protocol keeps its form: parts of its `content` are replaced, and `structuredContent`
 *   goes where it is too large.
 * - One long text with line breaks beside a few short fields, as in `{ status, log }`, is stored as text, so that its
 *   lines can be searched; the replacement takes its field.
 * - A string becomes `{ result: replacement }`. So does any other value, which is stored as JSON, and many bytes.
 *
 * An object is an error where `isError` is `true` or `error` holds anything; it stays one. Rejects as
 * {@link ContextOffloader.offload} does.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadAsRecord } from '@spillway/core/adapter'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const value = { status: 'ok', log: 'a line of a log\n'.repeat(5_000) }
 * const replaced = await offloadAsRecord(offloader, { toolName: 'read_log', toolCallId: 'call_1', value })
 * console.assert(replaced?.status === 'ok' && String(replaced.log).startsWith('[Offloaded: 1 blocks'))
 * ```
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
  const blocks = textField === undefined ? [blockOfValue(record)] : blocksOfText(fields, textField)
  const outcome = await offloader.offload({ ...request, isError, content: blocks })
  const [replacement] = outcome.content
  if (outcome.status === 'inline' || replacement?.type !== 'text') return undefined
  if (textField !== undefined) return { ...fields, [textField]: replacement.text }
  return { [isError ? 'error' : 'result']: replacement.text }
}

function blockOfValue(value: object): ContentBlock {
  if (!ArrayBuffer.isView(value) || value.byteLength <= MAX_BYTES_AS_JSON) return { type: 'json', value }
  const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  const { mediaType = '' } = mediaFromData('', bytes) ?? {}
  return mediaFromData(mediaType, bytes) ?? { type: 'unknown', value }
}

/** A part of a result, as it is and as a block. */
interface ReadPart {
  readonly part: unknown
  readonly block: ContentBlock
}

/** Read the parts of a result of the Model Context Protocol; none where one is not known, as it could not be stored. */
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
    fromBlock: (block) => ({ part: writeMcpPart(block), block }),
  })
  if (outcome.status === 'inline') return undefined
  const parts = outcome.parts.filter((part) => part !== rest).map(({ part }) => part)
  if (outcome.parts.includes(rest)) return { ...fields, content: parts }
  return { content: parts, ...(isError === undefined ? {} : { isError }) }
}

/** Name the field whose text is about all that an object has. */
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
  // As JSON, a text of one line is searched as well.
  if (text.length <= MAX_BESIDE_TEXT || !text.includes('\n')) return undefined
  return isShort(without(fields, longest)) ? longest : undefined
}

/** The other fields count as well, and are so short that they can stay. */
function blocksOfText(fields: JsonObject, name: string): readonly ContentBlock[] {
  const others = without(fields, name)
  const text: ContentBlock = { type: 'text', text: String(fields[name]) }
  return Object.keys(others).length === 0 ? [text] : [text, { type: 'unknown', value: others }]
}

function isShort(value: unknown): boolean {
  try {
    return (indentJson(value)?.length ?? Infinity) <= MAX_BESIDE_TEXT
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // It is too deep or too long for JSON.
    return false
  }
}

function without(fields: JsonObject, name: string): JsonObject {
  const { [name]: _removed, ...others } = fields
  return others
}
