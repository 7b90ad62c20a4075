import type { HistoryContent, HistoryToolCall } from '../history-message.ts'
import { isFields, type Fields } from './check-fields.ts'

/** A piece of content as it is written: the text of a string, or a part of an array. */
export type WrittenPiece = string | Fields

/** How the content of a message or result is put together again. */
export interface ContentListOptions {
  /** What it was: a string, an array, nothing, or in some APIs one part alone. */
  readonly original: unknown
  /** What it is now. A string stands for text that came as a string; a text that is new is one of `fresh`. */
  readonly pieces: readonly WrittenPiece[]
  /** Those of the pieces that are new texts, each as a part. */
  readonly fresh: ReadonlySet<WrittenPiece>
  /** Makes a part of a text. */
  readonly toPart: (text: string) => Fields
  /** Stands between texts that become one. */
  readonly separator: string
  /** Fields that say something about the prompt up to a part, such as where its cached prefix ends. */
  readonly marks: readonly string[]
}

/**
 * Put content together: the very same where nothing of it changed, a string where it was one and all of it is text, an
 * array otherwise.
 *
 * @example
 * ```ts
 * import { writeContentList } from '@spillway/history/format'
 *
 * const toPart = (text: string) => ({ type: 'text', text })
 * const added = toPart('More.')
 * const options = { fresh: new Set([added]), toPart, separator: '\n\n', marks: [] }
 * console.assert(writeContentList({ original: 'Hello', pieces: ['Hello', added], ...options }) === 'Hello\n\nMore.')
 * ```
 */
export function writeContentList({ original, pieces, fresh, toPart, separator, marks }: ContentListOptions): unknown {
  if (isSame(original, pieces)) return original
  const [only] = pieces
  if (pieces.length === 1 && typeof only === 'string') return only
  if (pieces.length === 1 && isFields(original)) return only
  const isString = !Array.isArray(original) && pieces.every((piece) => typeof piece === 'string' || fresh.has(piece))
  if (isString) return pieces.map((piece) => (typeof piece === 'string' ? piece : piece['text'])).join(separator)
  const list: readonly unknown[] = Array.isArray(original) ? original : []
  // A list may have texts that are no parts.
  const texts = new Set(list.filter((part) => typeof part === 'string'))
  const parts = pieces.map((piece) => (typeof piece === 'string' && !texts.has(piece) ? toPart(piece) : piece))
  return keepMarks(list, parts, fresh, marks)
}

function isSame(original: unknown, pieces: readonly WrittenPiece[]): boolean {
  if (Array.isArray(original))
    return original.length === pieces.length && original.every((part, at) => part === pieces[at])
  return pieces.length === 0 ? original == null : pieces.length === 1 && pieces[0] === original
}

/** What was said of a text that is gone holds for the new text in its place. */
function keepMarks(
  original: readonly unknown[],
  parts: readonly WrittenPiece[],
  fresh: ReadonlySet<WrittenPiece>,
  marks: readonly string[],
): readonly WrittenPiece[] {
  const at = parts.findIndex((part) => fresh.has(part))
  const text = parts[at]
  if (!isFields(text)) return parts
  const kept: Record<string, unknown> = {}
  for (const mark of marks) {
    const isMarked = (part: unknown): part is Fields => isFields(part) && part[mark] != null
    const last = original.findLast(isMarked)
    if (last !== undefined && !parts.some(isMarked)) kept[mark] = last[mark]
  }
  return Object.keys(kept).length === 0 ? parts : parts.with(at, { ...text, ...kept })
}

/**
 * Write a value of another format as JSON text. Throws a `TypeError` that names its place where JSON cannot express it.
 *
 * @example
 * ```ts
 * import { jsonText } from '@spillway/history/format'
 *
 * console.assert(jsonText({ line: 7 }, 'messages[0].parts[0]') === '{"line":7}')
 * ```
 */
export function jsonText(value: unknown, place: string): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    // Cycles and big integers are a TypeError, and what is too deep or too long a RangeError.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    throw new TypeError(`${place} cannot be written as JSON: ${error.message}`, { cause: error })
  }
}

/**
 * Join what a tool returned where only one text has a place, with JSON as text; `undefined` where some of it is neither.
 * Empty texts say nothing, and leave no line.
 */
export function resultText(content: readonly HistoryContent[], place: string): string | undefined {
  const texts: string[] = []
  for (const piece of content) {
    if (piece.type !== 'text' && piece.type !== 'json') return undefined
    const text = piece.type === 'text' ? piece.text : jsonText(piece.value, place)
    if (text !== '') texts.push(text)
  }
  return texts.join('\n')
}

/**
 * Return the arguments of a call as a value; text that is no JSON comes back as it is.
 *
 * @example
 * ```ts
 * import { argumentsValue } from '@spillway/history/format'
 *
 * const call = { type: 'tool-call', id: 'call_1', name: 'grep', input: '[1,2]', inputIsText: true } as const
 * console.assert(Array.isArray(argumentsValue(call)))
 * ```
 */
export function argumentsValue({ input, inputIsText }: HistoryToolCall): unknown {
  if (!inputIsText || typeof input !== 'string') return input
  try {
    // A model may write nothing where a tool takes no arguments.
    return input.trim() === '' ? {} : JSON.parse(input)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return input
  }
}

/**
 * Return the arguments of a call as the object that some APIs demand; what is none becomes its only field.
 *
 * @example
 * ```ts
 * import { argumentsObject } from '@spillway/history/format'
 *
 * const call = { type: 'tool-call', id: 'call_1', name: 'read', input: '{"path":"app.log"}', inputIsText: true } as const
 * console.assert(argumentsObject(call)['path'] === 'app.log')
 * ```
 */
export function argumentsObject(call: HistoryToolCall): Fields {
  const value = argumentsValue(call)
  return isFields(value) ? value : { input: value }
}

/** A text up to this length is one of the short fields beside a long one: what stands in the place of a text is longer. */
const MAX_SHORT_TEXT = 100
/** The short fields beside a text have no more characters than this together. */
const MAX_BESIDE_TEXT = 1_000
/** Fields in which frameworks put a text that a tool returned or threw, and nothing else. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(['output', 'result', 'error', 'content'])

/**
 * Name the field whose text is about all that the response of a function has, so that it is stored as text, with its own
 * lines; `undefined` where there is none.
 *
 * The answer stays the same when a reference takes the place of the text.
 *
 * @example
 * ```ts
 * import { responseTextField } from '@spillway/history/format'
 *
 * console.assert(responseTextField({ output: 'all of the log' }) === 'output')
 * console.assert(responseTextField({ rows: [1, 2] }) === undefined)
 * ```
 */
export function responseTextField(response: Fields): string | undefined {
  const names = Object.keys(response)
  const [only] = names
  if (names.length === 1 && only !== undefined && TEXT_FIELDS.has(only) && typeof response[only] === 'string')
    return only
  const long = names.filter((name) => isLongText(response[name]))
  const [field] = long
  if (field === undefined || long.length > 1) return undefined
  let left = MAX_BESIDE_TEXT
  for (const name of names) if (name !== field) left = spend(response[name], left - name.length, 0)
  return left >= 0 ? field : undefined
}

const isLongText = (value: unknown): boolean => typeof value === 'string' && value.length > MAX_SHORT_TEXT

/** Take the characters of a value from those that are left, as far as there are any. */
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
