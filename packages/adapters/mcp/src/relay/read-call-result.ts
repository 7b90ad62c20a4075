import type { ContentBlock } from '@spillway/core'
import { readMcpPart } from '@spillway/core/adapter'
import { fieldsOf, type Fields } from './message.ts'
import { isEqual, isSameJson } from './same-json.ts'

/** Characters of a result beside its content that cost too little to be measured. */
const MAX_UNMEASURED = 500
/** Names and types are kept up to this length where what is beside the content of a part is stored. */
const MAX_NAME_LENGTH = 100

/** One part of a result, in blocks that are measured and stored by themselves. */
export interface ResultPart {
  /** The part as it came. */
  readonly part: unknown
  /** Its text or bytes; links, and parts of unknown types, whole as JSON. */
  readonly block: ContentBlock
  /** The part without all else: its content, with a short name and type, and whom it is for. */
  readonly bare: unknown
  /** All else that it has. */
  readonly beside: Fields
  /** The same as a block, where that costs something. */
  readonly rest?: ContentBlock | undefined
}

/** A field of a result beside its content, where that costs something. */
export interface ResultField {
  readonly name: string
  readonly block: ContentBlock
}

/** A result of `tools/call` as blocks, which together are all that a host gets. */
export interface CallResult {
  readonly parts: readonly ResultPart[]
  /** Structured content that says something else than the parts. */
  readonly structured?: ContentBlock | undefined
  /** Whether there is structured content that says the same as the parts. */
  readonly isSaidTwice: boolean
  readonly fields: readonly ResultField[]
}

/** Read a result of `tools/call`. */
export function readCallResult(result: Fields): CallResult {
  const { content, structuredContent, isError: _isError, ...rest } = result
  const parts = Array.isArray(content) ? content.map(readPart) : []
  const others: Fields = content === undefined || Array.isArray(content) ? rest : { content, ...rest }
  const length = [others, ...parts.map(({ beside }) => beside)].reduce((sum, fields) => sum + lengthOf(fields), 0)
  const read = readStructured(parts, content, structuredContent)
  if (length <= MAX_UNMEASURED) return { ...read, fields: [] }
  return {
    ...read,
    parts: read.parts.map((part) => (isEmpty(part.beside) ? part : { ...part, rest: jsonBlock(part.beside) })),
    fields: Object.entries(others).map(([name, value]) => ({ name, block: jsonBlock({ [name]: value }) })),
  }
}

/** Whether the annotations of a part say that it is for the user alone. */
export function isForUserAlone(part: unknown): boolean {
  const { audience } = fieldsOf(fieldsOf(part)['annotations'])
  return Array.isArray(audience) && audience.length > 0 && audience.every((role) => role === 'user')
}

/** Return the annotations that one text in the place of these parts has: those of all of them, or for whom they all are. */
export function commonAnnotations(parts: readonly unknown[]): unknown {
  const [first, ...others] = parts.map((part) => fieldsOf(part)['annotations'])
  const isShort = first !== undefined && lengthOf({ first }) <= MAX_UNMEASURED
  if (isShort && others.every((one) => isEqual(one, first))) return first
  return parts.length > 0 && parts.every(isForUserAlone) ? { audience: ['user'] } : undefined
}

function readPart(part: unknown): ResultPart {
  const block = readMcpPart(part)
  // What cannot be stored as it is, can be as JSON.
  const isStorable = block.type !== 'link' && block.type !== 'unknown' && !(block.type === 'text' && block.text === '')
  return isStorable
    ? { part, block, ...splitPart(fieldsOf(part)) }
    : { part, block: jsonBlock(part), bare: part, beside: {} }
}

type SplitPart = Pick<ResultPart, 'bare' | 'beside'>

/** Split a part into its content and all else that it has. */
function splitPart({ type, annotations, ...fields }: Fields): SplitPart {
  const { audience } = fieldsOf(annotations)
  const mark = isAudience(audience) ? { annotations: { audience } } : {}
  if (type !== 'resource') {
    const { bare, beside } = splitContent(fields, type === 'text' ? 'text' : 'data')
    return { bare: { type, ...bare, ...mark }, beside: defined({ annotations, ...beside }) }
  }
  const { resource, ...around } = fields
  const own = fieldsOf(resource)
  const { bare, beside } = splitContent(own, typeof own['text'] === 'string' ? 'text' : 'blob')
  const besideContent = isEmpty(beside) ? undefined : beside
  return {
    bare: { type, resource: bare, ...mark },
    beside: defined({ annotations, ...around, resource: besideContent }),
  }
}

/** Split what has its content in the field `name`; names of ordinary length are part of what a content costs. */
function splitContent(
  { uri, mimeType, ...fields }: Fields,
  name: string,
): { readonly bare: Fields; readonly beside: Fields } {
  const { [name]: content, ...rest } = fields
  const [shortUri, shortType] = [shortened(uri), shortened(mimeType)]
  return {
    bare: defined({ uri: shortUri, mimeType: shortType, [name]: content }),
    beside: defined({
      uri: shortUri === uri ? undefined : uri,
      mimeType: shortType === mimeType ? undefined : mimeType,
      ...rest,
    }),
  }
}

/** Servers say structured content once more as content, for clients that do not know it: either is enough. */
function readStructured(
  parts: readonly ResultPart[],
  content: unknown,
  structuredContent: unknown,
): Omit<CallResult, 'fields'> {
  if (structuredContent === undefined) return { parts, isSaidTwice: false }
  const saidTwice = { parts, isSaidTwice: true }
  const saidAlone = { parts, isSaidTwice: false, structured: jsonBlock(structuredContent) }
  const fields = Object.values(fieldsOf(structuredContent))
  // As the only field of an object, as many servers wrap what is no object.
  const said = fields.length === 1 ? [structuredContent, fields[0]] : [structuredContent]
  if (said.some((value) => isEqual(value, content))) return saidTwice
  const [first] = parts
  const text = parts.length === 1 && first?.block.type === 'text' ? first.block.text : undefined
  if (text === undefined)
    return said.some((value) => Array.isArray(value) && isSameList(parts, value)) ? saidTwice : saidAlone
  if (said.includes(text)) return saidTwice
  const same = said.find((value) => isSameJson(text, value))
  if (same === undefined) return saidAlone
  // Values are stored with a line for each of their parts, as JSON in one line could hardly be searched; only where nothing
  // of the text is lost by that, such as digits of a number.
  return JSON.stringify(same) === text
    ? { parts: parts.map((part) => ({ ...part, block: jsonBlock(same) })), isSaidTwice: true }
    : saidTwice
}

/** Whether the parts are the items of a list, each a text of its own, as some servers write lists. */
const isSameList = (parts: readonly ResultPart[], list: readonly unknown[]): boolean =>
  parts.length === list.length &&
  parts.every(
    ({ block }, index) => block.type === 'text' && (block.text === list[index] || isSameJson(block.text, list[index])),
  )

const jsonBlock = (value: unknown): ContentBlock => ({ type: 'json', value })

const isEmpty = (fields: Fields): boolean => Object.keys(fields).length === 0

const lengthOf = (fields: Fields): number => (isEmpty(fields) ? 0 : JSON.stringify(fields).length)

const shortened = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, MAX_NAME_LENGTH) : undefined

const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const isAudience = (audience: unknown): boolean =>
  Array.isArray(audience) && audience.length <= 2 && audience.every((role) => role === 'user' || role === 'assistant')
