import { parseJsonText } from '@spillway/text/internal'
import {
  asRead,
  isAsRead,
  type HistoryContent,
  type HistoryMedia,
  type HistoryPart,
  type HistoryToolCall,
  type HistoryToolResult,
} from '../history-message.ts'
import { fieldError, isFields, otherFormat, type Fields } from './check-fields.ts'

/** Mark a part as read, with its native value. A part of an unknown form is opaque. */
export const readAs = <Part extends HistoryPart | HistoryContent>(format: string, value: unknown, part?: Part): Part =>
  asRead({ ...(part ?? { type: 'opaque', value }), native: { format, value } }) as Part

/** Read content, which is a text or a list of parts. `readPart` returns `undefined` for an unknown part. */
export function readContent<Part extends HistoryPart | HistoryContent>(
  format: string,
  content: unknown,
  place: string,
  readPart: (part: Fields, index: number) => Part | undefined,
): Part[] {
  if (typeof content === 'string') return [readAs(format, content, { type: 'text', text: content } as Part)]
  if (!Array.isArray(content)) throw fieldError(place, 'a string or an array', content)
  return Array.from(content, (part: unknown, index) =>
    readAs(format, part, isFields(part) ? readPart(part, index) : undefined),
  )
}

/** A written block: a string, or a part of an array. A text whose native form is a string is a string. */
type WrittenPiece = string | Fields

/** Join written blocks to content. Unchanged content is the same object, and only strings give a string. */
function joinPieces(
  original: unknown,
  pieces: readonly WrittenPiece[],
  fresh: ReadonlySet<WrittenPiece>,
  separator: string,
  { toPart, marks }: ContentRules,
): unknown {
  if (isSame(original, pieces)) return original
  const [only] = pieces
  if (pieces.length === 1 && typeof only === 'string') return only
  if (pieces.length === 1 && isFields(original)) return only
  const isString = !Array.isArray(original) && pieces.every((piece) => typeof piece === 'string' || fresh.has(piece))
  if (isString) return pieces.map((piece) => (typeof piece === 'string' ? piece : piece['text'])).join(separator)
  const list: readonly unknown[] = Array.isArray(original) ? original : []
  // A list may contain strings next to parts.
  const texts = new Set(list.filter((part) => typeof part === 'string'))
  const parts = pieces.map((piece) => (typeof piece === 'string' && !texts.has(piece) ? toPart(piece) : piece))
  return keepMarks(list, parts, fresh, marks)
}

function isSame(original: unknown, pieces: readonly WrittenPiece[]): boolean {
  if (Array.isArray(original))
    return original.length === pieces.length && original.every((part, at) => part === pieces[at])
  return pieces.length === 0 ? original == null : pieces.length === 1 && pieces[0] === original
}

/** A new text inherits the marks of the text that it replaces. */
function keepMarks(
  original: readonly unknown[],
  parts: readonly WrittenPiece[],
  fresh: ReadonlySet<WrittenPiece>,
  marks: readonly string[],
): readonly WrittenPiece[] {
  const at = parts.findIndex((part) => fresh.has(part))
  const text = parts[at]
  if (!isFields(text)) return parts
  const retained: Record<string, unknown> = {}
  for (const mark of marks) {
    const isMarked = (part: unknown): part is Fields => isFields(part) && part[mark] != null
    const last = original.findLast(isMarked)
    if (last !== undefined && !parts.some(isMarked)) retained[mark] = last[mark]
  }
  return Object.keys(retained).length === 0 ? parts : parts.with(at, { ...text, ...retained })
}

/** Rules for writing the content of messages and results for one API. */
export interface ContentRules {
  readonly format: string
  readonly toPart: (text: string) => Fields
  /** Fields that apply to the prompt up to a part, for example a cache breakpoint. */
  readonly marks: readonly string[]
  /** Words for the error about an unsupported block: `<owner> cannot contain this image<api>.` */
  readonly place: readonly [owner: string, api: string]
  /** Return the native block in a native value. Defaults to the native value itself. */
  readonly blockOf?: ((native: unknown) => unknown) | undefined
  /** Return a copy of a native block with another text. Return `undefined` if the block has no text. */
  readonly withText: (block: Fields, text: string) => Fields | undefined
  readonly writeMedia: (media: HistoryMedia) => Fields | undefined
  /** Return the block for a JSON value. Return `undefined` to write the value as text. */
  readonly writeJson?: ((value: unknown) => Fields | undefined) | undefined
  /** Apply the changes of a call or result to its native block. */
  readonly patchTool?:
    | ((native: Fields, part: HistoryToolCall | HistoryToolResult, place: string) => Fields)
    | undefined
}

/** Write content with its current parts. Throws a `TypeError` if the API does not support a part. */
export function writeContent(
  original: unknown,
  parts: readonly (HistoryPart | HistoryContent)[],
  separator: '\n' | '\n\n',
  place: string,
  rules: ContentRules,
): unknown {
  /** The written blocks with new texts. */
  const fresh = new Set<WrittenPiece>()
  const pieces = parts.map((part, at): WrittenPiece => {
    const native = part.native?.format === rules.format ? part.native.value : undefined
    if (part.type === 'tool-call' || part.type === 'tool-result') {
      if (isFields(native) && rules.patchTool !== undefined)
        return isAsRead(part) ? native : rules.patchTool(native, part, `${place}.parts[${at}]`)
      throw otherFormat(`${place}: this ${part.type}`, rules.format)
    }
    const block = rules.blockOf === undefined ? native : rules.blockOf(native)
    if (block !== undefined && (isAsRead(part) || part.type !== 'text')) return block as WrittenPiece
    if (part.type === 'text' && typeof block === 'string') return part.text
    const patched = part.type === 'text' && isFields(block) ? rules.withText(block, part.text) : undefined
    if (patched !== undefined) return patched
    const json = part.type === 'json' ? rules.writeJson?.(part.value) : undefined
    if (json !== undefined) return json
    const written = writeBlock(part, place, rules)
    if (part.type === 'text' || part.type === 'json') fresh.add(written)
    return written
  })
  return joinPieces(original, pieces, fresh, separator, rules)
}

/** Write a block that has no native form. Throws a `TypeError` if the API does not support the block. */
export function writeBlock(
  block: Exclude<HistoryPart | HistoryContent, HistoryToolCall | HistoryToolResult>,
  place: string,
  { toPart, writeMedia, place: [owner, api] }: ContentRules,
): Fields {
  if (block.type === 'text') return toPart(block.text)
  if (block.type === 'json') return toPart(jsonText(block.value, place))
  const written = block.type === 'opaque' || block.type === 'reasoning' ? undefined : writeMedia(block)
  if (written !== undefined) return written
  throw new TypeError(`${place}: ${owner} cannot contain this ${block.type}${api}.`)
}

/** Serialize a value. Throws a `TypeError` that names `place` if JSON cannot express the value. */
export function jsonText(value: unknown, place: string): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    // Cycles and big integers throw a `TypeError`. Values that are too deep or too long throw a `RangeError`.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    throw new TypeError(`${place} cannot be written as JSON: ${error.message}`, { cause: error })
  }
}

/** Join text and JSON blocks, without empty texts. Return `undefined` if there is a block of another type. */
export function resultText(content: readonly HistoryContent[], place: string): string | undefined {
  const texts: string[] = []
  for (const piece of content) {
    if (piece.type !== 'text' && piece.type !== 'json') return undefined
    const text = piece.type === 'text' ? piece.text : jsonText(piece.value, place)
    if (text !== '') texts.push(text)
  }
  return texts.join('\n')
}

/** Parse a call's arguments. If their text is not JSON, return the text. */
export function argumentsValue({ input, inputIsText }: HistoryToolCall): unknown {
  if (!inputIsText || typeof input !== 'string') return input
  // A model may write an empty text if a tool takes no arguments.
  const value = input.trim() === '' ? {} : parseJsonText(input)
  return value === undefined ? input : value
}

/** Parse a call's arguments to an object. A value that is not an object becomes the field `input`. */
export function argumentsObject(call: HistoryToolCall): Fields {
  const value = argumentsValue(call)
  return isFields(value) ? value : { input: value }
}

/** Largest length of a short text. Every replacement is longer, so a replaced text is still found as the long text. */
const MAX_SHORT_TEXT = 100
const MAX_BESIDE_TEXT = 1_000
const TEXT_FIELDS: ReadonlySet<string> = new Set(['output', 'result', 'error', 'content'])

/**
 * Return the name of the field that has nearly all text of a function response. Return `undefined` if no field has it.
 * After the text was replaced, the function returns the same field.
 */
export function responseTextField(response: Fields): string | undefined {
  const names = Object.keys(response)
  const [only] = names
  if (names.length === 1 && only !== undefined && TEXT_FIELDS.has(only) && typeof response[only] === 'string')
    return only
  const long = names.filter((name) => typeof response[name] === 'string' && response[name].length > MAX_SHORT_TEXT)
  const [field] = long
  if (field === undefined || long.length > 1) return undefined
  let left = MAX_BESIDE_TEXT
  for (const name of names) if (name !== field) left = spend(response[name], left - name.length, 0)
  return left >= 0 ? field : undefined
}

function spend(value: unknown, left: number, depth: number): number {
  if (left < 0 || depth > 8) return -1
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left - 4
  let rest = left - 2
  for (const key in value) {
    if (rest < 0) return rest
    rest = spend((value as Fields)[key], rest - key.length, depth + 1)
  }
  return rest
}
