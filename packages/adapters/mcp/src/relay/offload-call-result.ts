import type { ContentBlock, ContextOffloader, Outcome } from '@spillway/core'
import {
  isExactNumber,
  maxResultTokensOf,
  OFFLOADED_KEY,
  parseExactJson,
  plainNumber,
  readMcpPart,
  writeMcpPart,
  parseJsonText,
} from '@spillway/core/adapter'
import { fieldsOf, type Fields } from './message.ts'

interface CallResultRequest {
  readonly toolName: string
  readonly input: unknown
  readonly result: unknown
  /** Aborted when the result is no longer needed. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Offload a result of `tools/call`. Returns the same result if nothing changes.
 *
 * `structuredContent` that repeats the content is not stored again. `structuredContent` of this kind is removed if the
 * content is replaced, or if both together exceed the limit. Parts whose audience is only the user are replaced
 * separately, so that their previews have the same audience.
 */
export async function offloadCallResult(offloader: ContextOffloader, request: CallResultRequest): Promise<unknown> {
  const { toolName, result } = request
  if (isDeep(result)) {
    const flat = flatResult(result)
    const shown = await offloadCallResult(offloader, { ...request, result: flat })
    return shown === flat ? result : shown
  }
  // A result must be an object, but hosts may show other values, too.
  const fields = isObject(result) ? result : { content: result }
  const { parts, structured, isSaidTwice, fields: large } = readCallResult(fields)
  const forUser = parts.filter(({ part }) => isForUserAlone(part))
  const forModel = parts.filter((part) => !forUser.includes(part))
  const besides = [...(structured === undefined ? [] : [structured]), ...large.map(({ block }) => block)]
  const groups = [await offloadGroup(offloader, request, forModel, besides)]
  if (forUser.length > 0) groups.push(await offloadGroup(offloader, request, forUser, []))
  const stored = groups.flatMap(({ outcome }) => (outcome.status === 'offloaded' ? outcome.stored : []))
  const { structuredContent, ...unstructured } = fields
  if (groups.every(({ outcome }) => outcome.status === 'inline'))
    return isSaidTwice && areOver(offloader, toolName, groups, structuredContent) ? unstructured : result

  const staying = new Set(groups.flatMap(({ outcome }) => outcome.content))
  const others = structured !== undefined && staying.has(structured) ? { ...fields } : { ...unstructured }
  for (const { name, block } of large) if (!staying.has(block)) delete others[name]
  const besidesOfParts = groups.flatMap((group) => group.besides)
  const offloaded = {
    tokens: tokensOf(groups),
    stored,
    ...(besidesOfParts.length > 0 && { parts: besidesOfParts }),
  }
  return {
    ...others,
    content: groups.flatMap(({ content }) => content),
    _meta: { ...fieldsOf(others['_meta']), [OFFLOADED_KEY]: offloaded },
  }
}

/** Offload the error of a failed call like a result. Returns the same error if nothing changes. */
export async function offloadCallError(
  offloader: ContextOffloader,
  { error, ...request }: Omit<CallResultRequest, 'result'> & { readonly error: unknown },
): Promise<unknown> {
  const { code, message, data, ...rest } = fieldsOf(error)
  const text = { type: 'text', text: String(message) }
  const structured = data === undefined ? {} : { structuredContent: data }
  const result = { ...rest, content: [text], ...structured, isError: true }
  const shown = fieldsOf(await offloadCallResult(offloader, { ...request, result }))
  if (shown === result) return error
  const { content, structuredContent } = shown
  const said = (content as readonly unknown[]).map((part) => String(fieldsOf(part)['text'])).join('\n')
  return { code: Number(code), message: said, ...(structuredContent !== undefined && { data: structuredContent }) }
}

/** Maximum depth of values for indented JSON. `JSON.stringify` fails for much deeper values. */
const MAX_DEPTH = 200

/** Whether a value is nested deeper than JSON usually is. */
export function isDeep(root: unknown): boolean {
  const open: (readonly [value: unknown, depth: number])[] = [[root, 0]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next
    if (typeof value !== 'object' || value === null || isExactNumber(value)) continue
    if (depth > MAX_DEPTH) return true
    for (const child of Object.values(value)) open.push([child, depth + 1])
  }
  return false
}

function flatResult(result: unknown): Fields {
  const { isError } = fieldsOf(result)
  return { content: [{ type: 'text', text: writeDeepJson(result) }], ...(isError === true && { isError }) }
}

/** Write JSON without recursion. */
function writeDeepJson(root: unknown): string {
  const written: string[] = []
  const left: ({ readonly text: string } | { readonly value: unknown })[] = [{ value: root }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if ('text' in next) {
      written.push(next.text)
      continue
    }
    const { value } = next
    if (typeof value !== 'object' || value === null || isExactNumber(value)) {
      written.push(JSON.stringify(value))
      continue
    }
    const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
    const members = Object.entries(value).flatMap(([name, member], index) => {
      const key = Array.isArray(value) ? '' : `${JSON.stringify(name)}:`
      return [{ text: `${index === 0 ? open : ','}${key}` }, { value: member as unknown }]
    })
    written.push(members.length === 0 ? open : '')
    left.push({ text: close }, ...members.toReversed())
  }
  return written.join('')
}

interface OffloadedGroup {
  readonly outcome: Outcome
  readonly content: readonly unknown[]
  /** Fields of replaced parts besides their content, if these fields are not stored. */
  readonly besides: readonly Fields[]
}

async function offloadGroup(
  offloader: ContextOffloader,
  { toolName, input, result, signal }: CallResultRequest,
  parts: readonly ResultPart[],
  besides: readonly ContentBlock[],
): Promise<OffloadedGroup> {
  const content = [...parts.flatMap(({ block, rest }) => (rest === undefined ? [block] : [block, rest])), ...besides]
  const outcome = await offloader.offload({
    toolName,
    // Use the tool's name: request ids restart with each connection, and the model's id of the call is unknown.
    toolCallId: toolName,
    input,
    isError: fieldsOf(result)['isError'] === true,
    signal,
    content,
  })
  const [own, staying] = [new Set(content), new Set(outcome.content)]
  const isWhole = ({ rest }: ResultPart): boolean => rest === undefined || staying.has(rest)
  const replaced = parts.filter(({ block }) => !staying.has(block))
  const annotations = commonAnnotations(replaced.map(({ part }) => part))
  return {
    outcome,
    content: [
      ...outcome.content
        .filter((block) => !own.has(block))
        .map((block) => ({ ...writeMcpPart(block), ...(annotations !== undefined && { annotations }) })),
      ...parts.filter(({ block }) => staying.has(block)).map((kept) => (isWhole(kept) ? kept.part : kept.bare)),
    ],
    besides: replaced
      .filter((part) => isWhole(part) && Object.keys(part.beside).length > 0)
      .map(({ beside }) => beside),
  }
}

function tokensOf(groups: readonly OffloadedGroup[]): { readonly original: number; readonly replacement: number } {
  let [original, replacement] = [0, 0]
  for (const { outcome } of groups) {
    original += outcome.tokens.original
    replacement += outcome.status === 'inline' ? outcome.tokens.original : outcome.tokens.replacement
  }
  return { original, replacement }
}

/** Whether parts exceed the limit only together with structured content that repeats them. */
function areOver(
  offloader: ContextOffloader,
  toolName: string,
  groups: readonly OffloadedGroup[],
  structuredContent: unknown,
): boolean {
  if (groups.some(({ outcome }) => outcome.status !== 'inline' || outcome.reason !== 'within-limit')) return false
  const text = JSON.stringify(structuredContent)
  const tokens = tokensOf(groups).original + offloader.options.countTokens(text)
  return text.length > LARGE_TEXT || tokens > maxResultTokensOf(offloader, toolName)
}

/** Number of characters above any useful limit. */
const LARGE_TEXT = 65_536

/** Up to this number of characters, other fields are not measured. */
const MAX_UNMEASURED = 500
/** Names and types up to this length are not removed when the other fields are stored. */
const MAX_NAME_LENGTH = 100

interface ResultPart {
  readonly part: unknown
  /** The part's text or bytes. Links and unknown parts are JSON. */
  readonly block: ContentBlock
  /** The part with only its content, short name and type, and its audience. */
  readonly bare: unknown
  /** The part's remaining fields. */
  readonly beside: Fields
  /** The remaining fields as a block, if they are measured. */
  readonly rest?: ContentBlock | undefined
}

interface ResultField {
  readonly name: string
  readonly block: ContentBlock
}

interface CallResult {
  readonly parts: readonly ResultPart[]
  /** Structured content that differs from the parts. */
  readonly structured?: ContentBlock | undefined
  readonly isSaidTwice: boolean
  readonly fields: readonly ResultField[]
}

function readCallResult(result: Fields): CallResult {
  const { content, structuredContent, isError, ...rest } = result
  const parts = Array.isArray(content) ? content.map(readPart) : []
  const others: Fields = {
    ...(content !== undefined && !Array.isArray(content) && { content }),
    ...(isError !== undefined && typeof isError !== 'boolean' && { isError }),
    ...rest,
  }
  const length = [others, ...parts.map(({ beside }) => beside)].reduce((sum, fields) => sum + lengthOf(fields), 0)
  const read = readStructured(parts, content, structuredContent)
  if (length <= MAX_UNMEASURED) return { ...read, fields: [] }
  return {
    ...read,
    parts: read.parts.map((part) => (isEmpty(part.beside) ? part : { ...part, rest: jsonBlock(part.beside) })),
    fields: Object.entries(others).map(([name, value]) => ({ name, block: jsonBlock({ [name]: value }) })),
  }
}

function isForUserAlone(part: unknown): boolean {
  const { audience } = fieldsOf(fieldsOf(part)['annotations'])
  return Array.isArray(audience) && audience.length > 0 && audience.every((role) => role === 'user')
}

function commonAnnotations(parts: readonly unknown[]): unknown {
  const [first, ...others] = parts.map((part) => fieldsOf(part)['annotations'])
  const isShort = first !== undefined && lengthOf({ first }) <= MAX_UNMEASURED
  if (isShort && others.every((one) => isEqual(one, first))) return first
  return parts.length > 0 && parts.every(isForUserAlone) ? { audience: ['user'] } : undefined
}

function readPart(part: unknown): ResultPart {
  const block = readMcpPart(part)
  // Links, unknown parts, and empty texts are stored as JSON.
  const isStorable = block.type !== 'link' && block.type !== 'unknown' && !(block.type === 'text' && block.text === '')
  return isStorable
    ? { part, block, ...splitPart(fieldsOf(part)) }
    : { part, block: jsonBlock(part), bare: part, beside: {} }
}

type SplitPart = Pick<ResultPart, 'bare' | 'beside'>

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

/** URIs and types of ordinary length stay with the content. */
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

/** Servers repeat structured content as content for older clients, so one of the two is enough. */
function readStructured(
  parts: readonly ResultPart[],
  content: unknown,
  structuredContent: unknown,
): Omit<CallResult, 'fields'> {
  if (structuredContent === undefined) return { parts, isSaidTwice: false }
  const saidTwice = { parts, isSaidTwice: true }
  const saidAlone = { parts, isSaidTwice: false, structured: jsonBlock(structuredContent) }
  const fields = Object.values(fieldsOf(structuredContent))
  // Many servers wrap a value that is not an object in an object with one field.
  const said = fields.length === 1 ? [structuredContent, fields[0]] : [structuredContent]
  if (said.some((value) => isEqual(value, content))) return saidTwice
  const [first] = parts
  const text = parts.length === 1 && first?.block.type === 'text' ? first.block.text : undefined
  if (text === undefined)
    return said.some((value) => Array.isArray(value) && isSameList(parts, value)) ? saidTwice : saidAlone
  if (said.includes(text)) return saidTwice
  const same = said.find((value) => isSameJson(text, value))
  if (same === undefined) return saidAlone
  // Store the value as JSON of many lines, which can be searched, if no part of the text is lost.
  return JSON.stringify(same) === text
    ? { parts: parts.map((part) => ({ ...part, block: jsonBlock(same) })), isSaidTwice: true }
    : saidTwice
}

/** Whether texts are the items of a list: some servers write one text for each item. */
const isSameList = (parts: readonly ResultPart[], list: readonly unknown[]): boolean =>
  parts.length === list.length &&
  parts.every(
    ({ block }, index) => block.type === 'text' && (block.text === list[index] || isSameJson(block.text, list[index])),
  )

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const jsonBlock = (value: unknown): ContentBlock => ({ type: 'json', value })

const isEmpty = (fields: Fields): boolean => Object.keys(fields).length === 0

const lengthOf = (fields: Fields): number => (isEmpty(fields) ? 0 : JSON.stringify(fields).length)

const shortened = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, MAX_NAME_LENGTH) : undefined

const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const isAudience = (audience: unknown): boolean =>
  Array.isArray(audience) && audience.length <= 2 && audience.every((role) => role === 'user' || role === 'assistant')

/** Longest text to parse. Its values would need many times its size in memory. */
const MAX_PARSED_LENGTH = 4_194_304

export function isSameJson(text: string, value: unknown): boolean {
  if (text.length > MAX_PARSED_LENGTH) return isWritten(text, value)
  const parsed = parseJsonText(text, parseExactJson)
  return parsed !== undefined && isEqual(parsed, value)
}

function isWritten(text: string, value: unknown): boolean {
  const second = text.charAt(1)
  const indent = /\s/.test(second) ? (/^.\s*?( +)\S/.exec(text.slice(0, 32))?.[1]?.length ?? 0) : 0
  return JSON.stringify(value, undefined, indent) === text
}

/** Compares deep JSON without recursion. An exact number in `left` may equal a rounded number in `right`. */
export function isEqual(left: unknown, right: unknown): boolean {
  const pairs: (readonly [unknown, unknown])[] = [[left, right]]
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [exact, b] = pair
    const a = typeof b === 'number' ? plainNumber(exact) : exact
    if (a === b) continue
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
    if (Array.isArray(a) !== Array.isArray(b)) return false
    const keys = Object.keys(a)
    if (keys.length !== Object.keys(b).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false
      pairs.push([(a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]])
    }
  }
  return true
}
