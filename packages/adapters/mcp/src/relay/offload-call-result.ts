import type { ContentBlock, ContextOffloader, OffloadedBlock, Outcome } from '@spillway/core'
import { writeMcpPart, readMcpPart, parseExactJson, plainNumber } from '@spillway/core/adapter'
import { fieldsOf, type Fields } from './message.ts'
import { referenceUri } from './read-resource.ts'

/** Under this key, `_meta` of a replaced result says what was stored, for programs. */
export const OFFLOADED_META_KEY = 'spillway/offloaded'

/** A result of `tools/call`, and the call that it answers. */
interface CallResultRequest {
  readonly toolName: string
  readonly input: unknown
  readonly result: unknown
  /** Whether to add links that `resources/read` follows. */
  readonly resourceLinks: boolean
  /** Aborted where nobody waits for the result any more, which then stays as it is. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Offload a result of `tools/call` and return what takes its place; the very result where it stays.
 *
 * All that the host gets is measured. `structuredContent` that the content says as well is not stored a second time: it
 * goes where the content is replaced, and where both together are over the limit. Parts for the user alone are measured
 * and replaced by themselves, so that their preview keeps that mark.
 */
export async function offloadCallResult(offloader: ContextOffloader, request: CallResultRequest): Promise<unknown> {
  const { toolName, result, resourceLinks } = request
  const fields = fieldsOf(result)
  const { parts, structured, isSaidTwice, fields: large } = readCallResult(fields)
  // Such as a task, or a request for input.
  if (fields['content'] === undefined && fields['structuredContent'] === undefined) return result
  const forUser = parts.filter(({ part }) => isForUserAlone(part))
  const forModel = parts.filter((part) => !forUser.includes(part))
  const besides = [...(structured === undefined ? [] : [structured]), ...large.map(({ block }) => block)]
  const groups = [await offloadGroup(offloader, request, forModel, besides)]
  if (forUser.length > 0) groups.push(await offloadGroup(offloader, request, forUser, []))
  const stored = groups.flatMap(({ outcome }) => (outcome.status === 'offloaded' ? outcome.stored : []))
  const { structuredContent, ...unstructured } = fields
  if (stored.length === 0) return isSaidTwice && areOver(offloader, groups, structuredContent) ? unstructured : result

  const staying = new Set(groups.flatMap(({ outcome }) => outcome.content))
  const others = structured !== undefined && staying.has(structured) ? { ...fields } : { ...unstructured }
  for (const { name, block } of large) if (!staying.has(block)) delete others[name]
  const besidesOfParts = groups.flatMap((group) => group.besides)
  const offloaded = {
    tokens: tokensOf(groups),
    stored,
    ...(besidesOfParts.length > 0 && { parts: besidesOfParts }),
  }
  const links = resourceLinks ? stored.map((block) => linkTo(block, toolName)) : []
  return {
    ...others,
    content: [...groups.flatMap(({ content }) => content), ...links],
    _meta: { ...fieldsOf(others['_meta']), [OFFLOADED_META_KEY]: offloaded },
  }
}

/** What became of some parts of a result. */
interface OffloadedGroup {
  readonly outcome: Outcome
  /** The parts that take the place of these. */
  readonly content: readonly unknown[]
  /** What replaced parts had beside their content, where it is not stored. */
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
    // The ids of requests begin anew with each connection; that of the call in the conversation is not told.
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
    replacement += outcome.status === 'offloaded' ? outcome.tokens.replacement : outcome.tokens.original
  }
  return { original, replacement }
}

/** Whether parts within the limit are over it together with structured content that repeats them. */
function areOver(
  { options: { countTokens, maxResultTokens } }: ContextOffloader,
  groups: readonly OffloadedGroup[],
  structuredContent: unknown,
): boolean {
  if (groups.some(({ outcome }) => outcome.status !== 'inline' || outcome.reason !== 'within-limit')) return false
  const text = JSON.stringify(structuredContent)
  return text.length > LARGE_TEXT || tokensOf(groups).original + countTokens(text) > maxResultTokens
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
  return countTokens(JSON.stringify(result)) > maxResultTokens
}

function linkTo({ reference, type, contentType, size }: OffloadedBlock, toolName: string): Fields {
  const name = `${toolName} (${type})`
  return { type: 'resource_link', uri: referenceUri(reference), name, mimeType: contentType, size }
}

/** Characters of a result beside its content that cost too little to be measured. */
const MAX_UNMEASURED = 500
/** Names and types are kept up to this length where what is beside the content of a part is stored. */
const MAX_NAME_LENGTH = 100

/** One part of a result, in blocks that are measured and stored by themselves. */
interface ResultPart {
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
interface ResultField {
  readonly name: string
  readonly block: ContentBlock
}

/** A result of `tools/call` as blocks, which together are all that a host gets. */
interface CallResult {
  readonly parts: readonly ResultPart[]
  /** Structured content that says something else than the parts. */
  readonly structured?: ContentBlock | undefined
  /** Whether there is structured content that says the same as the parts. */
  readonly isSaidTwice: boolean
  readonly fields: readonly ResultField[]
}

/** Read a result of `tools/call`. */
function readCallResult(result: Fields): CallResult {
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
function isForUserAlone(part: unknown): boolean {
  const { audience } = fieldsOf(fieldsOf(part)['annotations'])
  return Array.isArray(audience) && audience.length > 0 && audience.every((role) => role === 'user')
}

/** Return the annotations that one text in the place of these parts has: those of all of them, or for whom they all are. */
function commonAnnotations(parts: readonly unknown[]): unknown {
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

/** Longer texts are not parsed to compare them: the values would take many times their size. */
const MAX_PARSED_LENGTH = 4_194_304

/** Tell whether a text is a value as JSON, in any spelling. */
export function isSameJson(text: string, value: unknown): boolean {
  if (text.length > MAX_PARSED_LENGTH) return isWritten(text, value)
  const parsed = parseJson(text)
  return parsed !== undefined && isEqual(parsed, value)
}

/** Whether the text is the value in one of the spellings that serializers have by default. */
function isWritten(text: string, value: unknown): boolean {
  const second = text.charAt(1)
  const indent = /\s/.test(second) ? (/^.\s*?( +)\S/.exec(text.slice(0, 32))?.[1]?.length ?? 0) : 0
  return JSON.stringify(value, undefined, indent) === text
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}

/**
 * Tell whether values that came as JSON are the same. They are as deep as the parser allows, so that no stack of calls is
 * used. A number of `left` that was kept digit by digit is also what it is as a JavaScript number, as SDKs have read it.
 */
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
