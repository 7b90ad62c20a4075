import type { ContentBlock, ContextOffloader, OffloadedBlock } from '@spillway/core'
import { readMcpPart, writeMcpPart } from '@spillway/core/adapter'
import { fieldsOf, type Fields } from './message.ts'
import { referenceUri } from './resource-uri.ts'
import { isEqual, isSameJson } from './same-json.ts'

/** Under this key, `_meta` of a replaced result says what was stored, for programs. */
export const OFFLOADED_META_KEY = 'spillway/offloaded'

/** A result of `tools/call`, and the call that it answers. */
export interface CallResultRequest {
  readonly toolName: string
  readonly input: unknown
  readonly result: unknown
  /** Whether to add links that `resources/read` follows. */
  readonly resourceLinks: boolean
  /** Aborted where nobody waits for the result any more, which then stays as it is. */
  readonly signal?: AbortSignal | undefined
}

interface Part {
  readonly part: unknown
  readonly block: ContentBlock
}

/**
 * Offload a result of `tools/call` and return what takes its place; the very result where it stays.
 *
 * `structuredContent` that the content says as well is not stored a second time; where either is replaced, it goes.
 */
export async function offloadCallResult(
  offloader: ContextOffloader,
  { toolName, input, result, resourceLinks, signal }: CallResultRequest,
): Promise<unknown> {
  const fields = fieldsOf(result)
  const { content, structuredContent, isError, _meta } = fields
  const { parts, structured } = readResult(content, structuredContent)
  const all = structured === undefined ? parts : [...parts, structured]
  if (all.length === 0) return result

  const outcome = await offloader.offload({
    toolName,
    // The ids of requests begin anew with each connection; that of the call in the conversation is not told.
    toolCallId: toolName,
    input,
    isError: isError === true,
    signal,
    content: all.map(({ block }) => block),
  })
  if (outcome.status === 'inline') return result
  const partOf = new Map(all.map(({ block, part }) => [block, part]))
  const shown = outcome.content
    .filter((block) => structured === undefined || block !== structured.block)
    .map((block) => (partOf.has(block) ? partOf.get(block) : writeMcpPart(block)))
  const links = resourceLinks ? outcome.stored.map((stored) => linkTo(stored, toolName)) : []
  const { structuredContent: _replaced, ...others } = fields
  return {
    ...(structured !== undefined && outcome.content.includes(structured.block) ? fields : others),
    content: [...shown, ...links],
    _meta: { ...fieldsOf(_meta), [OFFLOADED_META_KEY]: { tokens: outcome.tokens, stored: outcome.stored } },
  }
}

/** Texts of so many characters are over any limit that pays. */
const LARGE_TEXT = 65_536

/** Tell whether a result of `tools/call` may be over the limit; some that are not are said to be. */
export function mayBeReplaced({ options }: ContextOffloader, result: unknown): boolean {
  const { content, structuredContent } = fieldsOf(result)
  const { countTokens, includeRetrievalTool, maxResultTokens } = options
  if (!includeRetrievalTool || (content === undefined && structuredContent === undefined)) return false
  const texts = Array.isArray(content) ? content.map((part) => fieldsOf(part)['text']) : []
  if (texts.some((text) => typeof text === 'string' && text.length > LARGE_TEXT)) return true
  return countTokens(JSON.stringify([content, structuredContent])) > maxResultTokens
}

const readPart = (part: unknown): Part => ({ part, block: readMcpPart(part) })

interface ReadResult {
  readonly parts: readonly Part[]
  /** Structured content that says something else than the parts. */
  readonly structured?: Part
}

/** Servers say structured content once more as content, for clients that do not know it: either is enough. */
function readResult(content: unknown, structuredContent: unknown): ReadResult {
  const parts = Array.isArray(content) ? content.map(readPart) : []
  if (structuredContent === undefined) return { parts }
  const fields = Object.values(fieldsOf(structuredContent))
  // As the only field of an object, as many servers wrap what is no object.
  const said = fields.length === 1 ? [structuredContent, fields[0]] : [structuredContent]
  if (said.some((value) => isEqual(value, content))) return { parts }
  const [first] = parts
  const text = parts.length === 1 && first?.block.type === 'text' ? first.block.text : undefined
  if (text === undefined) {
    const isSaid = said.some((value) => Array.isArray(value) && isSameList(parts, value))
    return isSaid ? { parts } : { parts, structured: structuredPart(structuredContent) }
  }
  if (said.includes(text)) return { parts }
  const same = said.find((value) => isSameJson(text, value))
  if (same === undefined) return { parts, structured: structuredPart(structuredContent) }
  // Values are stored with a line for each of their parts, as JSON in one line could hardly be searched; only where nothing
  // of the text is lost by that, such as digits of a number.
  return {
    parts: JSON.stringify(same) === text ? [{ part: first?.part, block: { type: 'json', value: same } }] : parts,
  }
}

const structuredPart = (value: unknown): Part => ({ part: undefined, block: { type: 'json', value } })

/** Whether the parts are the items of a list, each a text of its own, as some servers write lists. */
const isSameList = (parts: readonly Part[], list: readonly unknown[]): boolean =>
  parts.length === list.length &&
  parts.every(
    ({ block }, index) => block.type === 'text' && (block.text === list[index] || isSameJson(block.text, list[index])),
  )

function linkTo({ reference, type, contentType, size }: OffloadedBlock, toolName: string): Fields {
  const name = `${toolName} (${type})`
  return { type: 'resource_link', uri: referenceUri(reference), name, mimeType: contentType, size }
}
